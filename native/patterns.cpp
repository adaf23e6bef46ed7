#include "patterns.hpp"

namespace tengen {

// The families are those of MoGo (Gelly, Wang, Munos & Teytaud 2006, "Modification of UCT with patterns in
// Monte-Carlo Go", section 3.2): hane, cuts, and moves at the edge.
const std::vector<Pattern>& patterns() {
    using enum Pattern::Mover;
    static const std::vector<Pattern> all{
        {"hane between two",
         {"XOX",  //
          ".*.",  //
          "???"},
         kEither},
        {"hane",
         {"XO.",  //
          ".*.",  //
          "?.?"},
         kEither},
        {"turn",
         {"XO?",  //
          "X*.",  //
          "?.?"},
         kEither},
        {"hane at the head of two",
         {"XOO",  //
          ".*.",  //
          "?.?"},
         kX},
        {"shoulder",
         {".O.",  //
          "X*.",  //
          "..."},
         kEither},
        {"cut at a corner",
         {"XO?",  //
          "O*o",  //
          "?o?"},
         kEither},
        {"cut at a peeped corner",
         {"XO?",  //
          "O*X",  //
          "???"},
         kEither},
        {"cut through",
         {"?X?",  //
          "O*O",  //
          "ooo"},
         kEither},
        {"cut the knight's move",
         {"OX?",  //
          "o*O",  //
          "???"},
         kEither},
        {"chase along the edge",
         {"X.?",  //
          "O*?",  //
          "###"},
         kEither},
        {"block at the edge",
         {"OX?",  //
          "X*O",  //
          "###"},
         kEither},
        {"stop a connection at the edge",
         {"?X?",  //
          "x*O",  //
          "###"},
         kX},
        {"descend",
         {"?XO",  //
          "x*x",  //
          "###"},
         kX},
        {"cut at the edge",
         {"?OX",  //
          "X*O",  //
          "###"},
         kEither},
    };
    return all;
}

namespace {

// The colours a drawn cell allows, as bits 1 << colour, when X is `x`.
unsigned allowed(char cell, Color x) {
    const unsigned all = 0xF, mine = 1U << x, theirs = 1U << opponent(x);
    switch (cell) {
        case '.': return 1U << kEmpty;
        case '#': return 1U << kFrame;
        case 'X': return mine;
        case 'O': return theirs;
        case 'x': return all & ~mine;
        case 'o': return all & ~theirs;
        default: return all;
    }
}

// Calls `found` with every value of Board::around whose eight pairs of bits are allowed.
template <typename F>
void expand(const std::array<unsigned, 8>& cells, unsigned i, unsigned around, const F& found) {
    if (i == 8) return found(around);
    for (unsigned c = 0; c < 4; ++c)
        if (cells[i] >> c & 1) expand(cells, i + 1, around | c << 2 * i, found);
}

}  // namespace

PatternTable::PatternTable(const std::vector<Pattern>& patterns) {
    // Row-major cells of the 3x3, in the order of Board::around.
    constexpr std::array<int, 8> order{1, 3, 5, 7, 0, 2, 6, 8};
    for (const Pattern& pattern : patterns)
        for (int symmetry = 0; symmetry < kSymmetries; ++symmetry)
            for (Color x : {kBlack, kWhite}) {
                std::array<unsigned, 8> cells;
                for (unsigned i = 0; i < 8; ++i) {
                    const int drawn = transform(order[i], 3, symmetry);
                    cells[i] = allowed(pattern.rows[drawn / 3][drawn % 3], x);
                }
                expand(cells, 0, 0, [&](unsigned around) {
                    by_color_[x - kBlack].set(around);
                    if (pattern.mover == Pattern::Mover::kEither) by_color_[opponent(x) - kBlack].set(around);
                });
            }
}

const PatternTable& PatternTable::standard() {
    static const PatternTable table(patterns());
    return table;
}

}  // namespace tengen
