#include "norm_relu.hpp"

#include <algorithm>
#include <vector>

#include "parallel.hpp"
#include "wide.hpp"

namespace tengen::norm_relu {

namespace {

constexpr std::size_t kRows = 64;    // in single precision; they stay in the first cache between two sums
constexpr std::size_t kPieces = 64;  // of all rows, at most: each has sums of its own

struct Sums {
    std::vector<double> first, second;  // of each channel
};

// first += sum of x - pivot, second += sum of its square, over rows of one block.
TENGEN_WIDE_CLONES void add_statistics(const float* __restrict x, const float* __restrict pivot, std::size_t rows, int channels,
                                       float* __restrict one, float* __restrict two) {
    for (std::size_t r = 0; r < rows; ++r, x += channels)
        for (int c = 0; c < channels; ++c) {
            const float d = x[c] - pivot[c];
            one[c] += d;
            two[c] += d * d;
        }
}

TENGEN_WIDE_CLONES void add_gradients(const float* __restrict x, const float* __restrict dy, const float* __restrict scale,
                                      const float* __restrict shift, const float* __restrict mean, std::size_t rows,
                                      int channels, float* __restrict one, float* __restrict two) {
    for (std::size_t r = 0; r < rows; ++r, x += channels, dy += channels)
        for (int c = 0; c < channels; ++c) {
            const float g = scale[c] * x[c] + shift[c] > 0 ? dy[c] : 0.0f;
            one[c] += g;
            two[c] += g * (x[c] - mean[c]);
        }
}

TENGEN_WIDE_CLONES void some_values(const float* __restrict x, const float* __restrict scale, const float* __restrict shift,
                                    std::size_t rows, int channels, float* __restrict y) {
    for (std::size_t r = 0; r < rows; ++r, x += channels, y += channels)
        for (int c = 0; c < channels; ++c) {
            const float z = scale[c] * x[c] + shift[c];
            y[c] = z > 0 ? z : 0.0f;
        }
}

TENGEN_WIDE_CLONES void some_gradients(const float* __restrict x, const float* __restrict dy, const float* __restrict scale,
                                       const float* __restrict shift, const float* __restrict own,
                                       const float* __restrict along, const float* __restrict all, std::size_t rows,
                                       int channels, float* __restrict dx) {
    for (std::size_t r = 0; r < rows; ++r, x += channels, dy += channels, dx += channels)
        for (int c = 0; c < channels; ++c) {
            const float g = scale[c] * x[c] + shift[c] > 0 ? dy[c] : 0.0f;
            dx[c] = g * own[c] + x[c] * along[c] + all[c];
        }
}

std::size_t piece_rows(std::size_t rows) { return std::max(kRows, (rows + kPieces - 1) / kPieces); }

// add(first row, rows, one, two) for blocks of rows; the sums of `one` and `two` over all of them.
template <typename Add>
Sums sums_of(const Shape& s, Add add) {
    const std::size_t piece = piece_rows(s.rows), pieces = (s.rows + piece - 1) / piece, channels = s.channels;
    std::vector<Sums> parts(pieces);
    in_parallel(pieces, s.threads, [&](std::size_t begin, std::size_t end) {
        std::vector<float> one(channels), two(channels);
        for (std::size_t p = begin; p < end; ++p) {
            Sums& sums = parts[p];
            sums.first.assign(channels, 0.0);
            sums.second.assign(channels, 0.0);
            const std::size_t last = std::min((p + 1) * piece, s.rows);
            for (std::size_t row = p * piece; row < last; row += kRows) {
                std::fill(one.begin(), one.end(), 0.0f);
                std::fill(two.begin(), two.end(), 0.0f);
                add(row, std::min(kRows, last - row), one.data(), two.data());
                for (std::size_t c = 0; c < channels; ++c) {
                    sums.first[c] += one[c];
                    sums.second[c] += two[c];
                }
            }
        }
    });
    Sums total{std::vector<double>(channels, 0.0), std::vector<double>(channels, 0.0)};
    for (const Sums& part : parts)
        for (std::size_t c = 0; c < channels; ++c) {
            total.first[c] += part.first[c];
            total.second[c] += part.second[c];
        }
    return total;
}

// work(first row, rows) for pieces of all rows.
template <typename Work>
void over_rows(const Shape& s, Work work) {
    const std::size_t piece = piece_rows(s.rows);
    in_parallel((s.rows + piece - 1) / piece, s.threads, [&](std::size_t begin, std::size_t end) {
        work(begin * piece, std::min(end * piece, s.rows) - begin * piece);
    });
}

}  // namespace

void statistics(const float* x, double* mean, double* variance, const Shape& s) {
    // The first row is near enough to the mean that the sum of squares keeps its digits.
    const Sums sums = sums_of(s, [&](std::size_t row, std::size_t rows, float* one, float* two) {
        add_statistics(x + row * s.channels, x, rows, s.channels, one, two);
    });
    for (int c = 0; c < s.channels; ++c) {
        const double off = sums.first[c] / s.rows;
        mean[c] = x[c] + off;
        variance[c] = std::max(0.0, sums.second[c] / s.rows - off * off);
    }
}

void values(const float* x, const float* scale, const float* shift, float* y, const Shape& s) {
    over_rows(s, [&](std::size_t row, std::size_t rows) {
        some_values(x + row * s.channels, scale, shift, rows, s.channels, y + row * s.channels);
    });
}

void gradient_sums(const float* x, const float* dy, const float* scale, const float* shift, const float* mean, double* sum,
                   double* product, const Shape& s) {
    const Sums sums = sums_of(s, [&](std::size_t row, std::size_t rows, float* one, float* two) {
        const std::size_t at = row * s.channels;
        add_gradients(x + at, dy + at, scale, shift, mean, rows, s.channels, one, two);
    });
    std::copy(sums.first.begin(), sums.first.end(), sum);
    std::copy(sums.second.begin(), sums.second.end(), product);
}

void gradient(const float* x, const float* dy, const float* scale, const float* shift, const float* own,
              const float* along, const float* all, float* dx, const Shape& s) {
    over_rows(s, [&](std::size_t row, std::size_t rows) {
        const std::size_t at = row * s.channels;
        some_gradients(x + at, dy + at, scale, shift, own, along, all, rows, s.channels, dx + at);
    });
}

}  // namespace tengen::norm_relu
