#include "tree.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>
#include <thread>

#include "playout.hpp"

namespace tengen {
namespace {

constexpr double kGrowthVisits = 500;
// The usual deviation of utilities below a node, and how many visits this assumption counts for.
constexpr double kUsualSpread = 0.2;
constexpr double kSpreadVisits = 2;
// Visits below a node without any count as so many: the first move is the likeliest one.
constexpr double kFirstVisit = 0.01;
// At the root untried moves are expected to be better than elsewhere: a move overlooked there is lost for good.
constexpr double kRootReduction = 0.5;
constexpr std::uint64_t kNoiseStream = ~std::uint64_t{0};  // apart from those of the rollouts
constexpr std::uint64_t kErrorStream = ~std::uint64_t{1};

// Sorts edges made in order of moves: by prior, then by move, in two counting passes over the prior's bytes.
void sort_by_prior(std::vector<std::uint32_t>& edges) {
    std::array<std::uint32_t, kMaxArea + 1> other;
    for (const int shift : {16, 24}) {
        std::array<std::uint16_t, 257> starts{};
        for (const std::uint32_t e : edges) ++starts[(e >> shift & 0xFF) + 1];
        for (std::size_t i = 1; i < starts.size(); ++i) starts[i] = static_cast<std::uint16_t>(starts[i] + starts[i - 1]);
        for (const std::uint32_t e : edges) other[starts[e >> shift & 0xFF]++] = e;
        std::copy_n(other.begin(), edges.size(), edges.begin());
    }
}

// Black's area less White's with every stone alive, White's handicap bonus counted, komi not.
float standing_margin(const Board& board, float bonus) {
    std::array<std::uint8_t, kMaxArea> owners;
    return static_cast<float>(area_owners(board, owners.data())) - bonus;
}

}  // namespace

std::uint32_t Tree::pack_edge(float prior, int move) {
    const float octaves = prior > 0 ? -std::log2(std::min(prior, 1.0f)) : 32;
    const float code = std::min(octaves * kPriorScale + 0.5f, 65535.0f);
    return static_cast<std::uint32_t>(code) << 16 | static_cast<std::uint32_t>(move);
}

float Tree::edge_prior(std::uint32_t edge) { return std::exp2(-static_cast<float>(edge >> 16) / kPriorScale); }

Tree::Tree(const Position& root, std::vector<float> komi_labels, TreeSettings settings)
    : root_(root), labels_(std::move(komi_labels)), settings_(settings) {
    if (labels_.empty() || !std::is_sorted(labels_.begin(), labels_.end()) ||
        std::adjacent_find(labels_.begin(), labels_.end()) != labels_.end())
        throw std::invalid_argument("komi labels must ascend, and there must be one");
    check(settings_);
    const std::size_t limit = settings_.memory / bytes_a_node();
    if (limit < 64)
        throw std::invalid_argument("a tree of " + std::to_string(settings_.memory) + " bytes holds " +
                                    std::to_string(limit) + " nodes: give it more memory");
    nodes_.reserve(limit);
    words_.reserve(limit * words_a_node());
    restart(root);
}

void Tree::check(const TreeSettings& settings) const {
    if (!(settings.lambda >= 0 && settings.lambda <= 1))
        throw std::invalid_argument("lambda, the weight of the net beside rollouts, is from 0 to 1");
    if (settings.lambda < 1 && settings.rollouts < 1) throw std::invalid_argument("lambda below 1 needs rollouts");
}

void Tree::configure(TreeSettings settings) {
    if (!pending_.empty()) throw std::logic_error("settings cannot change while leaves wait for their evaluation");
    check(settings);
    if ((settings.rollouts > 0) != (settings_.rollouts > 0) || settings.memory != settings_.memory)
        throw std::invalid_argument("rollouts and memory are laid out for this tree: make another");
    if (settings.lambda > 0 && !net_wins_.value_or(true))
        throw std::invalid_argument("the net has no win rates: lambda must be 0");
    settings_ = settings;
    revalue();
}

void Tree::restart(const Position& root) {
    const Place place = place_of(root.rules().komi);
    root_ = root;
    nodes_.clear();
    words_.clear();
    nodes_.emplace_back();
    net_wins_.reset();
    net_margins_.reset();
    net_scores_.reset();
    leaves_evaluated_ = 0;
    komi_ = root.rules().komi;
    place_ = place;
    centre_ = 0;
}

double Tree::spread_factor(const Node& node) const {
    const double mean = utility(node);
    // A value far from even is less sure than few visits say: it counts as one more deviation.
    const double squares = std::max(0.0, node.U2 - node.N * mean * mean) + (mean - 0.5) * (mean - 0.5) +
                           kSpreadVisits * kUsualSpread * kUsualSpread;
    const double deviation = std::sqrt(squares / (node.N - 1 + kSpreadVisits));
    return 1 + static_cast<double>(settings_.spread_weight) * (deviation / kUsualSpread - 1);
}

void Tree::set_restriction(Color c, Restriction restriction) {
    unordered_ = unordered_ || !restriction.empty();
    restrictions_[c] = std::move(restriction);
}

void Tree::set_root_noise(float noise) {
    if (!(noise >= 0 && noise <= 5)) throw std::invalid_argument("root noise is from 0 to 5");
    root_noise_ = noise;
    noise_ = Random(settings_.seed, kNoiseStream);
}

void Tree::set_errors(Color side, float share) {
    if (!(share >= 0 && share <= 1)) throw std::invalid_argument("a share of errors is from 0 to 1");
    if (!pending_.empty()) throw std::logic_error("the opponent cannot change while leaves wait for their evaluation");
    if (share == 0) side = kEmpty;
    if (side == erring_ && share == errors_) return;
    erring_ = side;
    errors_ = share;
    error_draws_ = Random(settings_.seed, kErrorStream);
    unordered_ = unordered_ || share > 0;
    restart(Position(root_));
}

// The size of a normal deviate times half the noise, every other time: values are 0 .. 1.
double Tree::wide_value() {
    const double radius = std::sqrt(-2 * std::log(noise_.uniform())), angle = 2 * std::numbers::pi * noise_.uniform();
    return noise_.chance(128) ? 0.5 * root_noise_ * std::abs(radius * std::cos(angle)) : 0;
}

bool Tree::banned(int move, int depth) const {
    const Restriction& from = restrictions_[mover(depth)];
    return !from.empty() && depth < from[static_cast<std::size_t>(move)];
}

// The likeliest edge without a child that is allowed, or -1.
int Tree::next_edge(const Node& node, int depth) const {
    if (!unordered_) return node.tried < node.edges ? node.tried : -1;
    std::vector<bool> tried(static_cast<std::size_t>(root_.board().geometry().area) + 1);
    for (std::uint32_t c = node.first_child; c != kNone; c = nodes_[c].next_sibling) tried[nodes_[c].move] = true;
    for (int i = 0; i < node.edges; ++i) {
        const int move = edge_move(edge(node, i));
        if (!tried[static_cast<std::size_t>(move)] && !banned(move, depth)) return i;
    }
    return -1;
}

// An edge by the chance of its prior; -1 if that move is not allowed.
int Tree::drawn_edge(const Node& node, int depth) {
    double left = error_draws_.uniform();
    for (int i = 0; i < node.edges; ++i)
        if ((left -= static_cast<double>(edge_prior(edge(node, i)))) < 0) return banned(edge_move(edge(node, i)), depth) ? -1 : i;
    return -1;  // priors are rounded: their sum may be a little below 1
}

std::uint32_t Tree::add_child(std::uint32_t parent, int i) {
    const auto index = static_cast<std::uint32_t>(nodes_.size());
    Node& child = nodes_.emplace_back();
    Node& above = nodes_[parent];
    const std::uint32_t word = edge(above, i);
    child.parent = parent;
    child.move = static_cast<std::uint16_t>(edge_move(word));
    child.P = edge_prior(word);
    if (above.first_child == kNone) above.first_child = index;
    else nodes_[above.last_child].next_sibling = index;
    above.last_child = index;
    ++above.tried;
    return index;
}

// The child that maximises Q + U, made if it is new; kNone if there is none or no room for it.
std::uint32_t Tree::best_child(std::uint32_t parent, int depth) {
    const Node& node = nodes_[parent];
    if (mover(depth) == erring_ && error_draws_.uniform() < static_cast<double>(errors_))
        if (const int i = drawn_edge(node, depth); i >= 0) {
            const std::uint32_t drawn = child_with(parent, edge_move(edge(node, i)));
            return drawn != kNone ? drawn : full() ? kNone : add_child(parent, i);
        }
    const bool black = mover(depth) == kBlack;
    const auto of_mover = [&](double black_value) { return black ? black_value : 1 - black_value; };
    const double visits = node.N + node.in_flight - 1.0;  // below it: the first was its own
    const double growth = 1 + settings_.c_growth * std::log1p(visits / kGrowthVisits);
    const double bonus = settings_.c_puct * growth * spread_factor(node) * std::sqrt(visits + kFirstVisit);

    double tried_mass = 0;
    for (std::uint32_t c = node.first_child; c != kNone; c = nodes_[c].next_sibling)
        if (nodes_[c].N) tried_mass += nodes_[c].P;
    // What is expected of an untried move: at first the node's own utility, later the mean over those that were tried.
    const double known = std::min(1.0, tried_mass * tried_mass);
    const double expected = known * utility(node) + (1 - known) * (node.value + node.worth);
    const double reduction = settings_.fpu_reduction * (depth == 0 ? kRootReduction : 1);
    const double fpu = of_mover(expected) - reduction * std::sqrt(tried_mass);

    const bool wide = depth == 0 && root_noise_ > 0;
    const auto prior_of = [&](double prior) { return wide ? wide_prior(prior) : prior; };
    const auto noisy = [&](double score) { return wide ? score + wide_value() : score; };
    std::uint32_t best = kNone;
    double best_score = -1e9;
    for (std::uint32_t c = node.first_child; c != kNone; c = nodes_[c].next_sibling) {
        const Node& child = nodes_[c];
        if (unordered_ && banned(child.move, depth)) continue;
        const double n = child.N + child.in_flight;  // a selection in flight counts as a loss
        const double Q = n == 0 ? fpu : (child.N ? of_mover(utility(child)) * child.N : 0) / n;
        const double score = noisy(Q + bonus * prior_of(child.P) / (1 + n));
        if (score > best_score) best_score = score, best = c;
    }
    if (const int i = next_edge(node, depth); i >= 0 && noisy(fpu + bonus * prior_of(edge_prior(edge(node, i)))) > best_score)
        return full() ? kNone : add_child(parent, i);
    return best;
}

Position Tree::position_of(std::uint32_t node) const {
    std::vector<int> moves;
    for (std::uint32_t n = node; n != 0; n = nodes_[n].parent) moves.push_back(nodes_[n].move);
    Position position = root_;
    const Geometry& g = position.board().geometry();
    for (auto move = moves.rbegin(); move != moves.rend(); ++move)
        position.play_unchecked(g.from_flat(*move), position.to_move());
    return position;
}

// [labels]: Black's result of a counted game at each komi.
std::vector<float> Tree::wins_of(float margin) const {
    std::vector<float> wins(labels_.size());
    for (std::size_t k = 0; k < wins.size(); ++k)
        wins[k] = margin > labels_[k] ? 1.0f : margin == labels_[k] ? 0.5f : 0.0f;
    return wins;
}

void Tree::set_margin(Node& node, float margin) const {
    node.net_margin = node.rollout_margin = node.score = margin;
    node.square = margin * margin;
}

void Tree::back_up(std::uint32_t node, int virtual_losses) {
    const double value = nodes_[node].value, worth = nodes_[node].worth, square_of_utility = (value + worth) * (value + worth);
    const double net_margin = nodes_[node].net_margin, rollout_margin = nodes_[node].rollout_margin;
    const double score = nodes_[node].score, square = nodes_[node].square;
    for (std::uint32_t n = node; n != kNone; n = nodes_[n].parent) {
        nodes_[n].in_flight = static_cast<std::uint16_t>(nodes_[n].in_flight - virtual_losses);
        nodes_[n].N += 1;
        nodes_[n].W += value;
        nodes_[n].X += worth;
        nodes_[n].U2 += square_of_utility;
        nodes_[n].S += score;
        nodes_[n].S2 += square;
        nodes_[n].net_M += net_margin;
        nodes_[n].rollout_M += rollout_margin;
    }
}

int Tree::select(int batch, std::uint32_t limit) {
    if (!pending_.empty()) throw std::logic_error("the leaves selected before have not been expanded");
    pending_.reserve(static_cast<std::size_t>(batch));
    if (root_noise_ > 0) {
        wide_mass_ = 1;
        double mass = 0;
        for (int i = 0; i < nodes_[0].edges; ++i) mass += wide_prior(edge_prior(edge(nodes_[0], i)));
        if (mass > 0) wide_mass_ = mass;
    }
    int collisions = 0;
    while (leaf_count() < batch && visits() + pending_.size() < limit) {
        std::uint32_t node = 0;
        for (int depth = 0; nodes_[node].state == kExpanded; ++depth) {
            node = best_child(node, depth);
            if (node == kNone) return leaf_count();
        }
        if (nodes_[node].state == kNew) {
            Position position = position_of(node);
            if (node != 0 && position.passes() >= 2 && root_.rules().stones_stand()) {
                const float margin = standing_margin(position.board(), handicap_bonus(position));
                const std::vector<float> wins = wins_of(margin);
                set_margin(nodes_[node], margin);
                store(nodes_[node], {}, wins, wins);
                nodes_[node].state = kTerminal;
            } else {
                nodes_[node].state = kInFlight;
                pending_.push_back({node, 0, std::move(position), {}, 0, std::nullopt});
            }
        }
        if (nodes_[node].state == kTerminal) {
            back_up(node, 0);
            continue;
        }
        for (std::uint32_t n = node; n != kNone; n = nodes_[n].parent) ++nodes_[n].in_flight;
        const auto leaf = std::find_if(pending_.begin(), pending_.end(), [&](const Pending& p) { return p.node == node; });
        // A leaf met again: the virtual loss stays and turns the next selection elsewhere, for some time.
        if (leaf->virtual_losses++ > 0 && ++collisions >= batch) break;
    }
    return leaf_count();
}

void Tree::roll_out(int threads) {
    if (settings_.rollouts < 1) return;
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        PlayoutRecord record;
        for (std::size_t i; (i = next++) < pending_.size();) {
            Pending& leaf = pending_[i];
            leaf.rollout_wins.assign(labels_.size(), 0);
            double margins = 0;
            const float bonus = handicap_bonus(leaf.position);
            Random random(settings_.seed, leaves_evaluated_ + i);
            const std::vector<Packed>& moves = leaf.position.moves();
            const Point last = moves.empty() ? kNoPoint : root_.board().geometry().from_flat(packed_point(moves.back()));
            for (int n = 0; n < settings_.rollouts; ++n) {
                Board board = leaf.position.board();
                play_out(board, leaf.position.to_move(), random, Policy::kGuided, record, last);
                const float margin = standing_margin(board, bonus);
                margins += margin;
                for (std::size_t k = 0; k < labels_.size(); ++k)
                    leaf.rollout_wins[k] += margin > labels_[k] ? 1.0f : margin == labels_[k] ? 0.5f : 0.0f;
            }
            for (float& wins : leaf.rollout_wins) wins /= static_cast<float>(settings_.rollouts);
            leaf.rollout_margin = static_cast<float>(margins / settings_.rollouts);
        }
    };
    std::vector<std::jthread> helpers;
    for (int i = 1; i < std::min(threads, leaf_count()); ++i) helpers.emplace_back(work);
    work();
}

