// The PUCT tree: select a batch of leaves, let a net evaluate them elsewhere, expand, back up.
//
// Names are those of AlphaGo Zero and of CGI (Wu et al. 2017, II.B and III): a node has N visits, a mean value
// Q = W / N, a prior P; selection adds the bonus U. Every stored value is Black's view; the mover's view is
// taken at selection. A node keeps the net's win rate v_k and the rollouts' win rate r_k for every komi label. Their
// mixture w_k = (1 - lambda) r_k + lambda v_k is made when a value is read, so that a change of komi or of lambda
// revalues the whole tree without a new evaluation, and net and rollouts can be read apart.
//
// Nodes and their data lie in two arrays in order of creation: a parent comes before its children, so that
// keeping a subtree is one pass forwards and summing up values is one pass backwards.
//
// The tree has no transpositions: nets see the last moves too, so to them another order is another position.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "position.hpp"
#include "random.hpp"

namespace tengen {

struct TreeSettings {
    // U = c(N) P sqrt(N) / (1 + n), c(N) = c_puct (1 + c_growth ln(1 + N / 500)), N being the visits below the node: its
    // own first one does not count. Values are in 0 .. 1, half as wide as the -1 .. 1 of most programs, whose usual 1.0
    // is 0.5 here; the slow growth keeps wide searches from settling on a few moves.
    float c_puct = 0.5f;
    float c_growth = 0.45f;
    // First-play urgency: a move not yet tried counts as its parent's Q less this times the square root of the
    // prior mass already tried: the more of the likely moves were tried, the less is expected of the others. Half of it
    // at the root.
    float fpu_reduction = 0.1f;
    // What selection compares is a utility: the win rate, and this times what the expected score is worth, -4/3 .. 4/3
    // (worth_of in tree.cpp). Where many moves win, or none, the score still tells good moves from bad ones.
    float score_weight = 0.15f;
    // How far U follows the spread of the utilities below a node: c is multiplied by 1 + this (deviation / 0.2 - 1).
    // Where all values are alike, visits go to the best ones; where they differ, to more of them.
    float spread_weight = 0.85f;
    // Weight of the net's value beside the rollouts' (CGI III.B): 1 is the net alone, 0 rollouts alone.
    float lambda = 1.0f;
    int rollouts = 0;  // guided playouts a leaf
    std::uint64_t seed = 0;
    std::size_t memory = std::size_t{256} << 20;  // bytes; a full tree stops growing
};

// Moves of one colour that selection may not choose: [area + 1], the depth from which a move is allowed (the root is
// depth 0); empty for no restriction.
using Restriction = std::vector<std::uint16_t>;

// Whose values are read: the net's, the rollouts', or both mixed by lambda.
enum class Source { kMixed, kNet, kRollouts };

// A child of a node. Values are Black's, mixed; a child without visits has none.
struct Child {
    int move;  // row-major, pass is the area
    std::uint32_t visits;
    float prior;
    std::optional<double> win_rate;
    std::optional<double> margin;
};

// Black's win rates at one komi: the root's, and (move, win rate) of its children with a visit.
struct WinRates {
    double root;
    std::vector<std::pair<int, double>> children;
};

class Tree {
public:
    static constexpr std::uint32_t kNone = 0xFFFFFFFF;

    // komi_labels ascend; they are the k of v_k and r_k. The root's own komi lies between the first and the last.
    Tree(const Position& root, std::vector<float> komi_labels, TreeSettings settings);

    const Position& root() const { return root_; }
    const std::vector<float>& komi_labels() const { return labels_; }
    const TreeSettings& settings() const { return settings_; }
    std::uint32_t visits() const { return nodes_[0].N; }
    std::size_t node_count() const { return nodes_.size(); }
    // What the tree takes now, and what one more node takes at most.
    std::size_t bytes() const { return nodes_.size() * sizeof(Node) + words_.size() * sizeof(std::uint32_t); }
    std::size_t bytes_a_node() const { return sizeof(Node) + words_a_node() * sizeof(std::uint32_t); }
    bool full() const { return nodes_.size() == nodes_.capacity(); }

    // The komi that Black's margin must exceed for a win; the margin has White's handicap bonus in it. Between
    // labels the win rate is interpolated, which makes a draw half a win. A komi beyond the labels is refused.
    float komi() const { return komi_; }
    void set_komi(float komi);

    // Other settings for the same tree: lambda revalues it. Refused where nodes would need another layout: rollouts
    // where there were none, or none where there were, or another memory.
    void configure(TreeSettings settings);

    void set_restriction(Color c, Restriction restriction);

