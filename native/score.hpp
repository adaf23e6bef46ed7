// Counting a finished game, given the stones the players agree are dead.
#pragma once

#include <array>
#include <span>

#include "board.hpp"
#include "life.hpp"
#include "rules.hpp"

namespace tengen {

// What each colour has; arrays are indexed by colour.
struct Count {
    Owners owner;  // live stones own their points; kEmpty is nobody's: dame, and what the rules leave out
    std::array<int, 3> stones{};     // live stones on the board
    std::array<int, 3> territory{};  // points owned without a live stone on them
    std::array<int, 3> lost{};       // stones captured in play, and dead on the board
    std::array<int, 3> tax{};        // points paid for living groups

    // Points before komi and handicap bonus.
    int points(Color c, Scoring scoring) const {
        return territory[c] + (scoring == Scoring::kArea ? stones[c] : lost[opponent(c)]) - tax[c];
    }
};

// Counts the board. Each point of `dead` takes the whole string there off the board; empty points are ignored.
//
// Area: a stone counts, and an empty point that reaches stones of one colour only.
// Territory: of those empty points, not the ones their owner must fill himself once the dame are taken. With a
// tax, by either count, not the ones in seki; with the tax on all, every group pays two of its points as well.
//
// False eyes and sekis are found by giving all dame to the enemy but those that keep a colour's strings
// together: a dame between two of them where an enemy stone would be taken at once, and one of two dame that
// join a string to the same group (whichever the enemy takes, the owner takes the other). Then
//  - a string left with one liberty is joined to its group by filling it, if it lives by that: a false eye;
//  - a group, strings that share surrounded points, with fewer than two eyes and with dame is in seki. One
//    eye is up to two points, or four in a square; more points are two eyes.
Count count(const Board& board, const Rules& rules, std::span<const Point> dead);

}  // namespace tengen
