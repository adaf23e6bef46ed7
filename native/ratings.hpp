// Sweeps over long lists of results: Elo and Glicko-2, each game predicted before it is learnt from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tengen {

// Rating points in a factor of e of the odds (Glickman's 173.7178).
inline constexpr double kGlickoScale = 173.71779276130073;  // 400 / ln 10
// Ranks in a factor of e of the rating, on the OGS scale of 2021: rank = ln(rating / 525) * 23.15.
inline constexpr double kRanksPerFold = 23.15;

// Games in the order in which they were played. Players are numbered from 0.
struct Results {
    std::span<const std::int32_t> black, white;
    std::span<const double> score;       // Black's: 1 for a win, 0.5 for a draw, 0 for a loss
    std::span<const double> head_start;  // Black's, in ranks, for handicap and komi; empty: none

    std::size_t size() const { return black.size(); }
    double head_start_of(std::size_t game) const { return head_start.empty() ? 0.0 : head_start[game]; }
};

enum class Curve : std::uint8_t { kLogistic, kNormal };

struct EloSettings {
    Curve curve = Curve::kLogistic;
    double k = 32.0;
    double initial = 1500.0;
    // The rating difference that is one unit of the curve's argument: 400/ln 10 for the logistic curve,
    // 200 * sqrt 2 for the normal one (thesis, equation 3.2).
    double scale = kGlickoScale;
};

struct Glicko2Settings {
    double tau = 0.5;
    double initial_rating = 1500.0, initial_deviation = 350.0, initial_volatility = 0.06;
    double min_rating = 100.0, max_rating = 6000.0;
    double min_deviation = 30.0, max_deviation = 500.0;
    double min_volatility = 0.01, max_volatility = 0.15;
    double epsilon = 1e-6;       // at which the iteration for the volatility stops
    bool use_deviations = true;  // predict with both players' deviations (thesis, 3.4) or by ratings alone (OGS)
};

// A player's rating under Glicko-2, on the scale of presentation.
struct Glicko2Rating {
    double rating, deviation, volatility;
};

// What a sweep leaves. Two entries a game (Black, then White) in the histories, one a player in `players`.
struct EloSweep {
    std::vector<double> prediction;  // Black's expected score, before the game
    std::vector<double> before, after;
    std::vector<double> players;
};

struct Glicko2Sweep {
    std::vector<double> prediction;
    std::vector<double> rating_before, deviation_before;
    std::vector<double> rating_after, deviation_after, volatility_after;
    std::vector<Glicko2Rating> players;
};

EloSweep elo_sweep(const Results& results, std::size_t players, const EloSettings& settings);

// `period` (not falling) says which games are rated together, from the ratings before the first of them.
// `clock` is the time of each game in rating periods: a player who stays away longer than one has his
// deviation widened by his volatility for each period beyond it (a fraction for a fraction).
Glicko2Sweep glicko2_sweep(const Results& results, std::span<const std::int64_t> period,
                           std::span<const double> clock, std::size_t players, const Glicko2Settings& settings);

// One player's new rating from the games of one rating period: opponents and own scores against them.
Glicko2Rating glicko2_update(const Glicko2Rating& player, std::span<const Glicko2Rating> opponents,
                             std::span<const double> scores, const Glicko2Settings& settings);

// Black's expected score.
double elo_expected(double black, double white, double head_start, const EloSettings& settings);
double glicko2_expected(const Glicko2Rating& black, const Glicko2Rating& white, double head_start,
                        const Glicko2Settings& settings);

}  // namespace tengen
