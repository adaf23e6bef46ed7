#include "response.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "parallel.hpp"
#include "wide.hpp"

namespace tengen::response {

namespace {

constexpr std::size_t kRows = 256;  // of a piece of work

// out_k = sum of in_j for j within `reach` of k. in: [channels], with `reach` zeros before and behind.
inline __attribute__((always_inline)) void window(const float* __restrict in, int channels, int reach, float* __restrict out) {
    for (int k = 0; k < channels; ++k) out[k] = in[k];
    for (int d = 1; d <= reach; ++d)
        for (int k = 0; k < channels; ++k) out[k] += in[k - d] + in[k + d];
}

// padded: [channels], with zeros around it; sums: [channels].
TENGEN_WIDE_CLONES void some_values(const float* __restrict x, float* __restrict y, std::size_t rows, int channels, int reach,
                                    float factor, float* __restrict padded, float* __restrict sums) {
    for (std::size_t r = 0; r < rows; ++r, x += channels, y += channels) {
        for (int k = 0; k < channels; ++k) {
            const float v = x[k] > 0 ? x[k] : 0.0f;
            padded[k] = v * v;
        }
        window(padded, channels, reach, sums);
        for (int k = 0; k < channels; ++k) {
            const float root = std::sqrt(1 + factor * sums[k]);
            y[k] = (x[k] > 0 ? x[k] : 0.0f) / (root * std::sqrt(root));
        }
    }
}

TENGEN_WIDE_CLONES void some_gradients(const float* __restrict x, const float* __restrict dy, float* __restrict dx,
                                       std::size_t rows, int channels, int reach, float factor, float* __restrict padded,
                                       float* __restrict sums, float* __restrict scale) {
    for (std::size_t r = 0; r < rows; ++r, x += channels, dy += channels, dx += channels) {
        for (int k = 0; k < channels; ++k) {
            const float v = x[k] > 0 ? x[k] : 0.0f;
            padded[k] = v * v;
        }
        window(padded, channels, reach, sums);
        for (int k = 0; k < channels; ++k) {
            const float s = 1 + factor * sums[k], root = std::sqrt(s), own = 1 / (root * std::sqrt(root));
            scale[k] = own;
            padded[k] = x[k] > 0 ? dy[k] * x[k] * own / s : 0.0f;
        }
        window(padded, channels, reach, sums);
        for (int k = 0; k < channels; ++k) dx[k] = x[k] > 0 ? dy[k] * scale[k] - 1.5f * factor * x[k] * sums[k] : 0.0f;
    }
}

// work(first row, rows, padded, two rows of numbers) for pieces of all rows.
template <typename Work>
void over_rows(const Shape& s, Work work) {
    in_parallel((s.rows + kRows - 1) / kRows, s.threads, [&](std::size_t begin, std::size_t end) {
        std::vector<float> padded(s.channels + 2 * s.reach, 0.0f), more(2 * static_cast<std::size_t>(s.channels));
        const std::size_t first = begin * kRows;
        work(first, std::min(end * kRows, s.rows) - first, padded.data() + s.reach, more.data());
    });
}

}  // namespace

void values(const float* x, float* y, const Shape& s) {
    over_rows(s, [&](std::size_t first, std::size_t rows, float* padded, float* more) {
        const std::size_t at = first * s.channels;
        some_values(x + at, y + at, rows, s.channels, s.reach, s.factor, padded, more);
    });
}

void gradient(const float* x, const float* dy, float* dx, const Shape& s) {
    over_rows(s, [&](std::size_t first, std::size_t rows, float* padded, float* more) {
        const std::size_t at = first * s.channels;
        some_gradients(x + at, dy + at, dx + at, rows, s.channels, s.reach, s.factor, padded, more, more + s.channels);
    });
}

}  // namespace tengen::response
