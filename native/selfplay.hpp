// Many games at once, played by policies to the very end.
#pragma once

#include <cstdint>
#include <span>

#include "position.hpp"

namespace tengen {

// The moves that may be drawn, as 0 or 1 at each row-major point: legal ones that fill neither an eye of the side to move
// nor a point of anyone's pass-alive territory. True if one of them does more than put own stones in atari to no use.
bool playable_moves(const Position& position, std::uint8_t* playable);

// One move for each of n positions, of one size, which are played on.
//
// `logits` [n, moves] are a net's as it saw the positions through `symmetries`; `moves` is the area, and one more where
// the net may pass. Its pass does not count. Position i draws from the softmax of logits / temperatures[i] over its
// playable moves, and passes if playable_moves says false. The draw depends on seeds[i] and the number of moves played
// so far, on nothing else. Writes the row-major moves to `drawn` [n] (the area is a pass) and the moves that could be
// drawn to `playable` [n, area], in the symmetry of the logits; all 0 at a pass. Throws std::invalid_argument for logits
// that are not numbers.
void draw_moves(std::span<Position* const> positions, std::span<const float> logits, std::span<const std::uint8_t> symmetries,
                std::span<const std::uint64_t> seeds, std::span<const float> temperatures, int threads, std::int32_t* drawn,
                std::uint8_t* playable);

}  // namespace tengen
