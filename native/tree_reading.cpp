// What a tree says of itself: children, lines, values. Nothing here changes it.
#include <algorithm>
#include <cmath>

#include "tree.hpp"

namespace tengen {

std::vector<Child> Tree::children(std::span<const int> path, bool unvisited) const {
    std::vector<Child> out;
    const std::uint32_t index = find(path);
    if (index == kNone) return out;
    const Node& node = nodes_[index];
    for (int i = 0; i < node.edges; ++i) {
        const std::uint32_t word = edge(node, i);
        const std::uint32_t c = child_with(index, edge_move(word));
        if (c != kNone && nodes_[c].N)
            out.push_back({edge_move(word), nodes_[c].N, nodes_[c].P, nodes_[c].W / nodes_[c].N,
                           margin_of(nodes_[c], Source::kMixed)});
        else if (unvisited)
            out.push_back({edge_move(word), 0, edge_prior(word), std::nullopt, std::nullopt});
    }
    return out;
}

std::optional<std::pair<double, double>> Tree::score(std::span<const int> path) const {
    const std::uint32_t index = find(path);
    if (index == kNone || nodes_[index].N == 0 || !net_scores_.value_or(false)) return std::nullopt;
    const Node& node = nodes_[index];
    const double mean = node.S / node.N;
    return std::pair{mean, std::sqrt(std::max(0.0, node.S2 / node.N - mean * mean))};
}

std::vector<std::pair<int, std::uint32_t>> Tree::principal_variation(std::span<const int> path, int limit) const {
    std::vector<std::pair<int, std::uint32_t>> line;
    std::uint32_t node = 0;
    const auto follow = [&](std::uint32_t child) {
        node = child;
        if (node != kNone) line.emplace_back(nodes_[node].move, nodes_[node].N);
    };
    for (const int move : path) {
        follow(child_with(node, move));
        if (node == kNone) return line;
    }
    while (node != kNone && static_cast<int>(line.size()) < limit) {
        std::uint32_t best = kNone;
        for (std::uint32_t c = nodes_[node].first_child; c != kNone; c = nodes_[c].next_sibling)
            if (nodes_[c].N && (best == kNone || nodes_[c].N > nodes_[best].N)) best = c;
        follow(best);
    }
    return line;
}

std::vector<std::uint32_t> Tree::roots_children() const {
    std::vector<std::uint32_t> below(nodes_.size(), 0);  // parents come first
    for (std::uint32_t n = 1; n < nodes_.size(); ++n) below[n] = nodes_[n].parent == 0 ? n : below[nodes_[n].parent];
    return below;
}

std::vector<std::tuple<int, double, double>> Tree::utilities() const {
    std::vector<std::tuple<int, double, double>> out;
    for (std::uint32_t c = nodes_[0].first_child; c != kNone; c = nodes_[c].next_sibling) {
        const Node& child = nodes_[c];
        if (child.N == 0) continue;
        const double mean = utility(child);
        out.emplace_back(child.move, mean, std::sqrt(std::max(0.0, child.U2 / child.N - mean * mean)));
    }
    return out;
}

std::optional<double> Tree::win_rate() const {
    if (visits() == 0) return std::nullopt;
    return nodes_[0].W / nodes_[0].N;
}

std::optional<WinRates> Tree::win_rates_at(float komi, Source source) const {
    const Place place = place_of(komi);
    if (visits() == 0 || !knows_win_rates(source)) return std::nullopt;
    const std::vector<std::uint32_t> below = roots_children();
    std::vector<double> sums(nodes_.size(), 0);
    for (std::uint32_t n = 0; n < nodes_.size(); ++n)
        if (const Node& node = nodes_[n]; node.N)
            sums[below[n]] += static_cast<double>(own_visits(node)) * value_at(node, place, source);
    WinRates out{sums[0], {}};
    for (std::uint32_t c = nodes_[0].first_child; c != kNone; c = nodes_[c].next_sibling) {
        if (nodes_[c].N == 0) continue;
        out.root += sums[c];
        out.children.emplace_back(nodes_[c].move, sums[c] / nodes_[c].N);
    }
    out.root /= visits();
    return out;
}

std::optional<std::vector<double>> Tree::win_by_komi(Source source) const {
    if (visits() == 0 || !knows_win_rates(source)) return std::nullopt;
    std::vector<double> mean(labels_.size());
    for (const Node& node : nodes_) {
        if (node.N == 0) continue;
        const double weight = static_cast<double>(own_visits(node)) / visits();
        for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += weight * w(node, k, source);
    }
    return mean;
}

}  // namespace tengen
