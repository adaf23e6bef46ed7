#include "whole_history.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace tengen {
namespace {

// Far from the maximum a Newton step can overshoot, so no rating moves further than this in one.
constexpr double kLongestStep = 2.0;
constexpr double kMostRanks = 1000.0;  // larger head starts are refused
// A step costs time in proportion to the player's games. In a long history it waits until a thousandth of the games
// are new, so that a player of n games costs 1000 n and not n^2.
constexpr std::size_t kSteppedShare = 1000;

double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }

}  // namespace

WholeHistory::WholeHistory(std::size_t players, const WholeHistorySettings& settings)
    : settings_(settings), players_(players), advantages_{0.0}, now_(std::numeric_limits<std::int64_t>::min()) {
    if (!(settings.drift > 0.0) || !(settings.prior_wins > 0.0) || !(settings.rank_deviation > 0.0))
        throw std::invalid_argument("drift, prior wins and rank deviation must be positive");
}

std::uint32_t WholeHistory::day_of(Player& player, std::int64_t time) {
    if (player.days.empty() || player.days.back().time < time) {
        const double rating = player.days.empty() ? 0.0 : player.days.back().rating;
        player.days.push_back({time, rating, player.games.size()});
    }
    return static_cast<std::uint32_t>(player.days.size() - 1);
}

void WholeHistory::check(const Results& results, std::span<const std::int64_t> time) const {
    const std::size_t n = results.size();
    if (results.white.size() != n || results.score.size() != n || time.size() != n ||
        (!results.head_start.empty() && results.head_start.size() != n))
        throw std::invalid_argument("columns of results differ in length");
    for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t before = i ? time[i - 1] : now_;
        if (time[i] < before) throw std::invalid_argument("games are not in order of time");
        for (const std::int32_t p : {results.black[i], results.white[i]})
            if (p < 0 || static_cast<std::size_t>(p) >= players_.size())
                throw std::invalid_argument("a player's number is out of range");
        if (results.black[i] == results.white[i]) throw std::invalid_argument("a player against himself");
        if (!(results.score[i] >= 0.0 && results.score[i] <= 1.0))
            throw std::invalid_argument("a score is not between 0 and 1");
        if (!(std::abs(results.head_start_of(i)) <= kMostRanks))
            throw std::invalid_argument("a head start is not a number between -1000 and 1000");
    }
}

void WholeHistory::add_game(const Results& results, std::size_t i, std::int64_t time) {
    Player &black = players_[results.black[i]], &white = players_[results.white[i]];
    const std::uint32_t black_day = day_of(black, time), white_day = day_of(white, time);
    const auto score = static_cast<float>(results.score[i]);
    const auto head_start = static_cast<float>(results.head_start_of(i));
    if (head_start != 0.0f)
        for (std::size_t rank = advantages_.size(); rank < static_cast<std::size_t>(std::abs(head_start)) + 2; ++rank)
            advantages_.push_back(settings_.rank_worth * static_cast<double>(rank));
    black.games.push_back({results.white[i], white_day, head_start, score});
    white.games.push_back({results.black[i], black_day, -head_start, 1.0f - score});
    sides_.insert(sides_.end(), {results.black[i], results.white[i]});
    side_days_.insert(side_days_.end(), {black_day, white_day});
    now_ = time;
}

void WholeHistory::add(const Results& results, std::span<const std::int64_t> time) {
    check(results, time);
    for (std::size_t i = 0; i < results.size(); ++i) add_game(results, i, time[i]);
}

WholeHistory::Known WholeHistory::add_in_turn(const Results& results, std::span<const std::int64_t> time) {
    check(results, time);
    const std::size_t n = results.size();
    Known known;
    known.rating.reserve(2 * n);
    known.variance.reserve(2 * n);
    known.time.reserve(2 * n);
    known.advantage.reserve(n);
    Slope slope;
    for (std::size_t i = 0; i < n; ++i) {
        for (const std::int32_t p : {results.black[i], results.white[i]}) {
            Player& player = players_[p];
            const std::size_t games = player.games.size(), unfitted = games - player.fitted;
            if (unfitted > 0 && unfitted * kSteppedShare >= games) step(player, slope);
            const bool played = !player.days.empty();
            known.rating.push_back(played ? player.days.back().rating : 0.0);
            known.variance.push_back(player.variance);
            known.time.push_back(played ? player.days.back().time : -1);
        }
        known.advantage.push_back(advantage(results.head_start_of(i)));
        add_game(results, i, time[i]);
    }
    return known;
}

double WholeHistory::advantage(double head_start) const {
    const double ranks = std::abs(head_start);
    const auto below = static_cast<std::size_t>(ranks);
    double worth = settings_.rank_worth * ranks;
    if (below + 1 < advantages_.size()) {
        const double part = ranks - static_cast<double>(below);
        worth = (1.0 - part) * advantages_[below] + part * advantages_[below + 1];
    }
    return head_start < 0.0 ? -worth : worth;
}

double WholeHistory::lead(const Day& day, const Game& game) const {
    const double even = day.rating - players_[game.opponent].days[game.day].rating;
    return game.head_start == 0.0f ? even : even + advantage(game.head_start);
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
    player.fitted = player.games.size();
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
    if (advantages_.size() == 1) return 0.0;  // every game so far was even
    std::vector<double> gradient(advantages_.size()), curvature(advantages_.size());
    for (const Player& player : players_)
        for (std::size_t i = 0; i < player.days.size(); ++i) {
            const std::size_t end = i + 1 < player.days.size() ? player.days[i + 1].first : player.games.size();
            for (std::size_t k = player.days[i].first; k < end; ++k) {
                const Game& game = player.games[k];
                if (game.head_start <= 0.0f) continue;  // each game is counted once, for the side with the head start
                const double expected = logistic(lead(player.days[i], game));
                const auto below = static_cast<std::size_t>(game.head_start);
                const double part = game.head_start - static_cast<double>(below);
                // A game lies between two whole ranks. Its weights w sum to 1, so that their outer product is at
                // most diag(w): with w for w^2, steps of all ranks at once do not overshoot.
                for (const auto& [rank, weight] : {std::pair{below, 1.0 - part}, std::pair{below + 1, part}}) {
                    gradient[rank] += weight * (game.score - expected);
                    curvature[rank] += weight * expected * (1.0 - expected);
                }
            }
        }
    const double precision = 1.0 / (settings_.rank_deviation * settings_.rank_deviation);
    double longest = 0.0;
    for (std::size_t rank = 1; rank < advantages_.size(); ++rank) {
        const double prior = settings_.rank_worth * static_cast<double>(rank);
        const double up = gradient[rank] - precision * (advantages_[rank] - prior);
        const double move = std::clamp(up / (curvature[rank] + precision), -kLongestStep, kLongestStep);
        advantages_[rank] += move;
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
    return longest;
}

WholeHistory::Curves WholeHistory::curves() const {
    // Eliminating from both ends gives the variances: the diagonal of the inverse of the negative Hessian.
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

}  // namespace tengen
