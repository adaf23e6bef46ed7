// What nodes are worth: win rates by komi as they are stored, the worth of scores, and both at the komi in use.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <stdexcept>
#include <string>

#include "tree.hpp"

namespace tengen {
namespace {

// Share of the root's mean score that is the centre of the worth of scores, and the points a line that are worth half.
constexpr double kCentreShare = 0.8;
constexpr double kPointsALine = 0.75;
// The same about an even score: its weight beside the other, and its points a line. It still tells large scores apart.
constexpr double kEvenShare = 1.0 / 3;
constexpr double kEvenPointsALine = 2;
constexpr float kFixed = 65535;  // the rollouts' win rates are stored as multiples of its inverse

// What an expected final score is worth, -1 .. 1: the mean of 2/pi atan(points / scale) over a normal distribution of
// the score, nearly: with 2/pi of the variance added to the square of the scale, small and large deviations are exact.
double score_worth(double points, double variance, double scale) {
    constexpr double kTwoOverPi = 2 / std::numbers::pi;
    return kTwoOverPi * std::atan(points / std::sqrt(scale * scale + kTwoOverPi * variance));
}

std::string number(float x) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", static_cast<double>(x));
    return text;
}

}  // namespace

float Tree::v(const Node& node, std::size_t k) const { return std::bit_cast<float>(words_[node.data + node.edges + k]); }

float Tree::r(const Node& node, std::size_t k) const {
    const std::uint32_t word = words_[node.data + node.edges + labels_.size() + k / 2];
    return static_cast<float>(k % 2 ? word >> 16 : word & 0xFFFF) / kFixed;
}

float Tree::w(const Node& node, std::size_t k, Source source) const {
    const float lambda = source == Source::kNet ? 1 : source == Source::kRollouts ? 0 : settings_.lambda;
    if (lambda == 1) return v(node, k);
    if (lambda == 0) return r(node, k);
    return (1 - lambda) * r(node, k) + lambda * v(node, k);
}

Tree::Place Tree::place_of(float komi) const {
    if (!(komi >= labels_.front() && komi <= labels_.back()))
        throw std::invalid_argument("komi " + number(komi) + " is outside of the komi labels, which go from " +
                                    number(labels_.front()) + " to " + number(labels_.back()));
    const auto above = static_cast<std::size_t>(std::upper_bound(labels_.begin(), labels_.end(), komi) - labels_.begin());
    const std::size_t index = above - 1;
    return {index, above == labels_.size() ? 0 : (komi - labels_[index]) / (labels_[above] - labels_[index])};
}

float Tree::value_at(const Node& node, Place place, Source source) const {
    const float low = w(node, place.index, source);
    if (place.fraction == 0) return low;
    return low + place.fraction * (w(node, place.index + 1, source) - low);
}

bool Tree::knows_win_rates(Source source) const {
    const bool net = net_wins_.value_or(false), rolled = settings_.rollouts > 0;
    if (source == Source::kMixed) return settings_.lambda > 0 ? net : rolled;
    return source == Source::kNet ? net : rolled;
}

std::optional<double> Tree::margin_of(const Node& node, Source source) const {
    if (node.N == 0) return std::nullopt;
    const bool net = net_margins_.value_or(false) && source != Source::kRollouts;
    const bool rolled = settings_.rollouts > 0 && source != Source::kNet;
    if (!net && !rolled) return std::nullopt;
    const double lambda = net && rolled ? static_cast<double>(settings_.lambda) : net ? 1 : 0;
    return ((1 - lambda) * node.rollout_M + lambda * node.net_M) / node.N;
}

void Tree::store(Node& node, std::span<const std::uint32_t> edges, std::span<const float> v, std::span<const float> r) {
    node.data = static_cast<std::uint32_t>(words_.size());
    node.edges = static_cast<std::uint16_t>(edges.size());
    words_.insert(words_.end(), edges.begin(), edges.end());
    for (const float x : v) words_.push_back(std::bit_cast<std::uint32_t>(std::clamp(x, 0.0f, 1.0f)));
    const auto fixed = [&](std::size_t k) {
        return k < r.size() ? static_cast<std::uint32_t>(std::clamp(r[k], 0.0f, 1.0f) * kFixed + 0.5f) : 0u;
    };
    if (settings_.rollouts > 0)
        for (std::size_t k = 0; k < r.size(); k += 2) words_.push_back(fixed(k) | fixed(k + 1) << 16);
    node.value = value_at(node, place_, Source::kMixed);
    node.worth = worth_of(node);
}

void Tree::set_komi(float komi) {
    if (!pending_.empty()) throw std::logic_error("komi cannot change while leaves wait for their evaluation");
    place_ = place_of(komi);
    komi_ = komi;
    recentre();
    revalue();
}

void Tree::recentre() {
    const Node& root = nodes_[0];
    centre_ = root.N > 0 ? static_cast<float>(kCentreShare * (root.S / root.N - static_cast<double>(komi_))) : 0;
}

float Tree::worth_of(const Node& node) const {
    if (settings_.score_weight == 0 || !net_scores_.value_or(false)) return 0;
    const double mean = node.score, variance = std::max(0.0, node.square - mean * mean);
    const double points = mean - static_cast<double>(komi_);
    const double about_centre = score_worth(points - static_cast<double>(centre_), variance, kPointsALine * root_.size());
    const double about_even = score_worth(points, variance, kEvenPointsALine * root_.size());
    return settings_.score_weight * static_cast<float>(about_centre + kEvenShare * about_even);
}

// Values at the present komi, centre and lambda, and their sums.
void Tree::revalue() {
    for (Node& node : nodes_) {
        node.W = node.X = node.U2 = 0;
        if (node.state != kExpanded && node.state != kTerminal) continue;
        node.value = value_at(node, place_, Source::kMixed);
        node.worth = worth_of(node);
    }
    for (std::size_t i = nodes_.size(); i-- > 0;) {
        Node& node = nodes_[i];
        if (node.N == 0) continue;
        const double own = own_visits(node), value = node.value, worth = node.worth;
        node.W += own * value;
        node.X += own * worth;
        node.U2 += own * (value + worth) * (value + worth);
        if (i == 0) continue;
        Node& above = nodes_[node.parent];
        above.W += node.W;
        above.X += node.X;
        above.U2 += node.U2;
    }
}

}  // namespace tengen
