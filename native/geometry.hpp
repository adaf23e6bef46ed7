// Points, colours and symmetries.
//
// Outside the core a point is an int, row-major from the top left (as in SGF), and pass is size*size.
// Inside, a point is an index into a board with a frame: rows are `size + 1` apart, so that one frame
// column serves as the right edge of a row and the left edge of the next, and no neighbour test, diagonals
// of the corners included, needs a bound check.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

namespace tengen {

using Point = std::uint16_t;  // framed index; 0 is never on the board

inline constexpr int kMinSize = 2;
inline constexpr int kMaxSize = 19;
inline constexpr int kMaxArea = kMaxSize * kMaxSize;
inline constexpr int kMaxCells = (kMaxSize + 2) * (kMaxSize + 1) + 1;
inline constexpr Point kNoPoint = 0;
inline constexpr Point kPass = 0xFFFF;

enum Color : std::uint8_t { kEmpty = 0, kBlack = 1, kWhite = 2, kFrame = 3 };

constexpr Color opponent(Color c) { return static_cast<Color>(3 - c); }

// The shape of one board size: how points are numbered and how they lie to each other.
struct Geometry {
    int size;
    int area;
    int stride;
    int cells;
    std::array<int, 4> sides;      // north, west, east, south
    std::array<int, 4> diagonals;  // north-west, north-east, south-west, south-east
    std::array<Point, kMaxArea> framed;           // row-major -> framed
    std::array<std::uint16_t, kMaxCells> flat;    // framed -> row-major, kMaxArea for the frame
    // Zobrist keys of stones by colour and framed point: functions of colour, x and y alone, the same on
    // every machine and in every version, for pools and caches store hashes.
    std::array<std::array<std::uint64_t, kMaxCells>, 3> keys;

    // Every point of the board, in row-major order.
    std::span<const Point> points() const { return {framed.data(), static_cast<std::size_t>(area)}; }
    Point at(int x, int y) const { return static_cast<Point>((y + 1) * stride + x + 1); }
    int x(Point p) const { return p % stride - 1; }
    int y(Point p) const { return p / stride - 1; }

    // The geometry of a size from kMinSize to kMaxSize; throws std::invalid_argument otherwise.
    static const Geometry& of(int size);

    // Row-major index (or size*size for pass) to framed point; throws std::out_of_range otherwise.
    Point from_flat(int index) const {
        if (index == area) return kPass;
        if (index < 0 || index > area)
            throw std::out_of_range("point " + std::to_string(index) + " is not on a " +
                                    std::to_string(size) + "x" + std::to_string(size) + " board");
        return framed[static_cast<std::size_t>(index)];
    }
    int to_flat(Point p) const { return p == kPass ? area : flat[p]; }
};

// Zobrist key of a side to move, for situational superko.
std::uint64_t side_key(Color c);

// Symmetries 0..7 as KataGo numbers them: bit 0 flips y, bit 1 flips x, bit 2 then swaps x and y.
inline constexpr int kSymmetries = 8;

// The row-major index to which `symmetry` carries the row-major index `index`.
constexpr int transform(int index, int size, int symmetry) {
    int x = index % size, y = index / size;
    if (symmetry & 1) y = size - 1 - y;
    if (symmetry & 2) x = size - 1 - x;
    return symmetry & 4 ? x * size + y : y * size + x;
}

// The symmetry that undoes `symmetry`.
constexpr int inverse(int symmetry) {
    constexpr std::array<int, kSymmetries> table{0, 1, 2, 3, 4, 6, 5, 7};
    return table[static_cast<std::size_t>(symmetry)];
}

}  // namespace tengen