    // Explores more moves at the root: priors to the power of 1 / (1 + 4 noise), and values that are raised by chance, by
    // up to about `noise`. 0 turns it off, and then the search is the same as without it.
    void set_root_noise(float noise);

    // A weaker opponent: at the nodes of this side each selection is drawn by the priors with the chance `share`, and is
    // the usual one otherwise. The value of such a node then tends to (1 - share) of that of the best replies and `share`
    // of the mean over what the policy plays, so that the other side looks for moves which are hard to answer. A share of
    // 0 turns it off. A tree that was grown for another opponent starts anew: their values cannot be told apart.
    void set_errors(Color side, float share);

    // Selects leaves to evaluate, at most `batch`, while visits (those in flight included) are below `limit`.
    // Ends early when the tree is full or keeps running into leaves already in flight. Two passes end a game. Where all
    // stones stand, its count is backed up at once; elsewhere it is a leaf once, for the caller knows what is dead.
    int select(int batch, std::uint32_t limit);
    const Position& leaf(int i) const { return pending_[static_cast<std::size_t>(i)].position; }
    int leaf_count() const { return static_cast<int>(pending_.size()); }
    // Plays the rollouts of the selected leaves. Leaf and rollout decide the random numbers, threads do not.
    void roll_out(int threads);
    // Sets Black's margin of a selected leaf whose game has ended, handicap bonus counted, komi not. It replaces all values
    // of net and rollouts.
    void count(int i, float margin);
    // Expands the selected leaves with the net's evaluations, and backs up. policy [n, area + 1],
    // win_by_komi [n, labels], margin [n], the points by which Black is ahead, and score [n, 2], mean and mean square of
    // the final score; both before komi, and all values are Black's. What a net does not have it gives at no call; without win rates lambda must be 0, and there must be rollouts.
    void expand(std::span<const float> policy, std::optional<std::span<const float>> win_by_komi,
                std::optional<std::span<const float>> margin, std::optional<std::span<const float>> score = std::nullopt);
    // Forgets the selected leaves.
    void abandon();

    // Starts anew, or keeps what is known of `position` if it follows from the root. Returns visits kept.
    std::uint32_t move_to(const Position& position);

    // Children of the node that the moves lead to from the root, in order of prior; those not yet visited
    // (if asked for) too. None where the tree does not reach.
    std::vector<Child> children(std::span<const int> path, bool unvisited) const;
    // The most visited line that starts with these moves, them included, and the visits of each of its nodes.
    std::vector<std::pair<int, std::uint32_t>> principal_variation(std::span<const int> path, int limit) const;
    // [labels]: visit-weighted mean over the tree of w_k, v_k or r_k. None before the first visit, and where the
    // source has no win rates. A game that ended in the tree counts as it stands in all of them.
    std::optional<std::vector<double>> win_by_komi(Source source) const;
    // Win rates at a komi within the labels; what is searched does not change. None as above.
    std::optional<WinRates> win_rates_at(float komi, Source source) const;
    // (move, mean, deviation) of the utilities of the root's children with a visit, Black's: what selection compares.
    std::vector<std::tuple<int, double, double>> utilities() const;
    // At the komi that is searched; none before the first visit.
    std::optional<double> win_rate() const;
    // Mean margin at the root, handicap bonus counted, komi not; none where the source does not know margins. The
    // mixed margin is that of the one source which knows it, if there is only one.
    std::optional<double> margin(Source source) const { return margin_of(nodes_[0], source); }
    // Mean and deviation of the net's final scores below a node that the moves lead to; none where it gives no scores.
    std::optional<std::pair<double, double>> score(std::span<const int> path) const;

private:
    enum State : std::uint8_t { kNew, kInFlight, kExpanded, kTerminal };

    struct Node {
        double W = 0;              // sum over visits of Black's win rate at the komi
        double X = 0;              // sum over visits of the worth of the score: W + X is that of utilities
        double U2 = 0;             // sum over visits of the squares of utilities
        double S = 0, S2 = 0;      // sums over visits of the mean of the final score, and of the mean of its square
        double net_M = 0;          // the same of Black's margin, by the net and by the rollouts
        double rollout_M = 0;
        float value = 0;           // its own shares of W and X, and of the margins
        float worth = 0;
        float net_margin = 0;
        float rollout_margin = 0;
        float score = 0, square = 0;  // its own share of S and S2
        float P = 0;
        std::uint32_t N = 0;
        std::uint32_t parent = kNone;
        std::uint32_t first_child = kNone, last_child = kNone, next_sibling = kNone;
        std::uint32_t data = 0;    // where its words begin
        std::uint16_t edges = 0;   // legal moves
        std::uint16_t tried = 0;   // children
        std::uint16_t move = 0;    // that led here
        std::uint16_t in_flight = 0;  // selections below it that wait for an evaluation: its virtual losses
        State state = kNew;
    };

