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

#include <algorithm>
#include <cstdint>
#include <vector>

#include "large_pages.hpp"
#include "winograd.hpp"

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

    // Some rows of the matrix that is multiplied by the kernels: tiles of the boards for 3x3 kernels, points for 1x1.
    struct Rows {
        int begin, end;
        int size;  // of the board
    };

    int all_rows(int count, int size) const;
    void make_room(Workspace& workspace) const;

    // greatest: [boards], no input of a board is greater than that, with or without its sign. The workspace has room.
    // then(point, points) is called for each run of points that is finished, while it is still in the cache; the points
    // of all boards are numbered through.
    template <typename Then>
    void run(const float* boards, const float* greatest, Rows rows, const Finish& finish, Workspace& workspace,
             Then then) const {
        const int at_once = rows_at_once();
        for (int begin = rows.begin; begin < rows.end; begin += at_once) {
            const Rows some{begin, std::min(begin + at_once, rows.end), rows.size};
            fill(boards, greatest, some, workspace);
            multiply(greatest, some, finish, workspace);
            each_run(some, then);
        }
    }

  private:
    static constexpr int kColumns = 16;  // outputs of one product of registers

    int positions() const { return kernel_ == 3 ? 36 : 1; }
    int rows_at_once() const;
    void fill(const float* boards, const float* greatest, Rows rows, Workspace& workspace) const;
    void multiply(const float* greatest, Rows rows, const Finish& finish, Workspace& workspace) const;

    template <typename Then>
    void each_run(Rows rows, Then then) const {
        if (kernel_ == 1) {
            const int points = rows.size * rows.size;
            for (int begin = rows.begin, end; begin < rows.end; begin = end) {
                end = std::min((begin / points + 1) * points, rows.end);
                then(begin, end - begin);
            }
            return;
        }
        const int across = winograd::tiles_across(rows.size), tiles = across * across;
        for (int t = rows.begin; t < rows.end; ++t) {
            const int y0 = t % tiles / across * 4, x0 = t % across * 4;
            for (int y = y0; y < std::min(y0 + 4, rows.size); ++y)
                then((t / tiles * rows.size + y) * rows.size + x0, std::min(4, rows.size - x0));
        }
    }

    int kernel_, inputs_, outputs_;
    int panels_;                          // of kColumns outputs, the last one filled up with zeros
    LargeVector<std::int16_t> kernels_;   // [panels][positions][inputs / 2][kColumns][2], read from start to end
    std::vector<float> scale_;            // [panels * kColumns / 8][positions][8]: from a sum to an output, for greatest 1
    std::vector<float> stretch_;          // [positions]: from a transformed input to an integer, for greatest 1
};

// activation(x * scale + bias) of points [points, channels]. Returns the greatest |output|.
float norm_activate(const float* x, float* out, int points, int channels, const float* scale, const float* bias,
                    Activation activation);

// activation(x + bias) of the first `kept` of the channels of each point; bias and out are [kept] and [points, kept].
// Returns the greatest |output|.
float add_activate(const float* x, float* out, int points, int channels, int kept, const float* bias, Activation activation);

// Mean and maximum over the board of activation(x + bias), x [points, channels] with `stride` between points.
void mean_and_greatest(const float* x, int points, int channels, int stride, const float* bias, Activation activation,
                       float* mean, float* greatest);

}  // namespace tengen
