// 3x3 patterns: shapes in which a stone in the middle is a natural answer to the move beside it.
#pragma once

#include <bitset>
#include <string>
#include <vector>

#include "board.hpp"

namespace tengen {

// A pattern as it is drawn in patterns.cpp.
struct Pattern {
    const char* name;
    // Three rows. The middle is the point to play. X and O are the colours, either way round; '.' is empty,
    // '#' is off the board, '?' is anything, 'x' anything but X, 'o' anything but O.
    const char* rows[3];
    // Who may play it: X only, or either.
    enum class Mover : std::uint8_t { kEither, kX } mover;
};

const std::vector<Pattern>& patterns();

// All patterns under the eight symmetries and both colourings, looked up by Board::around.
class PatternTable {
public:
    explicit PatternTable(const std::vector<Pattern>& patterns);
    bool matches(std::uint16_t around, Color to_move) const { return by_color_[to_move - kBlack][around]; }
    static const PatternTable& standard();

private:
    std::array<std::bitset<0x10000>, 2> by_color_;
};

}  // namespace tengen
