#include "winograd.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <thread>
#include <vector>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define TENGEN_VECTOR_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define TENGEN_VECTOR_CLONES
#endif
#define TENGEN_INLINE inline __attribute__((always_inline))

namespace tengen::winograd {

namespace {

// Eight channels at once; memory holds them unaligned.
typedef float Lanes __attribute__((vector_size(4 * kLanes)));

TENGEN_INLINE Lanes load(const float* p) {
    Lanes v;
    std::memcpy(&v, p, sizeof v);
    return v;
}

TENGEN_INLINE void store(float* p, Lanes v) { std::memcpy(p, &v, sizeof v); }

// The one-dimensional transforms, from elements `step` apart to elements `step` apart.
struct BTransposed {  // 6 -> 6
    static constexpr int kIn = 6, kOut = 6;
    TENGEN_INLINE static void apply(const Lanes* d, Lanes* out, int step) {
        const Lanes d0 = d[0], d1 = d[step], d2 = d[2 * step], d3 = d[3 * step], d4 = d[4 * step], d5 = d[5 * step];
        const Lanes a = d4 - 4.0f * d2, b = d3 - 4.0f * d1, c = d4 - d2, e = 2.0f * (d3 - d1);
        out[0] = 4.0f * d0 - 5.0f * d2 + d4;
        out[step] = a + b;
        out[2 * step] = a - b;
        out[3 * step] = c + e;
        out[4 * step] = c - e;
        out[5 * step] = 4.0f * d1 - 5.0f * d3 + d5;
    }
};

struct B {  // its adjoint
    static constexpr int kIn = 6, kOut = 6;
    TENGEN_INLINE static void apply(const Lanes* v, Lanes* out, int step) {
        const Lanes v0 = v[0], v1 = v[step], v2 = v[2 * step], v3 = v[3 * step], v4 = v[4 * step], v5 = v[5 * step];
        const Lanes s = v1 + v2, d = v1 - v2, t = v3 + v4, e = 2.0f * (v3 - v4);
        out[0] = 4.0f * v0;
        out[step] = 4.0f * v5 - 4.0f * d - e;
        out[2 * step] = -5.0f * v0 - 4.0f * s - t;
        out[3 * step] = d + e - 5.0f * v5;
        out[4 * step] = v0 + s + t;
        out[5 * step] = v5;
    }
};

struct ATransposed {  // 6 -> 4
    static constexpr int kIn = 6, kOut = 4;
    TENGEN_INLINE static void apply(const Lanes* m, Lanes* out, int step) {
        const Lanes m0 = m[0], m1 = m[step], m2 = m[2 * step], m3 = m[3 * step], m4 = m[4 * step], m5 = m[5 * step];
        const Lanes s = m1 + m2, d = m1 - m2, t = m3 + m4, e = m3 - m4;
        out[0] = m0 + s + t;
        out[step] = d + 2.0f * e;
        out[2 * step] = s + 4.0f * t;
        out[3 * step] = d + 8.0f * e + m5;
    }
};

struct A {  // its adjoint: 4 -> 6
    static constexpr int kIn = 4, kOut = 6;
    TENGEN_INLINE static void apply(const Lanes* y, Lanes* out, int step) {
        const Lanes y0 = y[0], y1 = y[step], y2 = y[2 * step], y3 = y[3 * step];
        const Lanes even = y0 + y2, odd = y1 + y3, far = y0 + 4.0f * y2, side = 2.0f * y1 + 8.0f * y3;
        out[0] = y0;
        out[step] = even + odd;
        out[2 * step] = even - odd;
        out[3 * step] = far + side;
        out[4 * step] = far - side;
        out[5 * step] = y3;
    }
};

// A tile as a 6x6 square in registers or cache: T applied to its columns, then to its rows.
template <typename T>
TENGEN_INLINE void square(Lanes* tile) {
    for (int x = 0; x < T::kIn; ++x) T::apply(tile + x, tile + x, 6);
    for (int y = 0; y < T::kOut; ++y) T::apply(tile + 6 * y, tile + 6 * y, 1);
}

// What a tile covers of its board: points (y0 + y, x0 + x) for y, x in 0 .. side-1, as far as they exist.
struct Window {
    int y0, x0, from_y, to_y, from_x, to_x;

    Window(int tile_y, int tile_x, int margin, int side, int size)
        : y0(4 * tile_y - margin), x0(4 * tile_x - margin), from_y(std::max(0, -y0)),
          to_y(std::min(side, size - y0)), from_x(std::max(0, -x0)), to_x(std::min(side, size - x0)) {}
};

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
