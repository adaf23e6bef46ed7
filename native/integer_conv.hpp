// Convolutions of boards in 16-bit integers, for nets that are asked and not taught.
//
// 3x3 kernels go through Winograd's F(4x4, 3x3) (winograd.hpp), 1x1 kernels are one matrix product; in both the
// products are of 16-bit integers, summed in 32 bits. AVX2 multiplies and adds twice as many of them at a time as
// floats, AVX-512 with VNNI as many with fewer instructions. Bytes would be twice as many again, but have no room for
// Winograd's sums, and lose to this. It is near enough to float32 to need no calibration: inputs are scaled by the
// greatest of each board, kernels by the greatest of each output, such that no sum can overflow whatever the inputs are.
//
// Boards are channels-last: [count, size, size, channels], channels a multiple of 8.
#pragma once

#include <cstdint>
#include <vector>

#include "team.hpp"

namespace tengen {

enum class Activation { kIdentity, kRelu, kMish };

// What becomes of an output y of a convolution.
struct Finish {
    enum class Kind { kStore, kAdd, kActivate } kind;
    float* out;                // [count, size, size, outputs]; y, or out + y, or activation(y + bias)
    const float* bias = nullptr;  // [outputs], for kActivate
    Activation activation = Activation::kIdentity;
    float* greatest = nullptr;  // [count], for kActivate: raised to the greatest |activation(y + bias)| of the board
};

class IntegerConv {
  public:
    // Buffers of one thread.
    struct Workspace {
        std::vector<std::int16_t> rows;
        std::vector<std::int32_t> sums;
        std::vector<float> nothing, nowhere;  // where points beyond the edge are read and written
    };

    // weight: [kernel, kernel, inputs, outputs], kernel 1 or 3. `positive`: no input will be below zero.
    IntegerConv(const float* weight, int kernel, int inputs, int outputs, bool positive);

    int inputs() const { return inputs_; }
    int outputs() const { return outputs_; }

    // greatest: [count], no input of a board is greater than that, with or without its sign.
    void run(const float* boards, const float* greatest, int count, int size, const Finish& finish,
             Workspace& workspace) const;

    // The same by all members of a team, each with its own workspace beside a shared one, all with room for `all_rows`.
    // A member transforms its share of the inputs, and after they have met it multiplies all of them by its share of the
    // kernels: one board is little work for many kernels, and reading those takes most of the time.
    void run_together(const float* boards, const float* greatest, int count, int size, const Finish& finish,
                      Workspace& shared, Workspace& own, Team& team, int member) const;

    // Rows of the matrix that is multiplied by the kernels: tiles for 3x3 kernels, points for 1x1.
    int all_rows(int count, int size) const;
    void make_room(Workspace& workspace, int rows) const;

    struct Rows {
        int begin, end;
        int size;  // of the board
    };

  private:
    static constexpr int kColumns = 16;  // outputs of one product of registers

    int positions() const { return kernel_ == 3 ? 36 : 1; }
    int rows_at_once() const;
    void fill(const float* boards, const float* greatest, Rows all, Rows some, const float* nothing, std::int16_t* to) const;
    void multiply(const std::int16_t* transformed, const float* greatest, Rows all, int begin, int end, const Finish& finish,
                  Workspace& workspace) const;

    int kernel_, inputs_, outputs_;
    int panels_;                          // of kColumns outputs, the last one filled up with zeros
    std::vector<std::int16_t> kernels_;   // [positions][panels][inputs / 2][kColumns][2]
    std::vector<float> scale_;            // [panels * kColumns / 8][positions][8]: from a sum to an output, for greatest 1
    std::vector<float> stretch_;          // [positions]: from a transformed input to an integer, for greatest 1
};

// activation(x * scale + bias) of boards [count, points, channels]; greatest [count] becomes the greatest |output|.
void norm_activate(const float* x, float* out, int count, int points, int channels, const float* scale, const float* bias,
                   Activation activation, float* greatest);

// activation(x + bias) of the first `kept` of the channels of each point; bias and out are [kept] and [points, kept].
// Returns the greatest |output|.
float add_activate(const float* x, float* out, int points, int channels, int kept, const float* bias, Activation activation);

// Mean and maximum over the board of activation(x + bias), x [points, channels] with `stride` between points.
void mean_and_greatest(const float* x, int points, int channels, int stride, const float* bias, Activation activation,
                       float* mean, float* greatest);

}  // namespace tengen
