// Curves that never rise: win rates fall with komi, and what a net says of them may not.
#pragma once

#include <span>

namespace tengen {

// Puts in place of the curve the nearest one by least squares that never rises (pool adjacent violators).
void make_falling(std::span<double> curve);

}  // namespace tengen
