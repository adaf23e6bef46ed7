// Whole-history rating (Coulom, "Whole-History Rating", 2008): every player has one rating for each day on which
// he played. The ratings are the maximum of the posterior of all results under a random walk of each rating.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "ratings.hpp"

namespace tengen {

// Ratings are natural: a difference of 1 is odds of e, which is kGlickoScale points.
struct WholeHistorySettings {
    double drift = 0.0;           // variance of the random walk in a unit of time
    double prior_wins = 0.5;      // virtual wins, and as many losses, of each player on his first day against rating 0
    double rank_worth = 0.0;      // what a rank of head start is worth before any result is known
    double rank_deviation = 1.0;  // standard deviation of that prior, for each whole number of ranks
};

// Games are added in order of time, so that days are only ever appended and a game can keep the index of its
// opponent's day.
class WholeHistory {
   public:
    WholeHistory(std::size_t players, const WholeHistorySettings& settings);

    // Adds games. `time` counts units and never decreases. A draw is half a win.
    void add(const Results& results, std::span<const std::int64_t> time);

    // What was known before each game: of its two players (2 a game: Black, White) and of its head start (1 a game).
    struct Known {
        std::vector<double> rating, variance;  // on the player's last day; 0 and infinity before his first game
        std::vector<std::int64_t> time;        // of that day; -1 before his first game
        std::vector<double> advantage;         // what Black's head start is worth
    };

    // Adds games one by one. Before each, either player who got games since his last Newton step makes one; with more
    // than 1000 games, only once a thousandth of them are new.
    Known add_in_turn(const Results& results, std::span<const std::int64_t> time);

    // Repeats one Newton step for each player in turn, then one for the worth of head starts; stops early once
    // nothing moves by more than `precision`. Returns the largest move of the last round.
    double iterate(int rounds, double precision);

    // Rating and variance of both sides on the day of each game (2 a game: Black, White).
    struct Curves {
        std::vector<double> rating, variance;
    };
    Curves curves() const;

    // What a head start of so many ranks is worth: learnt at whole ranks, linear between them, odd in the sign.
    double advantage(double head_start) const;

   private:
    struct Game {
        std::int32_t opponent;
        std::uint32_t day;  // index of the opponent's day
        float head_start;   // in ranks; negative where the opponent has it
        float score;
    };
    struct Day {
        std::int64_t time;
        double rating;
        std::size_t first;  // index of the day's first game among the player's games
    };
    struct Player {
        std::vector<Day> days;
        std::vector<Game> games;
        std::size_t fitted = 0;                                     // games that the last step included
        double variance = std::numeric_limits<double>::infinity();  // on the last day, at the last step
    };
    // Gradient and Hessian (tridiagonal) of the log-posterior in one player's ratings, all others held fixed.
    struct Slope {
        std::vector<double> gradient, diagonal, beside;
        std::vector<double> pivot;  // of the elimination from the first day on
    };

    void check(const Results& results, std::span<const std::int64_t> time) const;
    void add_game(const Results& results, std::size_t game, std::int64_t time);
    std::uint32_t day_of(Player& player, std::int64_t time);
    double lead(const Day& day, const Game& game) const;
    void look(const Player& player, Slope& slope) const;
    double step(Player& player, Slope& slope);
    double step_advantages();

    WholeHistorySettings settings_;
    std::vector<Player> players_;
    std::vector<std::int32_t> sides_;       // 2 a game: the players
    std::vector<std::uint32_t> side_days_;  // and their days
    std::vector<double> advantages_;        // at 0, 1, 2, ... ranks
    std::int64_t now_;                      // time of the last game
};

}  // namespace tengen
