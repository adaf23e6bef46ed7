#include "ratings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>

namespace tengen {
namespace {

constexpr double kCentre = 1500.0;  // the rating at which Glicko-2's mu is 0
constexpr double kPi2 = std::numbers::pi * std::numbers::pi;
constexpr double kLeastRating = 100.0;  // OGS' lowest: below it, a rank would be worth next to nothing

double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }

// How much a certain opponent counts: Glickman's g, of the variance phi^2.
double g_of(double variance) { return 1.0 / std::sqrt(1.0 + 3.0 * variance / kPi2); }

// Rating points that `ranks` are worth at `rating`.
double points(double rating, double ranks) {
    return ranks == 0.0 ? 0.0 : std::max(rating, kLeastRating) * std::expm1(ranks / kRanksPerFold);
}

// Glicko-2's own scale.
struct State {
    double mu, phi, sigma;
    double seen;  // clock of the last period played in; NaN before the first
};

// The games of one player in one period (Glickman's steps 3 and 4).
struct Evidence {
    double information = 0.0;  // 1 / v
    double surprise = 0.0;     // delta / v

    void add(double mu, double opponent_mu, double opponent_phi, double score) {
        const double g = g_of(opponent_phi * opponent_phi);
        const double e = logistic(g * (mu - opponent_mu));
        information += g * g * e * (1.0 - e);
        surprise += g * (score - e);
    }
};

class Glicko2 {
   public:
    explicit Glicko2(const Glicko2Settings& s)
        : s_(s),
          inverse_tau2_(1.0 / (s.tau * s.tau)),
          shrink_(std::exp(-s.tau)),
          initial_{inside({s.initial_rating, s.initial_deviation, s.initial_volatility})} {}

    State initial() const { return initial_; }

    static State inside(const Glicko2Rating& r) {
        return {(r.rating - kCentre) / kGlickoScale, r.deviation / kGlickoScale, r.volatility,
                std::numeric_limits<double>::quiet_NaN()};
    }
    static Glicko2Rating outside(const State& p) { return {rating(p), p.phi * kGlickoScale, p.sigma}; }
    static double rating(const State& p) { return kCentre + p.mu * kGlickoScale; }

    // mu of a player who is given `ranks` of head start.
    static double mu_with(const State& p, double ranks) {
        return ranks == 0.0 ? p.mu : p.mu + points(rating(p), ranks) / kGlickoScale;
    }

    // The deviation at `clock`, after the periods in which the player stayed away.
    double phi_at(const State& p, double clock) const {
        const double away = clock - p.seen - 1.0;
        if (!(away > 0.0)) return p.phi;
        return std::min(std::sqrt(p.phi * p.phi + away * p.sigma * p.sigma), s_.max_deviation / kGlickoScale);
    }

    double expected(const State& black, const State& white, double head_start) const {
        const double g = s_.use_deviations ? g_of(black.phi * black.phi + white.phi * white.phi) : 1.0;
        return logistic(g * (mu_with(black, head_start) - white.mu));
    }

    // Steps 5 to 8; `p.phi` is the deviation before the period.
    void learn(State& p, const Evidence& games) const {
        const double v = games.information > 0.0 ? 1.0 / games.information : 9999.0;
        const double sigma = volatility(p, v, v * games.surprise);
        const double widened = p.phi * p.phi + sigma * sigma;
        const double variance = 1.0 / (1.0 / widened + 1.0 / v);
        const double rating = kCentre + kGlickoScale * (p.mu + variance * games.surprise);
        p.mu = (std::clamp(rating, s_.min_rating, s_.max_rating) - kCentre) / kGlickoScale;
        p.phi = std::clamp(kGlickoScale * std::sqrt(variance), s_.min_deviation, s_.max_deviation) / kGlickoScale;
        p.sigma = std::clamp(sigma, s_.min_volatility, s_.max_volatility);
    }

