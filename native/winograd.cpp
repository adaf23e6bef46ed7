#include "winograd.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

#include "winograd_tiles.hpp"

namespace tengen::winograd {

namespace {

constexpr int kRows = 12;                         // tiles are taken in multiples of them
constexpr int kBlock = 2 * kColumns;              // outputs at a time
constexpr std::size_t kRowFloats = 64 << 10;      // of V at a time, for M: half a second-level cache
constexpr std::size_t kGradientFloats = 1 << 18;  // of V at a time, for dU: these may rest in the third level

// out (i, j) = sum over k of a (i, k) * b (k, j), or that added to what is there. Columns come in panels of 16: panel q
// of b begins at b + q * apart, that of out at out + 16 q.
struct Product {
    const float* a;  // (i, k) at a[i * down + k * along]
    std::ptrdiff_t down, along;
    const float* b;  // (k, j) of a panel at b[k * width + j]
    std::ptrdiff_t width, apart;
    int length;
    float* out;  // (i, j) at out[i * stride + j]
    std::ptrdiff_t stride;

    Product from(int row, int panel) const {
        return {a + row * down, down, along, b + panel * apart, width, apart, length, out + row * stride + panel * kColumns, stride};
    }
};

template <int R, int P, bool kAdd>
void multiply_plain(const Product& p) {
    for (int q = 0; q < P; ++q)
        for (int i = 0; i < R; ++i) {
            const float *a = p.a + i * p.down, *b = p.b + q * p.apart;
            float *out = p.out + i * p.stride + q * kColumns, sums[kColumns] = {};
            for (int k = 0; k < p.length; ++k)
                for (int j = 0; j < kColumns; ++j) sums[j] += a[k * p.along] * b[k * p.width + j];
            for (int j = 0; j < kColumns; ++j) out[j] = sums[j] + (kAdd ? out[j] : 0.0f);
        }
}

#if defined(__x86_64__) && defined(__GNUC__)
// In assembly, since compilers run out of the sixteen registers and keep sums in memory.
template <int R, int P, bool kAdd>
__attribute__((target("avx2,fma"))) void multiply_avx2(const Product& p) {
    static_assert(R <= 6 && P == 1);
    Lanes s0{}, t0{}, s1{}, t1{}, s2{}, t2{}, s3{}, t3{}, s4{}, t4{}, s5{}, t5{}, x;
    const float *a = p.a, *b = p.b;
#pragma GCC unroll 4
    for (int k = 0; k < p.length; ++k, a += p.along, b += p.width) {
        const Lanes first = load(b), second = load(b + kLanes);
#define TENGEN_ROW(i)                                                                                     \
    if constexpr (R > i)                                                                                  \
        asm("vbroadcastss %[a], %[x]\n\tvfmadd231ps %[b], %[x], %[s]\n\tvfmadd231ps %[c], %[x], %[t]"     \
            : [s] "+x"(s##i), [t] "+x"(t##i), [x] "=&x"(x)                                                \
            : [a] "m"(a[i * p.down]), [b] "x"(first), [c] "x"(second))
        TENGEN_ROW(0);
        TENGEN_ROW(1);
        TENGEN_ROW(2);
        TENGEN_ROW(3);
        TENGEN_ROW(4);
        TENGEN_ROW(5);
#undef TENGEN_ROW
    }
#define TENGEN_STORE(i)                                                       \
    if constexpr (R > i) {                                                    \
        float* out = p.out + i * p.stride;                                    \
        store(out, kAdd ? s##i + load(out) : s##i);                           \
        store(out + kLanes, kAdd ? t##i + load(out + kLanes) : t##i);         \
    }
    TENGEN_STORE(0)
    TENGEN_STORE(1)
    TENGEN_STORE(2)
    TENGEN_STORE(3)
    TENGEN_STORE(4)
    TENGEN_STORE(5)
#undef TENGEN_STORE
}

// Twelve rows of two panels: 24 of the 32 registers hold sums.
template <int R, int P, bool kAdd>
__attribute__((target("avx512f"))) void multiply_avx512(const Product& p) {
    __m512 sums[R][P];
    for (int i = 0; i < R; ++i)
        for (int q = 0; q < P; ++q) sums[i][q] = _mm512_setzero_ps();
    const float *a = p.a, *b = p.b;
    for (int k = 0; k < p.length; ++k, a += p.along, b += p.width) {
        __m512 row[P];
        for (int q = 0; q < P; ++q) row[q] = _mm512_loadu_ps(b + q * p.apart);
#pragma GCC unroll 12
        for (int i = 0; i < R; ++i) {
            const __m512 x = _mm512_set1_ps(a[i * p.down]);
            for (int q = 0; q < P; ++q) sums[i][q] = _mm512_fmadd_ps(x, row[q], sums[i][q]);
        }
    }
    for (int i = 0; i < R; ++i)
        for (int q = 0; q < P; ++q) {
            float* out = p.out + i * p.stride + q * kColumns;
            _mm512_storeu_ps(out, kAdd ? _mm512_add_ps(sums[i][q], _mm512_loadu_ps(out)) : sums[i][q]);
        }
}
#endif

using Multiply = void (*)(const Product&);

// How a product of any size is cut: `most_rows` rows of `most_panels` panels at once, less at the ends.
struct Multipliers {
    int most_rows, most_panels;
    const Multiply* of;  // of[(panels - 1) * most_rows + rows - 1]

    void operator()(const Product& p, int rows, int panels) const {
        for (int panel = 0; panel < panels; panel += most_panels)
            for (int row = 0; row < rows; row += most_rows)
                of[(std::min(most_panels, panels - panel) - 1) * most_rows + std::min(most_rows, rows - row) - 1](p.from(row, panel));
    }
};

#define TENGEN_SIX(name, P) name<1, P, kAdd>, name<2, P, kAdd>, name<3, P, kAdd>, name<4, P, kAdd>, name<5, P, kAdd>, name<6, P, kAdd>
#define TENGEN_TWELVE(name, P)                                                                                             \
    TENGEN_SIX(name, P), name<7, P, kAdd>, name<8, P, kAdd>, name<9, P, kAdd>, name<10, P, kAdd>, name<11, P, kAdd>, \
        name<12, P, kAdd>

// The fastest that this processor has. Sums are written, or added to what is there.
template <bool kAdd>
const Multipliers& multipliers() {
    static constexpr Multiply plain[] = {TENGEN_SIX(multiply_plain, 1)};
#if defined(__x86_64__) && defined(__GNUC__)
    static constexpr Multiply avx2[] = {TENGEN_SIX(multiply_avx2, 1)};
    static constexpr Multiply avx512[] = {TENGEN_TWELVE(multiply_avx512, 1), TENGEN_TWELVE(multiply_avx512, 2)};
    static const Multipliers best =
        __builtin_cpu_supports("avx512f")                                    ? Multipliers{12, 2, avx512}
        : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? Multipliers{6, 1, avx2}
                                                                             : Multipliers{6, 1, plain};
#else
    static const Multipliers best{6, 1, plain};
#endif
    return best;
}

#undef TENGEN_TWELVE
#undef TENGEN_SIX

// Tiles `begin` .. `end` of all.
struct Part {
    int begin, end;
    int size;
};

// Boards to transformed tiles [36][tiles][width]. nothing: zeros [channels].
template <typename T, int kMargin>
TENGEN_INLINE void fill(const float* boards, int channels, const float* nothing, Part part, int width, float* tiles) {
    constexpr int kSide = T::kIn;
    const std::ptrdiff_t plane = static_cast<std::ptrdiff_t>(part.end - part.begin) * width;
    const float* from[kSide * kSide];
    Lanes tile[6 * kSide];
    for (int t = part.begin; t < part.end; ++t, tiles += width) {
        locate<kSide>(boards, nothing, t, kMargin, part.size, channels, from);
        for (int c = 0; c < channels; c += kLanes) {
            for (int x = 0; x < kSide; ++x) {
                Lanes column[6];
                for (int y = 0; y < kSide; ++y) column[y] = load(from[kSide * y + x] + c);
                T::apply(column, column, 1);
                for (int y = 0; y < 6; ++y) tile[kSide * y + x] = column[y];
            }
            for (int y = 0; y < 6; ++y) {
                Lanes line[6];
                T::apply(tile + kSide * y, line, 1);
                for (int x = 0; x < 6; ++x) store(tiles + (6 * y + x) * plane + c, line[x]);
            }
        }
    }
}

TENGEN_VECTOR_CLONES void fill_inputs(const float* x, int channels, const float* nothing, Part part, int width, float* v) {
    fill<BTransposed, 1>(x, channels, nothing, part, width, v);
}

TENGEN_VECTOR_CLONES void fill_gradients(const float* dy, int channels, const float* nothing, Part part, int width, float* dm) {
    fill<A, 0>(dy, channels, nothing, part, width, dm);
}

// m [36][tiles][kBlock] to the outputs `first` .. `last` of the boards; what is beyond the edge goes to `nowhere`.
TENGEN_VECTOR_CLONES void finish(const float* m, Part part, int outputs, int first, int last, const float* bias,
                                 float* nowhere, float* boards) {
    const std::ptrdiff_t plane = static_cast<std::ptrdiff_t>(part.end - part.begin) * kBlock;
    float* to[16];
    Lanes tile[4 * 6];
    for (int t = part.begin; t < part.end; ++t, m += kBlock) {
        locate<4>(boards, nowhere, t, 0, part.size, outputs, to);
        for (int c = first; c < last; c += kLanes) {
            for (int x = 0; x < 6; ++x) {
                Lanes column[6];
                for (int y = 0; y < 6; ++y) column[y] = load(m + (6 * y + x) * plane + c - first);
                ATransposed::apply(column, column, 1);
                for (int y = 0; y < 4; ++y) tile[6 * y + x] = column[y];
            }
            for (int y = 0; y < 4; ++y) {
                Lanes line[4];
                ATransposed::apply(tile + 6 * y, line, 1);
                for (int x = 0; x < 4; ++x) store(to[4 * y + x] + c, line[x] + load(bias + c));
            }
        }
    }
}

// All tiles, some at a time: work(thread, part) until all are done.
template <typename Work>
void share(const Shape& s, int at_once, int threads, Work work) {
    const int tiles = s.count * tiles_across(s.size) * tiles_across(s.size);
    std::atomic<int> next = 0;
    const auto run = [&](int thread) {
        for (int begin; (begin = next.fetch_add(at_once)) < tiles;)
            work(thread, Part{begin, std::min(begin + at_once, tiles), s.size});
    };
    std::vector<std::jthread> others;
    for (int t = 1; t < threads; ++t) others.emplace_back(run, t);
    run(0);
}

std::unique_ptr<float[]> floats(std::size_t count) { return std::make_unique_for_overwrite<float[]>(count); }

}  // namespace

void convolve(const float* x, const float* u, const float* bias, float* y, const Shape& s) {
    const int at_once = std::clamp(static_cast<int>(kRowFloats / (36 * s.inputs)) / kRows * kRows, kRows, 16 * kRows);
    const int threads = std::max(1, s.threads), padded = panels(s.outputs) * kColumns;
    const std::size_t rows_length = static_cast<std::size_t>(36) * at_once * s.inputs, sums_length = 36u * at_once * kBlock;
    const std::size_t length = rows_length + sums_length + s.outputs;
    const std::unique_ptr<float[]> space = floats(threads * length);
    const std::vector<float> zeros(std::max(s.inputs, s.outputs), 0.0f);
    const Multipliers& multiply = multipliers<false>();
    share(s, at_once, threads, [&](int thread, Part part) {
        float* v = space.get() + thread * length;
        float* m = v + rows_length;
        const int rows = part.end - part.begin;
        fill_inputs(x, s.inputs, zeros.data(), part, s.inputs, v);
        for (int first = 0; first < s.outputs; first += kBlock) {
            const int last = std::min(first + kBlock, padded);
            for (int p = 0; p < 36; ++p) {
                const std::size_t panel = static_cast<std::size_t>(p) * panels(s.outputs) + first / kColumns;
                const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(p) * rows;
                multiply({v + at * s.inputs, s.inputs, 1, u + panel * s.inputs * kColumns, kColumns, s.inputs * kColumns,
                          s.inputs, m + at * kBlock, kBlock},
                         rows, (last - first) / kColumns);
            }
            finish(m, part, s.outputs, first, std::min(last, s.outputs), bias ? bias : zeros.data(), m + sums_length, y);
        }
    });
}

void kernel_gradient(const float* x, const float* dy, float* du, const Shape& s) {
    const int at_once = std::max<int>(kGradientFloats / (36 * s.inputs), 1);
    const int threads = std::max(1, s.threads), padded = panels(s.outputs) * kColumns;
    const std::size_t v_length = static_cast<std::size_t>(36) * at_once * s.inputs;
    const std::size_t m_length = static_cast<std::size_t>(36) * at_once * padded;
    const std::size_t sums_length = static_cast<std::size_t>(36) * s.inputs * padded;
    const std::unique_ptr<float[]> space = floats(threads * (v_length + m_length));
    if (padded > s.outputs) std::fill_n(space.get(), threads * (v_length + m_length), 0.0f);
    std::vector<float> sums((threads - 1) * sums_length, 0.0f);  // of the other threads
    const std::vector<float> zeros(std::max(s.inputs, s.outputs), 0.0f);
    std::fill_n(du, sums_length, 0.0f);
    const Multipliers& multiply = multipliers<true>();
    share(s, at_once, threads, [&](int thread, Part part) {
        float* v = space.get() + thread * (v_length + m_length);
        float* dm = v + v_length;
        float* sum = thread ? sums.data() + (thread - 1) * sums_length : du;
        const int rows = part.end - part.begin;
        fill_inputs(x, s.inputs, zeros.data(), part, s.inputs, v);
        fill_gradients(dy, s.outputs, zeros.data(), part, padded, dm);
        for (int p = 0; p < 36; ++p) {
            const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(p) * rows;
            multiply({v + at * s.inputs, 1, s.inputs, dm + at * padded, padded, kColumns, rows,
                      sum + static_cast<std::ptrdiff_t>(p) * s.inputs * padded, padded},
                     s.inputs, panels(s.outputs));
        }
    });
    for (int t = 1; t < threads; ++t)
        for (std::size_t i = 0; i < sums_length; ++i) du[i] += sums[(t - 1) * sums_length + i];
}

}  // namespace tengen::winograd