    // An edge is 16 bits of prior on a log scale and 16 of move; smaller words have larger priors, so that
    // sorting words sorts by prior, then by move.
    static constexpr float kPriorScale = 2048;  // steps an octave: 0.03 % each, down to 2^-32
    static std::uint32_t pack_edge(float prior, int move);
    static int edge_move(std::uint32_t edge) { return static_cast<int>(edge & 0xFFFF); }
    static float edge_prior(std::uint32_t edge);

    struct Pending {
        std::uint32_t node;
        std::uint16_t virtual_losses;
        Position position;
        std::vector<float> rollout_wins;  // r_k [labels]
        float rollout_margin = 0;
        std::optional<float> counted;  // Black's margin
    };

    // Where a komi lies between labels: its value is (1 - fraction) w[index] + fraction w[index + 1].
    struct Place {
        std::size_t index = 0;
        float fraction = 0;
    };

    Color mover(int depth) const { return depth % 2 ? opponent(root_.to_move()) : root_.to_move(); }
    // A node's words: its edges; v_k, a float a word; with rollouts r_k, two of 16 bits a word.
    std::size_t leaf_words() const { return labels_.size() + (settings_.rollouts > 0 ? (labels_.size() + 1) / 2 : 0); }
    std::size_t words_a_node() const { return static_cast<std::size_t>(root_.board().geometry().area) + 1 + leaf_words(); }
    std::uint32_t edge(const Node& node, int i) const { return words_[node.data + static_cast<std::size_t>(i)]; }
    float v(const Node& node, std::size_t k) const;
    float r(const Node& node, std::size_t k) const;
    float w(const Node& node, std::size_t k, Source source) const;
    Place place_of(float komi) const;
    float value_at(const Node& node, Place place, Source source) const;
    bool knows_win_rates(Source source) const;
    std::optional<double> margin_of(const Node& node, Source source) const;
    // Visits that count the node's own value: a game that ended is met again and again.
    static std::uint32_t own_visits(const Node& node) { return node.state == kTerminal ? node.N : node.N > 0; }
    // [nodes]: the root's child that a node lies below, itself included; 0 for the root.
    std::vector<std::uint32_t> roots_children() const;
    void store(Node& node, std::span<const std::uint32_t> edges, std::span<const float> v, std::span<const float> r);
    void check(const TreeSettings& settings) const;
    // The points, komi counted, around which scores are told apart: the root's mean score, drawn towards 0.
    void recentre();
    float worth_of(const Node& node) const;
    static double utility(const Node& node) { return (node.W + node.X) / node.N; }
    double spread_factor(const Node& node) const;
    void revalue();

    void restart(const Position& root);
    void keep_only(std::uint32_t new_root);
    std::uint32_t best_child(std::uint32_t parent, int depth);
    std::uint32_t add_child(std::uint32_t parent, int edge);
    int next_edge(const Node& node, int depth) const;
    int drawn_edge(const Node& node, int depth);
    bool banned(int move, int depth) const;
    // Under root noise: what a prior at the root counts as, and what is added to a value there.
    double wide_prior(double prior) const { return std::pow(prior, 1 / (1 + 4.0 * root_noise_)) / wide_mass_; }
    double wide_value();
    Position position_of(std::uint32_t node) const;
    std::vector<float> wins_of(float margin) const;
    void set_margin(Node& node, float margin) const;
    void back_up(std::uint32_t node, int virtual_losses);
    std::uint32_t child_with(std::uint32_t parent, int move) const;
    std::uint32_t find(std::span<const int> path) const;

    Position root_;
    std::vector<float> labels_;
    TreeSettings settings_;
    float komi_ = 0;
    Place place_;  // of komi_
    float centre_ = 0;
    std::optional<bool> net_wins_, net_margins_, net_scores_;  // whether the net gives them; unknown before the first evaluation
    Restriction restrictions_[3];
    bool unordered_ = false;  // once restricted or drawn, children may not be the first edges
    Color erring_ = kEmpty;  // nobody
    float errors_ = 0;
    Random error_draws_{0};
    float root_noise_ = 0;
    double wide_mass_ = 1;  // what the priors of the root, to that power, sum up to
    Random noise_{0};

    // Both reserved as a whole, so that nothing moves; memory is touched only as the tree grows.
    std::vector<Node> nodes_;
    std::vector<std::uint32_t> words_;
    std::vector<Pending> pending_;
    std::uint64_t leaves_evaluated_ = 0;  // names the random stream of a leaf's rollouts
};

}  // namespace tengen
