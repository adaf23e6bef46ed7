// The first convolution of a net: its planes are mostly zeros, and only what is not is multiplied.
#pragma once

#include <vector>

namespace tengen {

class SparseConv {
  public:
    // weight: [kernel, kernel, planes, channels], kernel odd, channels a multiple of 8.
    SparseConv(const float* weight, int kernel, int planes, int channels);

    int planes() const { return planes_; }
    int channels() const { return channels_; }

    // planes: [count, planes, size, size]; bias: [count, channels], added at every point; out: [count, size, size, channels].
    void run(const float* planes, const float* bias, float* out, int count, int size, int threads) const;

  private:
    int kernel_, planes_, channels_;
    std::vector<float> weight_;
};

}  // namespace tengen
