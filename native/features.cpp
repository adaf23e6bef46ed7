#include "features.hpp"

#include <algorithm>
#include <bit>

namespace tengen {

Strings::Strings(const Board& board) : board_(board) {
    const Geometry& g = board.geometry();
    for (const Point p : g.points()) {
        // No branch: which points are heads is anyone's guess. Others' entries are written over.
        heads_[static_cast<std::size_t>(count_)] = p;
        index_[p] = static_cast<std::uint16_t>(count_);
        count_ += board.head(p) == p;
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(count_); ++i) {
        liberties_[i].clear();
        liberty_counts_[i] = 0;
    }
    for (int i = 0; i < board.empty_count(); ++i) {
        const Point p = board.empty_at(i);
        const int flat = g.flat[p];
        const unsigned four = board.around(p) & 0xFF;
        for (unsigned stones = detail::matches(four, kBlack) | detail::matches(four, kWhite); stones; stones &= stones - 1) {
            const auto side = static_cast<std::size_t>(std::countr_zero(stones)) / 2;
            const std::size_t string = index_[board.head(static_cast<Point>(p + g.sides[side]))];
            liberty_counts_[string] = static_cast<std::uint16_t>(liberty_counts_[string] + !liberties_[string].has(flat));
            liberties_[string].add(flat);
        }
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(count_); ++i)
        if (liberty_counts_[i] == 1) last_liberties_[board.last_liberty(heads_[i])] |= 1U << board.color(heads_[i]);
}

MoveEffect Strings::contact_effect(Point p, Color c) const {
    const Geometry& g = board_.geometry();
    const unsigned four = board_.around(p) & 0xFF;
    std::array<Point, 4> joined, taken;
    std::size_t joins = 0, captures = 0;
    const auto insert = [](std::array<Point, 4>& list, std::size_t& n, Point head) {
        for (std::size_t i = 0; i < n; ++i)
            if (list[i] == head) return;
        list[n++] = head;
    };
    const auto side = [&](unsigned bits) {
        return static_cast<Point>(p + g.sides[static_cast<std::size_t>(std::countr_zero(bits)) / 2]);
    };
    for (unsigned own = detail::matches(four, c); own; own &= own - 1) insert(joined, joins, board_.head(side(own)));
    if (takes(p, c))
        for (unsigned enemy = detail::matches(four, opponent(c)); enemy; enemy &= enemy - 1)
            if (board_.in_atari(side(enemy))) insert(taken, captures, board_.head(side(enemy)));
    MoveEffect effect{0, 1, 0};
    bool many = false;  // liberties, even less the point of the move
    for (std::size_t i = 0; i < joins; ++i) {
        effect.stones += board_.string_size(joined[i]);
        many |= liberty_counts_[index_[joined[i]]] > kMaxClass;
    }
    for (std::size_t i = 0; i < captures; ++i) effect.captured += board_.string_size(taken[i]);
    if (many) {
        effect.liberties = kMaxClass;
        return effect;
    }
    if (joins == 1 && captures == 0) {
        // The usual case: a string gives up p for the empty points beside p that it did not touch.
        const std::size_t string = index_[joined[0]];
        int liberties = liberty_counts_[string] - 1;
        const unsigned empty = detail::matches(four, kEmpty);
        for (unsigned i = 0; i < 4; ++i)  // the frame has a flat index too, so there is no branch
            liberties += (empty >> 2 * i & 1) & !liberties_[string].has(g.flat[static_cast<Point>(p + g.sides[i])]);
        effect.liberties = std::min(liberties, kMaxClass);
        return effect;
    }

    PointSet liberties;
    liberties.clear();
    for (unsigned empty = detail::matches(four, kEmpty); empty; empty &= empty - 1) liberties.add(g.flat[side(empty)]);
    for (std::size_t i = 0; i < joins; ++i) liberties.add(liberties_[index_[joined[i]]]);
    liberties.remove(g.flat[p]);
    for (std::size_t i = 0; i < captures; ++i) {
        Point s = taken[i];
        do {
            const bool touches = std::any_of(g.sides.begin(), g.sides.end(), [&](int d) {
                const Point q = static_cast<Point>(s + d);
                return q == p || (board_.color(q) == c && std::find(joined.begin(), joined.begin() + joins,
                                                                    board_.head(q)) != joined.begin() + joins);
            });
            if (touches) liberties.add(g.flat[s]);
            s = board_.next(s);
        } while (s != taken[i]);
    }
    effect.liberties = liberties.count(kMaxClass);
    return effect;
}

Point last_move(const Position& position, std::size_t n) {
    const auto& moves = position.moves();
    if (n > moves.size()) return kNoPoint;
    const Point p = position.board().geometry().from_flat(packed_point(moves[moves.size() - n]));
    return p == kPass ? kNoPoint : p;
}

}  // namespace tengen