void Tree::count(int i, float margin) {
    if (i < 0 || i >= leaf_count()) throw std::out_of_range("no such leaf is selected");
    Pending& leaf = pending_[static_cast<std::size_t>(i)];
    if (leaf.position.passes() < 2) throw std::invalid_argument("only a game that two passes ended is counted");
    if (!std::isfinite(margin)) throw std::invalid_argument("the margin is not a number");
    leaf.counted = margin;
}

void Tree::expand(std::span<const float> policy, std::optional<std::span<const float>> win_by_komi,
                  std::optional<std::span<const float>> margin, std::optional<std::span<const float>> score) {
    const Geometry& g = root_.board().geometry();
    const std::size_t moves = static_cast<std::size_t>(g.area) + 1, labels = labels_.size(), n = pending_.size();
    if (policy.size() != n * moves || (win_by_komi && win_by_komi->size() != n * labels) ||
        (margin && margin->size() != n) || (score && score->size() != 2 * n))
        throw std::invalid_argument("the evaluations do not have the shapes of the selected leaves");
    const auto finite = [](std::span<const float> xs) {
        return std::all_of(xs.begin(), xs.end(), [](float x) { return std::isfinite(x); });
    };
    if (!finite(policy) || (win_by_komi && !finite(*win_by_komi)) || (margin && !finite(*margin)) ||
        (score && !finite(*score)))
        throw std::invalid_argument("the net's evaluation is not a number");
    if (!win_by_komi && settings_.lambda > 0)
        throw std::invalid_argument("the net has no win rates: lambda must be 0, with rollouts");
    if (net_wins_.value_or(win_by_komi.has_value()) != win_by_komi.has_value() ||
        net_margins_.value_or(margin.has_value()) != margin.has_value() ||
        net_scores_.value_or(score.has_value()) != score.has_value())
        throw std::invalid_argument("a net has win rates, margins and scores for all leaves or for none");
    if (settings_.rollouts > 0)
        for (const Pending& leaf : pending_)
            if (leaf.rollout_wins.empty()) throw std::logic_error("the leaves wait for their rollouts");
    net_wins_ = win_by_komi.has_value();
    net_margins_ = margin.has_value();
    net_scores_ = score.has_value();
    const std::vector<float> none(labels, 0.0f);
    std::vector<std::uint32_t> edges;
    for (std::size_t i = 0; i < n; ++i) {
        const Pending& leaf = pending_[i];
        const std::span<const float> prior = policy.subspan(i * moves, moves);
        float mass = 0;
        edges.clear();
        const bool ended = leaf.node != 0 && leaf.position.passes() >= 2;
        for (std::size_t m = 0; m < moves && !ended; ++m)
            if (leaf.position.is_legal(g.from_flat(static_cast<int>(m)), leaf.position.to_move())) {
                edges.push_back(static_cast<std::uint32_t>(m));
                mass += std::max(prior[m], 0.0f);
            }
        for (std::uint32_t& e : edges) {
            const float p = mass > 0 ? std::max(prior[e], 0.0f) / mass : 1.0f / static_cast<float>(edges.size());
            e = pack_edge(p, static_cast<int>(e));
        }
        sort_by_prior(edges);
        Node& node = nodes_[leaf.node];
        node.net_margin = margin ? (*margin)[i] : 0;
        node.score = score ? (*score)[2 * i] : 0;
        node.square = score ? (*score)[2 * i + 1] : 0;
        node.rollout_margin = leaf.rollout_margin;
        if (leaf.counted) {
            const std::vector<float> wins = wins_of(*leaf.counted);
            set_margin(node, *leaf.counted);
            store(node, edges, wins, wins);
        } else {
            store(node, edges, win_by_komi ? win_by_komi->subspan(i * labels, labels) : std::span<const float>(none),
                  leaf.rollout_wins);
        }
        node.state = ended ? kTerminal : kExpanded;
        back_up(leaf.node, leaf.virtual_losses);
        if (leaf.node == 0) {
            recentre();
            revalue();
        }
    }
    leaves_evaluated_ += n;
    pending_.clear();
}

