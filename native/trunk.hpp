// The blocks of a residual net (KataGo's ordinary, global pooling and nested bottleneck blocks), or the layers of a plain
// one, at work, their convolutions in 16-bit integers.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "integer_conv.hpp"

namespace tengen {

struct Norm {
    std::vector<float> scale, bias;  // [channels]
    Activation activation;
};

// What is added to the stream x: conv2(z), z = second(conv1(first(x))), where `second` is
//   ordinary  activation(y + bias); the scale of a norm is in conv1's weights
//   pooling   the last outputs of conv1 give, through mean, scaled mean and maximum over the board and a matrix, a
//             bias for the others
//   nested    blocks of their own on conv1's outputs, then a norm
struct TrunkBlock {
    Norm first;
    IntegerConv conv1, conv2;
    Norm second;                     // its scale is empty but in nested blocks
    std::vector<TrunkBlock> blocks;  // of a nested block
    int pooled = 0;                  // outputs of conv1 that are only pooled
    Norm pool;                       // of those: bias and activation
    std::vector<float> pool_matrix;  // [3 * pooled][others]
};

// A layer of a plain net: activation(conv(x) + bias) takes the place of the stream x.
struct PlainLayer {
    IntegerConv conv;
    std::vector<float> bias;
    Activation activation;
};

// A plain net between its first convolution and its heads.
struct PlainLayers {
    Norm first;  // of the first convolution
    std::vector<PlainLayer> layers;
};

class Trunk {
  public:
    // Of a residual net: blocks are added.
    explicit Trunk(int channels);
    // Of a plain net, with two layers or more.
    Trunk(int channels, PlainLayers plain);
    ~Trunk();

    int channels() const { return channels_; }
    void add(TrunkBlock block);

    // Runs all blocks or layers over the stream [count, size, size, channels], in place. The threads share the boards, and what
    // is left of them each board: one board alone goes nearly as fast as its share of many. The answer to a board depends
    // neither on the threads nor on the other boards.
    void run(float* stream, int count, int size, int threads) const;

  private:
    struct Worker;
    struct Parts {
        std::vector<TrunkBlock> blocks;
        PlainLayers plain;
    };

    // Goes back among the idle ones when the last thread lets go of it.
    std::shared_ptr<Worker> take() const;
    void help(std::shared_ptr<Worker> worker, float* stream, int member) const;

    int channels_;
    Parts parts_;
    // Those that are not at work: their memory is kept for the next call.
    mutable std::mutex mutex_;
    mutable std::vector<std::unique_ptr<Worker>> idle_;
    mutable std::atomic<int> helpers_{0};  // threads that use this
};

// Throws std::invalid_argument unless the parts fit each other and a stream of so many channels.
void check_block(const TrunkBlock& block, int channels);

}  // namespace tengen
