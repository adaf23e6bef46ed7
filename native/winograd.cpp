#include "winograd.hpp"

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

#include "winograd_tiles.hpp"

namespace tengen::winograd {

namespace {

// One task a thread: `work(first board, one past the last)`.
template <typename Work>
void split(const Shape& shape, Work work) {
    const int threads = std::clamp(shape.threads, 1, std::max(1, shape.count));
    std::vector<std::thread> helpers;
    for (int i = 1; i < threads; ++i)
        helpers.emplace_back(work, shape.count * i / threads, shape.count * (i + 1) / threads);
    work(0, shape.count / threads);
    for (std::thread& helper : helpers) helper.join();
}

// Board to transformed tiles: patches of `side` points beginning `margin` before the tile.
template <typename T, int kMargin, int kSide>
TENGEN_INLINE void gather(const float* boards, float* out, Shape s, int begin, int end) {
    const int across = tiles_across(s.size);
    const std::size_t plane = static_cast<std::size_t>(s.count) * across * across * s.channels;
    Lanes tile[36];
    for (int n = begin; n < end; ++n) {
        const float* board = boards + static_cast<std::size_t>(n) * s.size * s.size * s.channels;
        for (int t = 0; t < across * across; ++t) {
            const Window w(t / across, t % across, kMargin, kSide, s.size);
            float* row = out + (static_cast<std::size_t>(n) * across * across + t) * s.channels;
            for (int c = 0; c < s.channels; c += kLanes) {
                for (Lanes& v : tile) v = Lanes{};
                for (int y = w.from_y; y < w.to_y; ++y)
                    for (int x = w.from_x; x < w.to_x; ++x)
                        tile[6 * y + x] = load(board + ((w.y0 + y) * s.size + w.x0 + x) * s.channels + c);
                square<T>(tile);
                for (int k = 0; k < 36; ++k) store(row + k * plane + c, tile[k]);
            }
        }
    }
}

// Transformed tiles to the board; where tiles overlap (`kAdd`) they are summed onto what is there.
template <typename T, int kMargin, int kSide, bool kAdd>
TENGEN_INLINE void scatter(const float* in, float* boards, Shape s, int begin, int end) {
    const int across = tiles_across(s.size);
    const std::size_t plane = static_cast<std::size_t>(s.count) * across * across * s.channels;
    Lanes tile[36];
    for (int n = begin; n < end; ++n) {
        const std::size_t length = static_cast<std::size_t>(s.size) * s.size * s.channels;
        float* board = boards + n * length;
        if (kAdd) std::fill_n(board, length, 0.0f);
        for (int t = 0; t < across * across; ++t) {
            const Window w(t / across, t % across, kMargin, kSide, s.size);
            const float* row = in + (static_cast<std::size_t>(n) * across * across + t) * s.channels;
            for (int c = 0; c < s.channels; c += kLanes) {
                for (int k = 0; k < 36; ++k) tile[k] = load(row + k * plane + c);
                square<T>(tile);
                for (int y = w.from_y; y < w.to_y; ++y)
                    for (int x = w.from_x; x < w.to_x; ++x) {
                        float* point = board + ((w.y0 + y) * s.size + w.x0 + x) * s.channels + c;
                        store(point, kAdd ? load(point) + tile[6 * y + x] : tile[6 * y + x]);
                    }
            }
        }
    }
}

TENGEN_VECTOR_CLONES void input_part(const float* boards, float* v, Shape s, int begin, int end) {
    gather<BTransposed, 1, 6>(boards, v, s, begin, end);
}

TENGEN_VECTOR_CLONES void input_adjoint_part(const float* dv, float* boards, Shape s, int begin, int end) {
    scatter<B, 1, 6, true>(dv, boards, s, begin, end);
}

TENGEN_VECTOR_CLONES void output_part(const float* m, float* boards, Shape s, int begin, int end) {
    scatter<ATransposed, 0, 4, false>(m, boards, s, begin, end);
}

TENGEN_VECTOR_CLONES void output_adjoint_part(const float* boards, float* dm, Shape s, int begin, int end) {
    gather<A, 0, 4>(boards, dm, s, begin, end);
}

}  // namespace

void input_transform(const float* boards, float* v, Shape shape) {
    split(shape, [=](int begin, int end) { input_part(boards, v, shape, begin, end); });
}

void input_adjoint(const float* dv, float* dboards, Shape shape) {
    split(shape, [=](int begin, int end) { input_adjoint_part(dv, dboards, shape, begin, end); });
}

void output_transform(const float* m, float* boards, Shape shape) {
    split(shape, [=](int begin, int end) { output_part(m, boards, shape, begin, end); });
}

void output_adjoint(const float* dboards, float* dm, Shape shape) {
    split(shape, [=](int begin, int end) { output_adjoint_part(dboards, dm, shape, begin, end); });
}

}  // namespace tengen::winograd
