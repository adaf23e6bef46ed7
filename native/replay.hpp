// Replaying stored games by the million.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "position.hpp"

namespace tengen {

// Game i is moves[ends[i-1] .. ends[i]). Plays each from the empty board, under `rules` if `checked`, else
// without asking. Returns for each game the number of moves played: all of them, or those before the first
// illegal one.
std::vector<std::uint32_t> replay(std::span<const Packed> moves, std::span<const std::uint64_t> ends, int size,
                                  Rules rules, bool checked);

}  // namespace tengen
