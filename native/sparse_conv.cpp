#include "sparse_conv.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "parallel.hpp"
#include "winograd_tiles.hpp"

namespace tengen {

namespace {

using winograd::kLanes;
using winograd::Lanes;
using winograd::load;
using winograd::store;

// What is not zero at one point.
struct Entry {
    int plane;
    float value;
};

struct Board {
    const std::vector<Entry>& entries;
    const std::vector<int>& starts;  // [points + 1]
    int size;
};

// The outputs of kGroups * 8 channels from c on, at every point of a board.
template <int kGroups>
TENGEN_INLINE void channels_of(const Board& board, const float* weight, int kernel, int planes, int channels, int c,
                               const float* bias, float* out) {
    const int reach = kernel / 2;
    for (int y = 0; y < board.size; ++y)
        for (int x = 0; x < board.size; ++x) {
            Lanes sums[kGroups];
            for (int g = 0; g < kGroups; ++g) sums[g] = load(bias + c + g * kLanes);
            for (int v = std::max(0, y - reach); v <= std::min(board.size - 1, y + reach); ++v)
                for (int u = std::max(0, x - reach); u <= std::min(board.size - 1, x + reach); ++u) {
                    const float* taps =
                        weight + static_cast<std::ptrdiff_t>((v - y + reach) * kernel + u - x + reach) * planes * channels + c;
                    const int point = v * board.size + u;
                    for (int i = board.starts[point]; i < board.starts[point + 1]; ++i) {
                        const float* row = taps + static_cast<std::ptrdiff_t>(board.entries[i].plane) * channels;
                        const float value = board.entries[i].value;
                        for (int g = 0; g < kGroups; ++g) sums[g] += value * load(row + g * kLanes);
                    }
                }
            float* to = out + static_cast<std::ptrdiff_t>(y * board.size + x) * channels + c;
            for (int g = 0; g < kGroups; ++g) store(to + g * kLanes, sums[g]);
        }
}

// As many groups of channels at a time as there are, up to kGroups; returns the first channel that is left.
template <int kGroups>
TENGEN_INLINE int while_there_are(const Board& board, const float* weight, int kernel, int planes, int channels, int c,
                                  const float* bias, float* out) {
    for (; c + kGroups * kLanes <= channels; c += kGroups * kLanes)
        channels_of<kGroups>(board, weight, kernel, planes, channels, c, bias, out);
    return c;
}

TENGEN_VECTOR_CLONES void convolve(const Board& board, const float* weight, int kernel, int planes, int channels,
                                   const float* bias, float* out) {
    int c = while_there_are<12>(board, weight, kernel, planes, channels, 0, bias, out);  // sums that fit the registers
    c = while_there_are<6>(board, weight, kernel, planes, channels, c, bias, out);
    c = while_there_are<4>(board, weight, kernel, planes, channels, c, bias, out);
    while_there_are<1>(board, weight, kernel, planes, channels, c, bias, out);
}

}  // namespace

SparseConv::SparseConv(const float* weight, int kernel, int planes, int channels)
    : kernel_(kernel), planes_(planes), channels_(channels) {
    if (kernel < 1 || kernel % 2 == 0) throw std::invalid_argument("a kernel has an odd length");
    if (planes < 1 || channels < kLanes || channels % kLanes)
        throw std::invalid_argument("channels must be a multiple of 8");
    weight_.assign(weight, weight + static_cast<std::size_t>(kernel) * kernel * planes * channels);
}

void SparseConv::run(const float* planes, const float* bias, float* out, int count, int size, int threads) const {
    const int points = size * size;
    in_parallel(static_cast<std::size_t>(count), threads, [&](std::size_t begin, std::size_t end) {
        std::vector<Entry> entries;
        std::vector<int> starts(points + 1);
        for (std::size_t n = begin; n < end; ++n) {
            const float* board = planes + n * planes_ * points;
            entries.clear();
            for (int point = 0; point < points; ++point) {
                starts[point] = static_cast<int>(entries.size());
                for (int plane = 0; plane < planes_; ++plane)
                    if (const float value = board[plane * points + point]; value != 0) entries.push_back({plane, value});
            }
            starts[points] = static_cast<int>(entries.size());
            convolve({entries, starts, size}, weight_.data(), kernel_, planes_, channels_, bias + n * channels_,
                     out + n * points * channels_);
        }
    });
}

}  // namespace tengen