void Tree::abandon() {
    for (const Pending& leaf : pending_) {
        nodes_[leaf.node].state = kNew;
        for (std::uint32_t n = leaf.node; n != kNone; n = nodes_[n].parent)
            nodes_[n].in_flight = static_cast<std::uint16_t>(nodes_[n].in_flight - leaf.virtual_losses);
    }
    pending_.clear();
}

std::uint32_t Tree::child_with(std::uint32_t parent, int move) const {
    for (std::uint32_t c = nodes_[parent].first_child; c != kNone; c = nodes_[c].next_sibling)
        if (nodes_[c].move == move) return c;
    return kNone;
}

std::uint32_t Tree::find(std::span<const int> path) const {
    std::uint32_t node = 0;
    for (const int move : path)
        if ((node = child_with(node, move)) == kNone) return kNone;
    return node;
}

std::uint32_t Tree::move_to(const Position& position) {
    if (!pending_.empty()) throw std::logic_error("the root cannot move while leaves wait for their evaluation");
    place_of(position.rules().komi);  // refuses a komi beyond the labels before anything has changed
    const std::vector<Packed>&before = root_.moves(), &now = position.moves();
    Rules rules = root_.rules();
    rules.komi = position.rules().komi;
    const bool follows = position.size() == root_.size() && position.rules() == rules &&
                         position.start().hash() == root_.start().hash() && now.size() >= before.size() &&
                         std::equal(before.begin(), before.end(), now.begin());
    std::uint32_t node = follows ? 0 : kNone;
    Color side = root_.to_move();
    for (std::size_t i = before.size(); i < now.size() && node != kNone; ++i) {
        node = packed_color(now[i]) == side ? child_with(node, packed_point(now[i])) : kNone;
        side = opponent(side);
    }
    if (node == kNone || side != position.to_move() || nodes_[node].state != kExpanded) {
        if (position.size() != root_.size())
            throw std::invalid_argument("a tree is for one board size: make another");
        restart(position);
        return 0;
    }
    if (node != 0) keep_only(node);
    const float komi_before = root_.rules().komi;
    root_ = position;
    set_komi(root_.rules().komi == komi_before ? komi_ : root_.rules().komi);
    return nodes_[0].N;
}

