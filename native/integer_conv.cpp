#include "integer_conv.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <stdexcept>

#include "team.hpp"
#include "winograd_tiles.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

namespace tengen {

namespace {

using winograd::kLanes;
using winograd::Lanes;
using winograd::load;
using winograd::store;

typedef std::int32_t Integers __attribute__((vector_size(4 * kLanes)));
typedef std::int16_t Shorts __attribute__((vector_size(2 * kLanes)));

constexpr double kGreatest = 32767;
constexpr double kInputShare = 4;  // how many times finer inputs are divided than kernels, which fill their range better
constexpr std::size_t kRowBytes = 256 << 10;  // of transformed inputs at a time: half a second-level cache
constexpr int kBlock = 32;                    // outputs at a time

// 1.5 * 2^23: a float of that size has no bits for fractions, so adding it rounds; the integer is in the low bits.
constexpr float kWhole = 12582912.0f;
constexpr std::int32_t kWholeBits = 0x4B400000;

TENGEN_INLINE Integers bits_of(Lanes v) {
    Integers bits;
    std::memcpy(&bits, &v, sizeof bits);
    return bits;
}

TENGEN_INLINE Integers rounded(Lanes v) { return bits_of(v + kWhole) - kWholeBits; }

// The integers nearest to v * scale.
TENGEN_INLINE void store_shorts(std::int16_t* p, Lanes v, float scale) {
    typedef std::int16_t Halves __attribute__((vector_size(4 * kLanes)));
    const Halves halves = reinterpret_cast<Halves>(v * scale + kWhole);
    const Shorts low = __builtin_shufflevector(halves, halves, 0, 2, 4, 6, 8, 10, 12, 14);
    std::memcpy(p, &low, sizeof low);
}

TENGEN_INLINE Lanes load_sums(const std::int32_t* p) {
    Integers v;
    std::memcpy(&v, p, sizeof v);
    return __builtin_convertvector(v, Lanes);
}

TENGEN_INLINE Lanes larger(Lanes a, Lanes b) { return a > b ? a : b; }
TENGEN_INLINE Lanes smaller(Lanes a, Lanes b) { return a < b ? a : b; }
TENGEN_INLINE Lanes magnitude(Lanes v) { return larger(v, -v); }
TENGEN_INLINE Lanes all(float v) { return Lanes{} + v; }

TENGEN_INLINE float greatest_of(Lanes v) {
    float most = v[0];
    for (int i = 1; i < kLanes; ++i) most = std::max(most, v[i]);
    return most;
}

// e^x for x in -87 .. 87: 2^k by the exponent's bits, the rest by its series.
TENGEN_INLINE Lanes exponential(Lanes x) {
    const Integers k = rounded(x * 1.44269504f);
    const Lanes whole = __builtin_convertvector(k, Lanes);
    const Lanes r = x - whole * 0.693359375f + whole * 2.12194440e-4f;  // x - k ln 2, in two parts
    Lanes sum = all(1.0f / 5040);
    sum = sum * r + 1.0f / 720;
    sum = sum * r + 1.0f / 120;
    sum = sum * r + 1.0f / 24;
    sum = sum * r + 1.0f / 6;
    sum = sum * r + 0.5f;
    sum = sum * r + 1.0f;
    sum = sum * r + 1.0f;
    const Integers bits = (k + 127) << 23;
    Lanes power;
    std::memcpy(&power, &bits, sizeof power);
    return sum * power;
}

TENGEN_INLINE Lanes activate(Lanes x, Activation kind) {
    switch (kind) {
    case Activation::kRelu: return larger(x, Lanes{});
    case Activation::kMish: {
        // x tanh(log(1 + e^x)) = x n / (n + 2), n = e^2x + 2 e^x; beyond 20 it is x to the last bit.
        const Lanes e = exponential(larger(smaller(x, all(20.0f)), all(-40.0f)));
        const Lanes n = e * e + 2.0f * e;
        return x * (n / (n + 2.0f));
    }
    case Activation::kIdentity: break;
    }
    return x;
}

// G of F(4x4, 3x3), to the B and A of winograd_tiles.hpp.
constexpr double kFilter[6][3] = {{1.0 / 4, 0, 0},
                                  {-1.0 / 6, -1.0 / 6, -1.0 / 6},
                                  {-1.0 / 6, 1.0 / 6, -1.0 / 6},
                                  {1.0 / 24, 1.0 / 12, 1.0 / 6},
                                  {1.0 / 24, -1.0 / 12, 1.0 / 6},
                                  {0, 0, 1}};
// Sums of what is above and below zero in each row of B'.
constexpr double kAbove[6] = {5, 2, 5, 3, 3, 5}, kBelow[6] = {5, 8, 5, 3, 3, 5};

// The greatest transformed input at position (i, j), if none of the inputs is greater than 1.
double bound(int i, int j, bool positive) {
    if (!positive) return (kAbove[i] + kBelow[i]) * (kAbove[j] + kBelow[j]);
    return std::max(kAbove[i] * kAbove[j] + kBelow[i] * kBelow[j], kAbove[i] * kBelow[j] + kBelow[i] * kAbove[j]);
}

// The kernels at one position of the transform, [inputs * outputs], from weight [kernel, kernel, inputs * outputs].
void transform_kernel(const float* weight, int kernel, int position, std::size_t length, float* out) {
    if (kernel == 1) {
        std::copy_n(weight, length, out);
        return;
    }
    std::fill_n(out, length, 0.0f);
    for (int y = 0; y < 3; ++y)
        for (int x = 0; x < 3; ++x) {
            const double factor = kFilter[position / 6][y] * kFilter[position % 6][x];
            if (factor == 0) continue;
            for (std::size_t i = 0; i < length; ++i)
                out[i] += static_cast<float>(factor * weight[(y * 3 + x) * length + i]);
        }
}

// Sums of products: rows [R][pairs][2] with `stride` between rows, times a panel [pairs][16][2], to sums [R][16] with
// `block` between rows.
struct Product {
    const std::int16_t* rows;
    std::ptrdiff_t stride;
    const std::int16_t* panel;
    int pairs;
    std::int32_t* sums;
    std::ptrdiff_t block;
};

template <int R>
void multiply_plain(const Product& p) {
    for (int i = 0; i < R; ++i) {
        std::int32_t sums[16] = {};
        for (int k = 0; k < p.pairs; ++k) {
            const std::int32_t a = p.rows[i * p.stride + 2 * k], b = p.rows[i * p.stride + 2 * k + 1];
            for (int j = 0; j < 16; ++j) sums[j] += a * p.panel[32 * k + 2 * j] + b * p.panel[32 * k + 2 * j + 1];
        }
        std::memcpy(p.sums + i * p.block, sums, sizeof sums);
    }
}

#if defined(__x86_64__) && defined(__GNUC__)
// In assembly, since compilers run out of the sixteen registers and keep sums in memory, at half the speed.
#define TENGEN_AVX2 __attribute__((target("avx2")))
template <int R>
TENGEN_AVX2 void multiply_avx2(const Product& p) {
    typedef std::int32_t Register __attribute__((vector_size(32)));
    typedef std::int32_t Pair __attribute__((may_alias));
    Register s0{}, t0{}, s1{}, t1{}, s2{}, t2{}, s3{}, t3{}, s4{}, t4{}, s5{}, t5{}, x, y;
    const std::int16_t *rows = p.rows, *panel = p.panel;
#pragma GCC unroll 4
    for (int k = 0; k < p.pairs; ++k, rows += 2, panel += 32) {
        Register first, second;
        std::memcpy(&first, panel, sizeof first);
        std::memcpy(&second, panel + 16, sizeof second);
#define TENGEN_ROW(i)                                                                                     \
    if constexpr (R > i)                                                                                  \
        asm("vpbroadcastd %[pair], %[x]\n\tvpmaddwd %[a], %[x], %[y]\n\tvpmaddwd %[b], %[x], %[x]\n\t"    \
            "vpaddd %[y], %[s], %[s]\n\tvpaddd %[x], %[t], %[t]"                                          \
            : [s] "+x"(s##i), [t] "+x"(t##i), [x] "=&x"(x), [y] "=&x"(y)                                  \
            : [pair] "m"(*reinterpret_cast<const Pair*>(rows + i * p.stride)), [a] "x"(first), [b] "x"(second))
        TENGEN_ROW(0);
        TENGEN_ROW(1);
        TENGEN_ROW(2);
        TENGEN_ROW(3);
        TENGEN_ROW(4);
        TENGEN_ROW(5);
#undef TENGEN_ROW
    }
#define TENGEN_STORE(i)                                             \
    if constexpr (R > i) {                                          \
        std::memcpy(p.sums + i * p.block, &s##i, sizeof s##i);      \
        std::memcpy(p.sums + i * p.block + 8, &t##i, sizeof t##i);  \
    }
    TENGEN_STORE(0)
    TENGEN_STORE(1)
    TENGEN_STORE(2)
    TENGEN_STORE(3)
    TENGEN_STORE(4)
    TENGEN_STORE(5)
#undef TENGEN_STORE
}

// A row of a panel fills one register, and a pair of 16-bit products is multiplied and added by one instruction. So fast
// are kernels used up that they have to be fetched ahead: those of a large net come from main memory.
#define TENGEN_VNNI __attribute__((target("avx512f,avx512vnni")))
constexpr int kAhead = 48 * 32;  // 3 kB
template <int R>
TENGEN_VNNI void multiply_vnni(const Product& p) {
    __m512i sums[R];
    for (int i = 0; i < R; ++i) sums[i] = _mm512_setzero_si512();
    const std::int16_t *rows = p.rows, *panel = p.panel;
    for (int k = 0; k < p.pairs; ++k, rows += 2, panel += 32) {
        const __m512i columns = _mm512_loadu_si512(panel);
        _mm_prefetch(reinterpret_cast<const char*>(panel + kAhead), _MM_HINT_T0);
        for (int i = 0; i < R; ++i) {
            std::int32_t pair;
            std::memcpy(&pair, rows + i * p.stride, sizeof pair);
            sums[i] = _mm512_dpwssd_epi32(sums[i], columns, _mm512_set1_epi32(pair));
        }
    }
    for (int i = 0; i < R; ++i) _mm512_storeu_si512(p.sums + i * p.block, sums[i]);
}
#endif

using Multiply = void (*)(const Product&);

// `of[R - 1]` multiplies R rows, at most `rows`.
struct Multipliers {
    int rows;
    const Multiply* of;
};

constexpr int kRows = 6;
// Each row is one register, and two products a cycle that take five cycles want ten rows or more at a time; 13 is half
// of the 25 tiles of a 19x19 board.
constexpr int kVnniRows = 13;

const Multipliers& multipliers() {
    static constexpr Multiply plain[kRows] = {multiply_plain<1>, multiply_plain<2>, multiply_plain<3>,
                                              multiply_plain<4>, multiply_plain<5>, multiply_plain<6>};
#if defined(__x86_64__) && defined(__GNUC__)
    static constexpr Multiply avx2[kRows] = {multiply_avx2<1>, multiply_avx2<2>, multiply_avx2<3>,
                                             multiply_avx2<4>, multiply_avx2<5>, multiply_avx2<6>};
    static constexpr Multiply vnni[kVnniRows] = {
        multiply_vnni<1>, multiply_vnni<2>, multiply_vnni<3>, multiply_vnni<4>,  multiply_vnni<5>,  multiply_vnni<6>, multiply_vnni<7>,
        multiply_vnni<8>, multiply_vnni<9>, multiply_vnni<10>, multiply_vnni<11>, multiply_vnni<12>, multiply_vnni<13>};
    static const Multipliers best = __builtin_cpu_supports("avx512vnni") ? Multipliers{kVnniRows, vnni}
                                    : __builtin_cpu_supports("avx2")     ? Multipliers{kRows, avx2}
                                                                         : Multipliers{kRows, plain};
#else
    static const Multipliers best{kRows, plain};
#endif
    return best;
}

using Part = IntegerConv::Rows;

// nothing: zeros for points beyond the edge, [channels]; plane: between the positions of a tile in `rows`.
TENGEN_VECTOR_CLONES void fill_tiles(const float* boards, const float* greatest, int channels, const float* stretch,
                                     const float* nothing, Part part, std::ptrdiff_t plane, std::int16_t* rows) {
    const int size = part.size, tiles = winograd::tiles_across(size) * winograd::tiles_across(size);
    const float* from[36];
    float scaled[36];
    Lanes tile[36];
    for (int t = part.begin; t < part.end; ++t, rows += channels) {
        const float most = greatest[t / tiles];
        winograd::locate<6>(boards, nothing, t, 1, size, channels, from);
        for (int k = 0; k < 36; ++k) scaled[k] = most > 0 ? stretch[k] / most : 0;
        for (int c = 0; c < channels; c += kLanes) {
            for (int x = 0; x < 6; ++x) {
                Lanes column[6];
                for (int y = 0; y < 6; ++y) {
                    column[y] = load(from[6 * y + x] + c);
                    __builtin_prefetch(from[6 * y + x] + c + 4 * channels);  // of the next tile
                }
                winograd::BTransposed::apply(column, column, 1);
                for (int y = 0; y < 6; ++y) tile[6 * y + x] = column[y];
            }
            for (int y = 0; y < 6; ++y) {
                Lanes line[6];
                winograd::BTransposed::apply(tile + 6 * y, line, 1);
                for (int x = 0; x < 6; ++x) store_shorts(rows + (6 * y + x) * plane + c, line[x], scaled[6 * y + x]);
            }
        }
    }
}

TENGEN_VECTOR_CLONES void fill_points(const float* boards, const float* greatest, int channels, float stretch, Part part,
                                      std::int16_t* rows) {
    const int points = part.size * part.size;
    for (int t = part.begin; t < part.end; ++t) {
        const float most = greatest[t / points], unit = most > 0 ? stretch / most : 0;
        for (int c = 0; c < channels; c += kLanes, rows += kLanes)
            store_shorts(rows, load(boards + static_cast<std::ptrdiff_t>(t) * channels + c), unit);
    }
}

// At the channel c of a point.
template <Finish::Kind kKind>
TENGEN_INLINE Lanes put(float* out, Lanes y, const Finish& finish, int c) {
    if constexpr (kKind == Finish::Kind::kActivate) {
        const Lanes z = activate(y + load(finish.bias + c), finish.activation);
        store(out, z);
        return magnitude(z);
    }
    store(out, kKind == Finish::Kind::kAdd ? load(out) + y : y);
    return Lanes{};
}

// Sums of some rows, [positions][rows][kBlock], for the outputs from `first` to `last`; scale and greatest are those of
// all outputs and boards.
struct Sums {
    const std::int32_t* sums;
    const float *scale, *greatest;
    Part part;
    int outputs, first, last;
};

// What lies beyond the edge goes to `nowhere` [outputs]; that it may raise `greatest` does no harm.
template <Finish::Kind kKind>
TENGEN_INLINE void finish_tiles(const Sums& s, const Finish& finish, float* nowhere) {
    const int size = s.part.size, tiles = winograd::tiles_across(size) * winograd::tiles_across(size);
    const std::ptrdiff_t plane = static_cast<std::ptrdiff_t>(s.part.end - s.part.begin) * kBlock;
    const std::int32_t* row = s.sums;
    float* to[16];
    Lanes tile[4 * 6];
    for (int t = s.part.begin; t < s.part.end; ++t, row += kBlock) {
        const int n = t / tiles;
        winograd::locate<4>(finish.out, nowhere, t, 0, size, s.outputs, to);
        const float greatest = s.greatest[n];
        Lanes most{};
        for (int c = s.first; c < s.last; c += kLanes) {
            const float* scale = s.scale + static_cast<std::ptrdiff_t>(c) * 36;
            const std::int32_t* sums = row + c - s.first;
            for (int x = 0; x < 6; ++x) {
                Lanes column[6];
                for (int y = 0; y < 6; ++y)
                    column[y] = load_sums(sums + (6 * y + x) * plane) * load(scale + (6 * y + x) * kLanes);
                winograd::ATransposed::apply(column, column, 1);
                for (int y = 0; y < 4; ++y) tile[6 * y + x] = greatest * column[y];
            }
            for (int y = 0; y < 4; ++y) {
                Lanes line[4];
                winograd::ATransposed::apply(tile + 6 * y, line, 1);
                for (int x = 0; x < 4; ++x) most = larger(most, put<kKind>(to[4 * y + x] + c, line[x], finish, c));
            }
        }
        if (kKind == Finish::Kind::kActivate) finish.greatest[n] = std::max(finish.greatest[n], greatest_of(most));
    }
}

template <Finish::Kind kKind>
TENGEN_INLINE void finish_points(const Sums& s, const Finish& finish) {
    const int points = s.part.size * s.part.size;
    const std::int32_t* row = s.sums;
    for (int t = s.part.begin; t < s.part.end; ++t, row += kBlock) {
        const int n = t / points;
        Lanes most{};
        for (int c = s.first; c < s.last; c += kLanes) {
            const Lanes y = s.greatest[n] * load_sums(row + c - s.first) * load(s.scale + c);
            most = larger(most, put<kKind>(finish.out + static_cast<std::ptrdiff_t>(t) * s.outputs + c, y, finish, c));
        }
        if (kKind == Finish::Kind::kActivate) finish.greatest[n] = std::max(finish.greatest[n], greatest_of(most));
    }
}

// `nowhere` is null for 1x1 kernels.
TENGEN_VECTOR_CLONES void finish_sums(const Sums& s, const Finish& finish, float* nowhere) {
    using enum Finish::Kind;
    switch (finish.kind) {
    case kStore: return nowhere ? finish_tiles<kStore>(s, finish, nowhere) : finish_points<kStore>(s, finish);
    case kAdd: return nowhere ? finish_tiles<kAdd>(s, finish, nowhere) : finish_points<kAdd>(s, finish);
    case kActivate: return nowhere ? finish_tiles<kActivate>(s, finish, nowhere) : finish_points<kActivate>(s, finish);
    }
}

}  // namespace

IntegerConv::IntegerConv(const float* weight, int kernel, int inputs, int outputs, bool positive)
    : kernel_(kernel), inputs_(inputs), outputs_(outputs), panels_((outputs + kColumns - 1) / kColumns) {
    if (kernel != 1 && kernel != 3) throw std::invalid_argument("a kernel is 1x1 or 3x3");
    if (inputs < kLanes || outputs < kLanes || inputs % kLanes || outputs % kLanes)
        throw std::invalid_argument("channels must be a multiple of 8");
    const int places = positions(), columns = panels_ * kColumns;
    const auto at = [&](int p, int c, int k) { return (static_cast<std::size_t>(p) * inputs + c) * outputs + k; };
    std::vector<float> transformed(static_cast<std::size_t>(places) * inputs * outputs);
    std::vector<float> greatest(static_cast<std::size_t>(places) * outputs);
    double ratio = 1;  // the greatest sum of a kernel's magnitudes, in units of its greatest
    for (int p = 0; p < places; ++p) {
        transform_kernel(weight, kernel, p, static_cast<std::size_t>(inputs) * outputs, transformed.data() + at(p, 0, 0));
        for (int k = 0; k < outputs; ++k) {
            double most = 0, sum = 0;
            for (int c = 0; c < inputs; ++c) {
                const double magnitude = std::abs(transformed[at(p, c, k)]);
                most = std::max(most, magnitude);
                sum += magnitude;
            }
            greatest[static_cast<std::size_t>(p) * outputs + k] = static_cast<float>(most);
            if (most > 0) ratio = std::max(ratio, sum / most);
        }
    }
    // The largest integers of kernels and of inputs: their product times the ratio stays within 32 bits, and they share
    // those bits such that rounding either costs about as much. A kernel's sum grows by half a unit an input.
    const double kernel_most = std::floor(std::min(kGreatest, std::sqrt(INT32_MAX / (kInputShare * ratio))));
    const double input_most = std::floor(std::min(kGreatest, INT32_MAX / (ratio * kernel_most + 0.5 * inputs) - 1));
    kernels_.resize(static_cast<std::size_t>(places) * columns * inputs);
    scale_.resize(static_cast<std::size_t>(places) * columns);
    stretch_.resize(places);
    for (int p = 0; p < places; ++p) {
        const double range = kernel == 1 ? 1 : bound(p / 6, p % 6, positive);
        stretch_[p] = static_cast<float>(input_most / range);
        for (int k = 0; k < outputs; ++k) {
            const double unit = greatest[static_cast<std::size_t>(p) * outputs + k] / kernel_most;
            std::int16_t* panel = kernels_.data() + (static_cast<std::size_t>(k / kColumns) * places + p) * inputs * kColumns;
            for (int c = 0; c < inputs; ++c)
                panel[(c / 2 * kColumns + k % kColumns) * 2 + c % 2] =
                    static_cast<std::int16_t>(unit > 0 ? std::lround(transformed[at(p, c, k)] / unit) : 0);
            scale_[(static_cast<std::size_t>(k / kLanes) * places + p) * kLanes + k % kLanes] =
                static_cast<float>(unit * range / input_most);
        }
    }
}

int IntegerConv::all_rows(int count, int size) const {
    const int across = winograd::tiles_across(size);
    return count * (kernel_ == 3 ? across * across : size * size);
}

int IntegerConv::rows_at_once() const {
    const int rows = multipliers().rows, fitting = static_cast<int>(kRowBytes / (sizeof(std::int16_t) * positions() * inputs_));
    return std::clamp(fitting / rows * rows, rows, 16 * kRows / rows * rows);
}

void IntegerConv::make_room(Workspace& workspace) const {
    const auto at_least = [](auto& buffer, std::size_t length) {
        if (buffer.size() < length) buffer.resize(length);
    };
    const auto rows = static_cast<std::size_t>(rows_at_once());
    at_least(workspace.rows, positions() * rows * inputs_);
    at_least(workspace.sums, positions() * rows * kBlock);
    at_least(workspace.nothing, inputs_);
    at_least(workspace.nowhere, outputs_);
}

void IntegerConv::fill(const float* boards, const float* greatest, Rows rows, Workspace& workspace) const {
    const std::ptrdiff_t plane = static_cast<std::ptrdiff_t>(rows.end - rows.begin) * inputs_;
    std::int16_t* to = workspace.rows.data();
    if (kernel_ == 3) fill_tiles(boards, greatest, inputs_, stretch_.data(), workspace.nothing.data(), rows, plane, to);
    else fill_points(boards, greatest, inputs_, stretch_[0], rows, to);
}

// All outputs of the transformed rows.
void IntegerConv::multiply(const float* greatest, Rows all, const Finish& finish, Workspace& workspace) const {
    const int rows = all.end - all.begin;
    const Multipliers& best = multipliers();
    // A product of few rows takes as long as one of many: they are made of about equal size.
    const int products = (rows + best.rows - 1) / best.rows;
    for (int first = 0; first < outputs_; first += kBlock) {
        const int last = std::min(first + kBlock, outputs_);
        for (int p = 0; p < positions(); ++p)
            for (int column = first; column < last; column += kColumns)
                for (int product = 0; product < products; ++product) {
                    const Share some(rows, product, products);
                    best.of[some.end - some.begin - 1](
                        {workspace.rows.data() + (static_cast<std::ptrdiff_t>(p) * rows + some.begin) * inputs_, inputs_,
                         kernels_.data() + (static_cast<std::size_t>(column / kColumns) * positions() + p) * inputs_ * kColumns,
                         inputs_ / 2,
                         workspace.sums.data() + (static_cast<std::ptrdiff_t>(p) * rows + some.begin) * kBlock + column - first,
                         kBlock});
                }
        finish_sums({workspace.sums.data(), scale_.data(), greatest, all, outputs_, first, last}, finish,
                    kernel_ == 3 ? workspace.nowhere.data() : nullptr);
    }
}

TENGEN_VECTOR_CLONES float norm_activate(const float* x, float* out, int points, int channels, const float* scale,
                                         const float* bias, Activation activation) {
    Lanes most{};
    for (int point = 0; point < points; ++point, x += channels, out += channels)
        for (int c = 0; c < channels; c += kLanes) {
            const Lanes z = activate(load(x + c) * load(scale + c) + load(bias + c), activation);
            store(out + c, z);
            most = larger(most, magnitude(z));
        }
    return greatest_of(most);
}

TENGEN_VECTOR_CLONES float add_activate(const float* x, float* out, int points, int channels, int kept, const float* bias,
                                        Activation activation) {
    Lanes most{};
    for (int point = 0; point < points; ++point, x += channels, out += kept)
        for (int c = 0; c < kept; c += kLanes) {
            const Lanes z = activate(load(x + c) + load(bias + c), activation);
            store(out + c, z);
            most = larger(most, magnitude(z));
        }
    return greatest_of(most);
}

TENGEN_VECTOR_CLONES void mean_and_greatest(const float* x, int points, int channels, int stride, const float* bias,
                                            Activation activation, float* mean, float* greatest) {
    for (int c = 0; c < channels; c += kLanes) {
        Lanes sum{}, most = all(-INFINITY);
        for (int point = 0; point < points; ++point) {
            const Lanes z = activate(load(x + static_cast<std::ptrdiff_t>(point) * stride + c) + load(bias + c), activation);
            sum += z;
            most = larger(most, z);
        }
        store(mean + c, sum / static_cast<float>(points));
        store(greatest + c, most);
    }
}

}  // namespace tengen
