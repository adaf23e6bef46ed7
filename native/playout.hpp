// Monte Carlo playouts: games finished at random, and what many of them say of a position.
#pragma once

#include <cstdint>
#include <vector>

#include "board.hpp"
#include "random.hpp"

namespace tengen {

// Who chooses the moves of a playout:
//   kUniform  any legal move that does not fill an own eye, each as likely as the other;
//   kGuided   captures, escapes, nakade and 3x3 patterns near the last move first (native/guided.cpp).
enum class Policy : std::uint8_t { kUniform, kGuided };

// A playout ends when both pass, or after this many moves (of the area), which breaks long cycles.
inline constexpr int kPlayoutCap = 3;
inline constexpr int kMaxPlayoutMoves = kPlayoutCap * kMaxArea;

// The moves of one playout, first the one by the side to move; kPass where a side has no move.
struct PlayoutRecord {
    int length = 0;
    std::array<Point, kMaxPlayoutMoves> moves;
};

// Plays `board` to the end, without suicide, under simple ko; `to_move` begins. `last` is the move before,
// if known, which guided playouts answer.
void play_out(Board& board, Color to_move, Random& random, Policy policy, PlayoutRecord& record,
              Point last = kNoPoint);

// The owner of every point by area: its stone, or the one colour its empty region touches, or kEmpty;
// row-major into `owners`, which holds the area. Returns Black's points less White's.
int area_owners(const Board& board, std::uint8_t* owners);

// What n playouts say. Points are row-major; values are Black's view unless a colour is named.
struct PlayoutStatistics {
    int playouts = 0;
    // Wins at the komi asked for; a draw is half a win for each.
    double black_wins = 0;
    // Black's area less White's, before komi.
    double margin_mean = 0;
    double margin_deviation = 0;
    // Playouts by margin: [margin + area], margin from -area to area.
    std::vector<std::uint32_t> margins;
    // Mean owner of a point at the end: +1 always Black's, -1 always White's.
    std::vector<float> ownership;
    // Coulom (2009), "Criticality: a Monte-Carlo heuristic for Go programs": the covariance between owning
    // the point and winning, v/N - (b/N * B/N + w/N * W/N), with v the playouts whose winner owned the
    // point, b and w those in which Black and White owned it, B and W their wins. In [-0.5, 0.5].
    std::vector<float> criticality;
    // All moves as first (Bruegmann 1993), by colour (amaf[kBlack], amaf[kWhite]): that colour's share of
    // wins among the playouts in which it was the first to play the point, and their number. Where there
    // are none the value is its share of all wins.
    std::array<std::vector<float>, 3> amaf;
    std::array<std::vector<std::uint32_t>, 3> amaf_playouts;
};

// Plays n playouts on `threads` threads. Playout i draws from stream i of the seed, and all sums are of
// integers, so the answer does not depend on the number of threads. `komi` decides who wins.
PlayoutStatistics playout_statistics(const Board& board, Color to_move, int n, std::uint64_t seed,
                                     Policy policy = Policy::kUniform, float komi = 7.5f, int threads = 1,
                                     Point last = kNoPoint);

}  // namespace tengen