// Slides the subtree to the front. Parents come before children, so a kept node's parent has moved already.
void Tree::keep_only(std::uint32_t new_root) {
    std::vector<std::uint32_t> moved(nodes_.size(), kNone);
    std::uint32_t count = 0;
    std::size_t words = 0;
    for (std::size_t i = new_root; i < nodes_.size(); ++i) {
        const bool top = i == new_root;
        if (!top && (nodes_[i].parent < new_root || moved[nodes_[i].parent] == kNone)) continue;
        Node node = nodes_[i];
        node.parent = top ? kNone : moved[node.parent];
        moved[i] = count;
        if (node.state == kExpanded || node.state == kTerminal) {
            const std::size_t size = node.edges + leaf_words();
            std::copy_n(words_.begin() + node.data, size, words_.begin() + static_cast<std::ptrdiff_t>(words));
            node.data = static_cast<std::uint32_t>(words);
            words += size;
        }
        nodes_[count++] = node;
    }
    nodes_.resize(count);
    words_.resize(words);
    const auto follow = [&](std::uint32_t& link) {
        if (link != kNone) link = moved[link];
    };
    for (Node& node : nodes_) {
        follow(node.first_child);
        follow(node.last_child);
        follow(node.next_sibling);
    }
    nodes_[0].next_sibling = kNone;
}

}  // namespace tengen
