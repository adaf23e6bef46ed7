// Whole-history rating (Coulom, "Whole-History Rating", 2008): every player's rating at every time he played,
// the likeliest for all results together under a random walk of the ratings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "ratings.hpp"

namespace tengen {

struct WholeHistorySettings {
    double drift = 0.0;       // variance of the walk in a unit of time, in natural units (kGlickoScale points) squared
    double prior_wins = 0.5;  // virtual wins, and as many losses, of everyone on his first day against rating 0
};

// Ratings are natural here: a difference of 1 is odds of e. Games are added in order of time, so that days are
// only ever appended and a game may remember the place of its opponent's day.
class WholeHistory {
   public:
    WholeHistory(std::size_t players, const WholeHistorySettings& settings);

    // `time` counts units and never falls. `handicap` names the head start of Black; what each is worth is
    // learnt, that of 0 is nothing. A draw is half a win.
    void add(const Results& results, std::span<const std::int64_t> time, std::span<const std::int32_t> handicap);

    // So many times one Newton step for each player in turn, then one for each handicap; stops early once no
    // rating moves by more than `precision`. Returns the largest move of the last round.
    double iterate(int rounds, double precision);

    // Newton steps only for those who got games since the last call of `iterate` or `settle`.
    void settle(int rounds);

    // The last day of each of these players: rating, variance as of his last step, time. One who has made no
    // step has 0, infinity, -1.
    struct Last {
        std::vector<double> rating, variance;
        std::vector<std::int64_t> time;
    };
    Last last(std::span<const std::int32_t> players) const;

    // Rating and variance of both sides on the day of each game (2 a game: Black, White).
    struct Curves {
        std::vector<double> rating, variance;
    };
    Curves curves() const;

    double advantage(std::int32_t handicap) const;

   private:
    struct Game {
        std::int32_t opponent;
        std::uint32_t day;        // the opponent's
        std::int32_t advantage;   // place in advantages_, counted from 1; negative: the opponent's; 0: none
        float score;
    };
    struct Day {
        std::int64_t time;
        double rating;
        std::size_t first;  // of the player's games
    };
    struct Player {
        std::vector<Day> days;
        std::vector<Game> games;
        double variance = std::numeric_limits<double>::infinity();  // on the last day, at the last step
    };
    // The log-posterior around a player's present ratings, the others held: its gradient, and its Hessian,
    // which is tridiagonal.
    struct Slope {
        std::vector<double> gradient, diagonal, beside;
        std::vector<double> pivot;  // of the elimination from the first day on
    };

    std::uint32_t day_of(Player& player, std::int64_t time);
    double lead(const Day& day, const Game& game) const;
    void look(const Player& player, Slope& slope) const;
    double step(Player& player, Slope& slope);
    double step_advantages();
    void rest();

    WholeHistorySettings settings_;
    std::vector<Player> players_;
    std::vector<std::int32_t> sides_;       // 2 a game: the players
    std::vector<std::uint32_t> side_days_;  // and their days
    std::map<std::int32_t, std::int32_t> places_;
    std::vector<double> advantages_;
    std::vector<std::int32_t> restless_;  // players with games that no step has seen yet
    std::vector<bool> is_restless_;
    std::int64_t now_;
};

}  // namespace tengen