   private:
    // Step 5: the new volatility by the Illinois algorithm, as published in Glickman's guide of 2022.
    // x is the logarithm of a squared volatility; e^x is handed along where it is known without an exp.
    double volatility(const State& p, double v, double delta) const {
        if (s_.tau == 0.0) return p.sigma;
        const double sigma2 = p.sigma * p.sigma;
        const double a = std::log(sigma2);
        const double phi2 = p.phi * p.phi;
        const double excess = delta * delta - phi2 - v;
        const auto f = [&](double x, double ex) {
            const double spread = phi2 + v + ex;
            return ex * (excess - ex) / (2.0 * spread * spread) - (x - a) * inverse_tau2_;
        };
        double lower = a, f_lower = f(a, sigma2);
        double upper, f_upper;
        if (excess > 0.0) {
            upper = std::log(excess);
            f_upper = f(upper, excess);
        } else {
            double ex = sigma2;
            int k = 0;
            do {
                upper = a - ++k * s_.tau;
                ex *= shrink_;
                f_upper = f(upper, ex);
            } while (f_upper < 0.0 && k < 100);
        }
        for (int i = 0; i < 100 && std::abs(upper - lower) > s_.epsilon; ++i) {
            const double next = lower + (lower - upper) * f_lower / (f_upper - f_lower);
            const double f_next = f(next, std::exp(next));
            if (f_next * f_upper <= 0.0) {
                lower = upper;
                f_lower = f_upper;
            } else {
                f_lower /= 2.0;
            }
            upper = next;
            f_upper = f_next;
        }
        return std::exp(lower / 2.0);
    }

    Glicko2Settings s_;
    double inverse_tau2_, shrink_;  // 1 / tau^2, e^-tau
    State initial_;
};

void check(const Results& r, std::size_t players) {
    const std::size_t n = r.size();
    if (r.white.size() != n || r.score.size() != n || (!r.head_start.empty() && r.head_start.size() != n))
        throw std::invalid_argument("the columns of the results differ in length");
    for (std::size_t i = 0; i < n; ++i) {
        const auto b = r.black[i], w = r.white[i];
        if (b < 0 || w < 0 || static_cast<std::size_t>(b) >= players || static_cast<std::size_t>(w) >= players)
            throw std::invalid_argument("game " + std::to_string(i) + ": player number out of range");
        if (b == w) throw std::invalid_argument("game " + std::to_string(i) + ": a player against himself");
        if (!(r.score[i] >= 0.0 && r.score[i] <= 1.0))
            throw std::invalid_argument("game " + std::to_string(i) + ": the score is not in 0 to 1");
        if (!std::isfinite(r.head_start_of(i)))
            throw std::invalid_argument("game " + std::to_string(i) + ": the head start is not a number");
    }
}

}  // namespace

double elo_expected(double black, double white, double head_start, const EloSettings& s) {
    const double x = (black + points(black, head_start) - white) / s.scale;
    return s.curve == Curve::kLogistic ? logistic(x) : 0.5 * std::erfc(-x / std::numbers::sqrt2);
}

EloSweep elo_sweep(const Results& r, std::size_t players, const EloSettings& s) {
    check(r, players);
    const std::size_t n = r.size();
    EloSweep out{std::vector<double>(n), std::vector<double>(2 * n), std::vector<double>(2 * n),
                 std::vector<double>(players, s.initial)};
    for (std::size_t i = 0; i < n; ++i) {
        double& black = out.players[static_cast<std::size_t>(r.black[i])];
        double& white = out.players[static_cast<std::size_t>(r.white[i])];
        out.before[2 * i] = black;
        out.before[2 * i + 1] = white;
        const double expected = elo_expected(black, white, r.head_start_of(i), s);
        const double step = s.k * (r.score[i] - expected);
        black += step;
        white -= step;
        out.prediction[i] = expected;
        out.after[2 * i] = black;
        out.after[2 * i + 1] = white;
    }
    return out;
}

double glicko2_expected(const Glicko2Rating& black, const Glicko2Rating& white, double head_start,
                        const Glicko2Settings& s) {
    const Glicko2 system(s);
    const State b = system.inside(black), w = system.inside(white);
    return system.expected(b, w, head_start);
}

