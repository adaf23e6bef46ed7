// Search for local patterns in the games of a pool.
//
// A placement is a pattern where it may lie on the board: points and what must be there. The caller makes all of
// them (symmetries, colours, shifts). For each, the points that differ from it are counted, and only the points that
// a move changes are looked at: a stone played, stones taken.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "position.hpp"

namespace tengen {

// Placement k is points[offsets[k] .. offsets[k+1]), row-major, with colors (0 empty, 1 Black, 2 White) likewise, and
// to_move[k]: 1 Black, 2 White, 0 either.
struct Placements {
    int size;
    std::span<const std::uint16_t> points;
    std::span<const std::uint8_t> colors;
    std::span<const std::int64_t> offsets;
    std::span<const std::uint8_t> to_move;

    std::size_t count() const { return to_move.size(); }
    // Throws std::invalid_argument for what is not on the board, for a point twice, and columns that do not fit.
    void check() const;
};

// Placement `placement` is on the board of game `game` after `move` moves, for the first time.
struct Found {
    std::int64_t game;
    std::int32_t move;
    std::int32_t placement;
};

// Games as in Records; those of another size are passed over. Sorted by game, move and placement. Throws
// std::invalid_argument for a record that cannot be replayed.
std::vector<Found> find_placements(const Placements& placements, std::span<const std::uint8_t> sizes,
                                   std::span<const Packed> moves, std::span<const std::int64_t> move_offsets,
                                   std::span<const Packed> setup, std::span<const std::int64_t> setup_offsets,
                                   std::span<const std::uint8_t> first_to_move, std::size_t begin, std::size_t end,
                                   int threads);

}  // namespace tengen
