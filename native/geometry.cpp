#include "geometry.hpp"

#include "random.hpp"

namespace tengen {
namespace {

constexpr std::uint64_t stone_key(int c, int x, int y) {
    return splitmix64(static_cast<std::uint64_t>(c) << 32 | static_cast<std::uint64_t>(y) << 16 |
                      static_cast<std::uint64_t>(x));
}

Geometry make(int size) {
    Geometry g{};
    g.size = size;
    g.area = size * size;
    g.stride = size + 1;
    g.cells = (size + 2) * (size + 1) + 1;
    g.sides = {-g.stride, -1, 1, g.stride};
    g.diagonals = {-g.stride - 1, -g.stride + 1, g.stride - 1, g.stride + 1};
    g.flat.fill(kMaxArea);
    for (int y = 0; y < size; ++y)
        for (int x = 0; x < size; ++x) {
            const Point p = g.at(x, y);
            g.framed[static_cast<std::size_t>(y * size + x)] = p;
            g.flat[p] = static_cast<std::uint16_t>(y * size + x);
            for (int c = kBlack; c <= kWhite; ++c) g.keys[static_cast<std::size_t>(c)][p] = stone_key(c, x, y);
        }
    return g;
}

}  // namespace

std::uint64_t side_key(Color c) { return splitmix64(0x5EED000000000000ULL | c); }

const Geometry& Geometry::of(int size) {
    static const auto all = [] {
        std::array<Geometry, kMaxSize + 1> table{};
        for (int n = kMinSize; n <= kMaxSize; ++n) table[static_cast<std::size_t>(n)] = make(n);
        return table;
    }();
    if (size < kMinSize || size > kMaxSize)
        throw std::invalid_argument("board size " + std::to_string(size) + " is not in 2 to 19");
    return all[static_cast<std::size_t>(size)];
}

}  // namespace tengen
