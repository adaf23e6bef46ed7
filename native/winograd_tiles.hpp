// The small transforms of F(4x4, 3x3), eight channels at once; see winograd.hpp for what they are for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "winograd.hpp"

// Compiled twice, with and without AVX2; which one is called is decided when the library is loaded.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define TENGEN_VECTOR_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define TENGEN_VECTOR_CLONES
#endif
#define TENGEN_INLINE inline __attribute__((always_inline))

namespace tengen::winograd {

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

// What a tile covers of its board: points (y0 + y, x0 + x) for y, x in 0 .. side-1, as far as they exist.
struct Window {
    int y0, x0, from_y, to_y, from_x, to_x;

    Window(int tile_y, int tile_x, int margin, int side, int size)
        : y0(4 * tile_y - margin), x0(4 * tile_x - margin), from_y(std::max(0, -y0)),
          to_y(std::min(side, size - y0)), from_x(std::max(0, -x0)), to_x(std::min(side, size - x0)) {}

    bool holds(int y, int x) const { return y >= from_y && y < to_y && x >= from_x && x < to_x; }
};

// Where the points of a tile are, row by row from its corner; those beyond the edge are at `outside`.
template <int kSide, typename Float>
TENGEN_INLINE void locate(Float* boards, Float* outside, int tile, int margin, int size, int channels, Float** points) {
    const int across = tiles_across(size), n = tile / (across * across), at = tile % (across * across);
    const Window w(at / across, at % across, margin, kSide, size);
    Float* board = boards + static_cast<std::ptrdiff_t>(n) * size * size * channels;
    for (int y = 0; y < kSide; ++y)
        for (int x = 0; x < kSide; ++x)
            points[kSide * y + x] =
                w.holds(y, x) ? board + static_cast<std::ptrdiff_t>((w.y0 + y) * size + w.x0 + x) * channels : outside;
}

}  // namespace tengen::winograd
