#include "whole_history.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace tengen {
namespace {

// Far from the summit a Newton step can overshoot: nobody moves further than this in one.
constexpr double kLongestStep = 2.0;

double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }

}  // namespace

WholeHistory::WholeHistory(std::size_t players, const WholeHistorySettings& settings)
    : settings_(settings), players_(players), is_restless_(players), now_(std::numeric_limits<std::int64_t>::min()) {
    if (!(settings.drift > 0.0) || !(settings.prior_wins > 0.0))
        throw std::invalid_argument("drift and prior wins must be positive");
}

std::uint32_t WholeHistory::day_of(Player& player, std::int64_t time) {
    if (player.days.empty() || player.days.back().time < time) {
        const double rating = player.days.empty() ? 0.0 : player.days.back().rating;
        player.days.push_back({time, rating, player.games.size()});
    }
    return static_cast<std::uint32_t>(player.days.size() - 1);
}

void WholeHistory::add(const Results& results, std::span<const std::int64_t> time,
                       std::span<const std::int32_t> handicap) {
    const std::size_t n = results.size();
    if (results.white.size() != n || results.score.size() != n || time.size() != n || handicap.size() != n)
        throw std::invalid_argument("columns of results differ in length");
    for (std::size_t i = 0; i < n; ++i) {  // all is checked before anything is changed
        const std::int64_t before = i ? time[i - 1] : now_;
        if (time[i] < before) throw std::invalid_argument("games are not in order of time");
        for (const std::int32_t p : {results.black[i], results.white[i]})
            if (p < 0 || static_cast<std::size_t>(p) >= players_.size())
                throw std::invalid_argument("a player's number is out of range");
        if (results.black[i] == results.white[i]) throw std::invalid_argument("a player against himself");
        if (!(results.score[i] >= 0.0 && results.score[i] <= 1.0))
            throw std::invalid_argument("a score is not between 0 and 1");
    }
    for (std::size_t i = 0; i < n; ++i) {
        std::int32_t place = 0;
        if (handicap[i] != 0) {
            const auto found = places_.try_emplace(handicap[i], static_cast<std::int32_t>(advantages_.size()) + 1);
            if (found.second) advantages_.push_back(0.0);
            place = found.first->second;
        }
        Player &black = players_[results.black[i]], &white = players_[results.white[i]];
        const std::uint32_t black_day = day_of(black, time[i]), white_day = day_of(white, time[i]);
        const auto score = static_cast<float>(results.score[i]);
        black.games.push_back({results.white[i], white_day, place, score});
        white.games.push_back({results.black[i], black_day, -place, 1.0f - score});
        sides_.insert(sides_.end(), {results.black[i], results.white[i]});
        side_days_.insert(side_days_.end(), {black_day, white_day});
        for (const std::int32_t p : {results.black[i], results.white[i]})
            if (!is_restless_[p]) {
                is_restless_[p] = true;
                restless_.push_back(p);
            }
        now_ = time[i];
    }
}

double WholeHistory::lead(const Day& day, const Game& game) const {
    const double even = day.rating - players_[game.opponent].days[game.day].rating;
    if (game.advantage == 0) return even;
    return game.advantage > 0 ? even + advantages_[game.advantage - 1] : even - advantages_[-game.advantage - 1];
}

void WholeHistory::look(const Player& player, Slope& s) const {
    const std::size_t n = player.days.size();
    s.gradient.assign(n, 0.0);
    s.diagonal.assign(n, 0.0);
    s.beside.assign(n, 0.0);
    s.pivot.assign(n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        const Day& day = player.days[i];
        const std::size_t end = i + 1 < n ? player.days[i + 1].first : player.games.size();
        for (std::size_t k = day.first; k < end; ++k) {
            const double expected = logistic(lead(day, player.games[k]));
            s.gradient[i] += player.games[k].score - expected;
            s.diagonal[i] -= expected * (1.0 - expected);
        }
    }
    const double expected = logistic(player.days[0].rating);
    s.gradient[0] += settings_.prior_wins * (1.0 - 2.0 * expected);
    s.diagonal[0] -= settings_.prior_wins * 2.0 * expected * (1.0 - expected);
    for (std::size_t i = 0; i + 1 < n; ++i) {
        const Day &here = player.days[i], &next = player.days[i + 1];
        const double tie = 1.0 / (settings_.drift * static_cast<double>(next.time - here.time));
        s.gradient[i] += tie * (next.rating - here.rating);
        s.gradient[i + 1] -= tie * (next.rating - here.rating);
        s.diagonal[i] -= tie;
        s.diagonal[i + 1] -= tie;
        s.beside[i] = tie;
    }
    s.pivot[0] = s.diagonal[0];
    for (std::size_t i = 1; i < n; ++i)
        s.pivot[i] = s.diagonal[i] - s.beside[i - 1] * s.beside[i - 1] / s.pivot[i - 1];
}

