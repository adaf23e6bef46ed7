// Drawing a random move, as every playout policy does.
#pragma once

#include <algorithm>

#include "board.hpp"
#include "random.hpp"

namespace tengen {

// An empty point that is no eye of c and that `may_play`, each with the same chance; kPass if there is none.
template <typename MayPlay>
Point draw_move(Board& board, Color c, Random& random, const MayPlay& may_play) {
    // Draws empty points, none twice. Late in a game most are eyes: after a few bad draws those among the
    // rest are sorted out before going on.
    constexpr int kBlindDraws = 4;
    int n = board.empty_count();
    for (const int last = std::max(0, n - kBlindDraws); n > last; --n) {
        const int i = random.below(n);
        const Point p = board.empty_at(i);
        if (!board.is_eye(p, c) && may_play(p)) return p;
        board.swap_empties(i, n - 1);
    }
    std::array<Point, kMaxArea> left;
    int m = 0;
    for (int i = 0; i < n; ++i) {
        const Point p = board.empty_at(i);
        left[static_cast<std::size_t>(m)] = p;
        m += !board.is_eye(p, c);
    }
    while (m > 0) {
        const auto i = static_cast<std::size_t>(random.below(m--));
        if (may_play(left[i])) return left[i];
        left[i] = left[static_cast<std::size_t>(m)];
    }
    return kPass;
}

}  // namespace tengen
