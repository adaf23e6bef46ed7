// The guided playout policy: the sequence of MoGo (Gelly et al. 2006) as Pachi grew it (Baudis & Gailly 2011):
// answer the last move where it touches something, else take what can be taken, else play anywhere that is
// not plainly foolish.
#pragma once

#include "board.hpp"
#include "random.hpp"

namespace tengen {

class Guide {
public:
    // `last` is the move before the playout's first, or kNoPoint.
    Guide(const Board& board, Point last);

    // A move for c, or kPass if every move is illegal, fills an own eye or throws stones away.
    Point choose(Board& board, Color c, Random& random);
    // To be told of every move, after it was played.
    void played(const Board& board, Point p, Color c);

private:
    void note_atari(const Board& board, Point stone);
    Point answer_atari(const Board& board, Color c, Random& random) const;
    Point answer_shape(const Board& board, Color c, Random& random) const;
    Point take_anywhere(const Board& board, Color c, Random& random);

    Point last_;
    // Stones of strings that came into atari; some no longer are.
    static constexpr int kMaxThreatened = 64;
    int threatened_count_ = 0;
    std::array<Point, kMaxThreatened> threatened_;
};

// Liberties of c's string after it plays at the empty point p, counted up to 2 (a capture of two stones or
// more counts as 2).
int liberties_after(const Board& board, Point p, Color c);

// Would c, playing at p, put its own stones in atari to no use? Of use are captures, throw-ins that spoil an
// eye, and strings that leave a dead shape (nakade) when they are taken.
bool wastes_stones(const Board& board, Point p, Color c);

// The vital point of the empty region around p, if that is a space of three to six points, enclosed by one
// colour, in which one move decides between one eye and two; kNoPoint otherwise.
Point vital_point(const Board& board, Point p);

}  // namespace tengen