double WholeHistory::step(Player& player, Slope& s) {
    const std::size_t n = player.days.size();
    look(player, s);
    player.variance = -1.0 / s.pivot[n - 1];
    std::vector<double>& x = s.gradient;
    for (std::size_t i = 1; i < n; ++i) x[i] -= s.beside[i - 1] / s.pivot[i - 1] * x[i - 1];
    x[n - 1] /= s.pivot[n - 1];
    for (std::size_t i = n - 1; i-- > 0;) x[i] = (x[i] - s.beside[i] * x[i + 1]) / s.pivot[i];
    double longest = 0.0;
    for (const double each : x) longest = std::max(longest, std::abs(each));
    const double share = longest > kLongestStep ? kLongestStep / longest : 1.0;
    for (std::size_t i = 0; i < n; ++i) player.days[i].rating -= share * x[i];
    return share * longest;
}

double WholeHistory::step_advantages() {
    if (advantages_.empty()) return 0.0;
    std::vector<double> gradient(advantages_.size()), curvature(advantages_.size());
    for (const Player& player : players_)
        for (std::size_t i = 0; i < player.days.size(); ++i) {
            const std::size_t end = i + 1 < player.days.size() ? player.days[i + 1].first : player.games.size();
            for (std::size_t k = player.days[i].first; k < end; ++k) {
                const Game& game = player.games[k];
                if (game.advantage <= 0) continue;  // Black's side of the game speaks for both
                const double expected = logistic(lead(player.days[i], game));
                gradient[game.advantage - 1] += game.score - expected;
                curvature[game.advantage - 1] += expected * (1.0 - expected);
            }
        }
    double longest = 0.0;
    for (std::size_t a = 0; a < advantages_.size(); ++a) {
        const double prior = logistic(advantages_[a]);
        const double up = gradient[a] + settings_.prior_wins * (1.0 - 2.0 * prior);
        const double across = curvature[a] + settings_.prior_wins * 2.0 * prior * (1.0 - prior);
        const double move = std::clamp(up / across, -kLongestStep, kLongestStep);
        advantages_[a] += move;
        longest = std::max(longest, std::abs(move));
    }
    return longest;
}

double WholeHistory::iterate(int rounds, double precision) {
    Slope slope;
    double longest = 0.0;
    for (int round = 0; round < rounds; ++round) {
        longest = 0.0;
        for (Player& player : players_)
            if (!player.days.empty()) longest = std::max(longest, step(player, slope));
        longest = std::max(longest, step_advantages());
        if (longest <= precision) break;
    }
    if (rounds > 0) rest();
    return longest;
}

void WholeHistory::settle(int rounds) {
    Slope slope;
    for (int round = 0; round < rounds; ++round)
        for (const std::int32_t p : restless_) step(players_[p], slope);
    rest();
}

void WholeHistory::rest() {
    for (const std::int32_t p : restless_) is_restless_[p] = false;
    restless_.clear();
}

WholeHistory::Last WholeHistory::last(std::span<const std::int32_t> players) const {
    Last out{std::vector<double>(players.size(), 0.0),
             std::vector<double>(players.size(), std::numeric_limits<double>::infinity()),
             std::vector<std::int64_t>(players.size(), -1)};
    for (std::size_t i = 0; i < players.size(); ++i) {
        if (players[i] < 0 || static_cast<std::size_t>(players[i]) >= players_.size())
            throw std::invalid_argument("a player's number is out of range");
        const Player& player = players_[players[i]];
        if (std::isinf(player.variance)) continue;
        out.rating[i] = player.days.back().rating;
        out.variance[i] = player.variance;
        out.time[i] = player.days.back().time;
    }
    return out;
}

WholeHistory::Curves WholeHistory::curves() const {
    // Variances by the elimination from both ends: the diagonal of the inverse of minus the Hessian.
    std::vector<std::vector<double>> variance(players_.size());
    Slope s;
    for (std::size_t p = 0; p < players_.size(); ++p) {
        const std::size_t n = players_[p].days.size();
        if (n == 0) continue;
        look(players_[p], s);
        variance[p].resize(n);
        double back = s.diagonal[n - 1];  // pivot of the elimination from the last day on
        variance[p][n - 1] = -1.0 / s.pivot[n - 1];
        for (std::size_t i = n - 1; i-- > 0;) {
            const double later = s.beside[i] * s.beside[i] / back;
            variance[p][i] = -1.0 / (s.pivot[i] - later);
            back = s.diagonal[i] - later;
        }
    }
    Curves out;
    out.rating.reserve(sides_.size());
    out.variance.reserve(sides_.size());
    for (std::size_t i = 0; i < sides_.size(); ++i) {
        out.rating.push_back(players_[sides_[i]].days[side_days_[i]].rating);
        out.variance.push_back(variance[sides_[i]][side_days_[i]]);
    }
    return out;
}

double WholeHistory::advantage(std::int32_t handicap) const {
    const auto found = places_.find(handicap);
    return found == places_.end() ? 0.0 : advantages_[found->second - 1];
}

}  // namespace tengen