Glicko2Rating glicko2_update(const Glicko2Rating& player, std::span<const Glicko2Rating> opponents,
                             std::span<const double> scores, const Glicko2Settings& s) {
    if (opponents.size() != scores.size()) throw std::invalid_argument("as many scores as opponents are needed");
    const Glicko2 system(s);
    State p = system.inside(player);
    if (opponents.empty()) {
        p.seen = 0.0;
        p.phi = system.phi_at(p, 2.0);
        return system.outside(p);
    }
    Evidence games;
    for (std::size_t i = 0; i < opponents.size(); ++i) {
        const State o = system.inside(opponents[i]);
        games.add(p.mu, o.mu, o.phi, scores[i]);
    }
    system.learn(p, games);
    return system.outside(p);
}

Glicko2Sweep glicko2_sweep(const Results& r, std::span<const std::int64_t> period, std::span<const double> clock,
                           std::size_t players, const Glicko2Settings& s) {
    check(r, players);
    const std::size_t n = r.size();
    if (period.size() != n || clock.size() != n)
        throw std::invalid_argument("the columns of the results differ in length");
    for (std::size_t i = 0; i < n; ++i) {
        if (i > 0 && period[i] < period[i - 1])
            throw std::invalid_argument("game " + std::to_string(i) + ": an earlier period after a later one");
        if (!std::isfinite(clock[i])) throw std::invalid_argument("game " + std::to_string(i) + ": no time");
    }
    const Glicko2 system(s);
    Glicko2Sweep out;
    out.prediction.resize(n);
    for (auto* history : {&out.rating_before, &out.deviation_before, &out.rating_after, &out.deviation_after,
                          &out.volatility_after})
        history->resize(2 * n);

    struct alignas(64) Player {
        State state;
        Evidence games;
        std::size_t period;  // the last one he played in, by its first game; `n` before any
    };
    std::vector<Player> all(players, Player{system.initial(), {}, n});
    const auto black = [&](std::size_t i) -> Player& { return all[static_cast<std::size_t>(r.black[i])]; };
    const auto white = [&](std::size_t i) -> Player& { return all[static_cast<std::size_t>(r.white[i])]; };
    std::vector<Player*> active;  // the players of the period at hand

    for (std::size_t first = 0, last; first < n; first = last) {
        for (last = first + 1; last < n && period[last] == period[first];) ++last;
        active.clear();
        for (std::size_t i = first; i < last; ++i)
            for (Player* p : {&black(i), &white(i)})
                if (p->period != first) {
                    p->period = first;
                    p->games = {};
                    p->state.phi = system.phi_at(p->state, clock[i]);
                    p->state.seen = clock[i];
                    active.push_back(p);
                }
        for (std::size_t i = first; i < last; ++i) {
            const State &b = black(i).state, &w = white(i).state;
            const double head_start = r.head_start_of(i);
            out.rating_before[2 * i] = Glicko2::rating(b);
            out.rating_before[2 * i + 1] = Glicko2::rating(w);
            out.deviation_before[2 * i] = b.phi * kGlickoScale;
            out.deviation_before[2 * i + 1] = w.phi * kGlickoScale;
            out.prediction[i] = system.expected(b, w, head_start);
            // As OGS does, each player meets an opponent whose rating the handicap has moved.
            black(i).games.add(b.mu, Glicko2::mu_with(w, -head_start), w.phi, r.score[i]);
            white(i).games.add(w.mu, Glicko2::mu_with(b, head_start), b.phi, 1.0 - r.score[i]);
        }
        for (Player* p : active) system.learn(p->state, p->games);
        for (std::size_t i = first; i < last; ++i)
            for (std::size_t side = 0; side < 2; ++side) {
                const State& p = (side == 0 ? black(i) : white(i)).state;
                out.rating_after[2 * i + side] = Glicko2::rating(p);
                out.deviation_after[2 * i + side] = p.phi * kGlickoScale;
                out.volatility_after[2 * i + side] = p.sigma;
            }
    }
    out.players.reserve(players);
    for (const Player& p : all) out.players.push_back(Glicko2::outside(p.state));
    return out;
}

}  // namespace tengen
