// Replaying stored games by the million.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "position.hpp"

namespace tengen {

// Game i is moves[offsets[i] .. offsets[i+1]). Plays each from the empty board, under `rules` if `checked`, else
// without asking. Returns for each game the number of moves played: all of them, or those before the first
// illegal one.
std::vector<std::uint32_t> replay(std::span<const Packed> moves, std::span<const std::int64_t> offsets, int size,
                                  Rules rules, bool checked);

}  // namespace tengen
