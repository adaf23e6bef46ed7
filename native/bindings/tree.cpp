#include "tree.hpp"

#include <nanobind/stl/map.h>

#include <algorithm>
#include <map>

#include "bindings.hpp"

namespace tengen::bindings {
namespace {

using Floats2 = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

std::span<const float> rows_of(const Floats2& a) { return {a.data(), a.size()}; }

Source source_of(const std::string& name) {
    if (name == "mixed") return Source::kMixed;
    if (name == "net") return Source::kNet;
    if (name == "rollouts") return Source::kRollouts;
    throw std::invalid_argument("unknown source of values '" + name + "': known are mixed, net, rollouts");
}

}  // namespace

void bind_tree(nb::module_& m) {
    const TreeSettings defaults;
    nb::class_<TreeSettings>(m, "TreeSettings", "How the PUCT tree searches; native/tree.hpp gives the reasons.")
        .def(
            "__init__",
            [](TreeSettings* self, float c_puct, float c_growth, float fpu_reduction, float score_weight,
               float spread_weight, float lambda, int rollouts, std::uint64_t seed, std::size_t memory) {
                new (self) TreeSettings{c_puct,        c_growth, fpu_reduction, score_weight,
                                        spread_weight, lambda,   rollouts,      seed,         memory};
            },
            nb::kw_only(), nb::arg("c_puct") = defaults.c_puct, nb::arg("c_growth") = defaults.c_growth,
            nb::arg("fpu_reduction") = defaults.fpu_reduction, nb::arg("score_weight") = defaults.score_weight,
            nb::arg("spread_weight") = defaults.spread_weight, nb::arg("lambda_") = defaults.lambda,
            nb::arg("rollouts") = defaults.rollouts, nb::arg("seed") = defaults.seed,
            nb::arg("memory") = defaults.memory)
        .def_ro("c_puct", &TreeSettings::c_puct)
        .def_ro("c_growth", &TreeSettings::c_growth)
        .def_ro("fpu_reduction", &TreeSettings::fpu_reduction)
        .def_ro("score_weight", &TreeSettings::score_weight)
        .def_ro("spread_weight", &TreeSettings::spread_weight)
        .def_ro("lambda_", &TreeSettings::lambda)
        .def_ro("rollouts", &TreeSettings::rollouts)
        .def_ro("seed", &TreeSettings::seed)
        .def_ro("memory", &TreeSettings::memory);

    nb::class_<Tree>(m, "Tree", "The PUCT tree over a position. Values are Black's view.")
        .def(nb::init<const Position&, std::vector<float>, TreeSettings>(), nb::arg("root"), nb::arg("komi_labels"),
             nb::arg("settings"))
        .def_prop_ro("visits", &Tree::visits)
        .def_prop_ro("nodes", &Tree::node_count)
        .def_prop_ro("bytes", &Tree::bytes, "Bytes the tree takes now.")
        .def_prop_ro("bytes_a_node", &Tree::bytes_a_node, "Bytes of a node with all its priors and its win rates.")
        .def_prop_ro("full", &Tree::full, "The memory is used up: the tree grows no more.")
        .def_prop_rw("komi", &Tree::komi, &Tree::set_komi,
                     "The komi that is searched for; a change revalues the tree. ValueError for one beyond the labels.")
        .def_prop_ro("komi_labels", &Tree::komi_labels)
        .def_prop_ro("win_rate", &Tree::win_rate, "Black's win rate at the root and the komi searched for; None before the first visit.")
        .def_prop_ro("settings", &Tree::settings)
        .def("configure", &Tree::configure, nb::arg("settings"),
             "Takes other settings; another lambda revalues the tree. ValueError for another memory, and for rollouts "
             "where the tree has none or none where it has them.")
        .def(
            "margin",
            [](const Tree& tree, const std::string& source) { return tree.margin(source_of(source)); },
            nb::arg("source") = "mixed",
            "Black's mean margin at the root, handicap bonus counted, komi not, by source: 'net', 'rollouts', or "
            "'mixed' by lambda. None where the source has no margins.")
        .def_prop_ro("root", &Tree::root, nb::rv_policy::reference_internal)
        .def_prop_ro("root_komi", [](const Tree& tree) { return tree.root().rules().komi; }, "The game's own komi.")
        .def(
            "restrict",
            [](Tree& tree, int color, const std::map<int, int>& banned) {
                Restriction restriction;
                const Geometry& g = tree.root().board().geometry();
                if (color != kBlack && color != kWhite) throw std::invalid_argument("a colour is 1 or 2");
                if (!banned.empty()) restriction.resize(static_cast<std::size_t>(g.area) + 1);
                for (const auto& [move, depth] : banned)
                    restriction.at(static_cast<std::size_t>(move)) = static_cast<std::uint16_t>(std::clamp(depth, 0, 65535));
                tree.set_restriction(static_cast<Color>(color), std::move(restriction));
            },
            nb::arg("color"), nb::arg("banned"),
            "Bars each of these moves of a colour in nodes less deep than its number; the root is depth 0. An empty "
            "table bars none.")
        .def("set_root_noise", &Tree::set_root_noise, nb::arg("noise"),
             "Explores more moves at the root, 0 to 5: flattens the priors there and raises values by chance. 0 is off.")
        .def(
            "set_errors",
            [](Tree& tree, int color, float share) {
                if (color != kBlack && color != kWhite) throw std::invalid_argument("a colour is 1 or 2");
                tree.set_errors(static_cast<Color>(color), share);
            },
            nb::arg("color"), nb::arg("share"),
            "Models a weaker opponent: this share of the selections at the nodes of a colour is drawn by the priors. A "
            "change starts the tree anew; 0 is off.")
        .def("select", &Tree::select, nb::arg("batch"), nb::arg("limit"), nb::call_guard<nb::gil_scoped_release>(),
             "Selects leaves to evaluate, at most `batch`, while visits are below `limit`; their number.")
        .def("leaf", &Tree::leaf, nb::arg("i"), nb::rv_policy::copy, "The position of a selected leaf.")
        .def("roll_out", &Tree::roll_out, nb::arg("threads"), nb::call_guard<nb::gil_scoped_release>(),
             "Plays the guided rollouts of the selected leaves.")
        .def("count", &Tree::count, nb::arg("i"), nb::arg("margin"),
             "Sets Black's margin of a selected leaf that two passes ended, handicap bonus counted, komi not. It replaces "
             "all values of net and rollouts.")
        .def(
            "expand",
            [](Tree& tree, const Floats2& policy, const std::optional<Floats2>& win_by_komi,
               const std::optional<Column<float>>& margin, const std::optional<Floats2>& score) {
                nb::gil_scoped_release release;
                std::optional<std::span<const float>> wins, margins, scores;
                if (win_by_komi) wins = rows_of(*win_by_komi);
                if (margin) margins = span_of(*margin);
                if (score) scores = rows_of(*score);
                tree.expand(rows_of(policy), wins, margins, scores);
            },
            nb::arg("policy"), nb::arg("win_by_komi").none(), nb::arg("margin").none(),
            nb::arg("score").none() = nb::none(),
            "Expands the selected leaves and backs up. float32: policy [n, area + 1], win_by_komi [n, labels], "
            "margin [n], the points by which Black is ahead before komi, score [n, 2], mean and mean square of Black's "
            "final score before komi; None for what the net does not give.")
        .def(
            "score", [](const Tree& tree, const std::vector<int>& path) { return tree.score(path); },
            nb::arg("path") = std::vector<int>{},
            "Mean and deviation of Black's final score before komi, by the net, below the node these moves lead to; None "
            "without a visit, or where the net gives no scores.")
        .def("abandon", &Tree::abandon, "Forgets the selected leaves.")
        .def("move_to", &Tree::move_to, nb::arg("position"), nb::call_guard<nb::gil_scoped_release>(),
             "Makes this position the root and keeps what is known of it; returns the visits kept.")
        .def(
            "children",
            [](const Tree& tree, const std::vector<int>& path, bool unvisited) {
                std::vector<std::tuple<int, std::uint32_t, float, std::optional<double>, std::optional<double>>> out;
                for (const Child& c : tree.children(path, unvisited))
                    out.emplace_back(c.move, c.visits, c.prior, c.win_rate, c.margin);
                return out;
            },
            nb::arg("path") = std::vector<int>{}, nb::arg("unvisited") = false,
            "(move, N, P, Q, margin) of the children of the node these moves lead to, by falling prior. Q and margin are "
            "None without a visit, and where no source knows them.")
        .def(
            "principal_variation",
            [](const Tree& tree, const std::vector<int>& path, int limit) {
                return tree.principal_variation(path, limit);
            },
            nb::arg("path") = std::vector<int>{}, nb::arg("limit") = 1000,
            "(move, N) along the most visited line that begins with these moves.")
        .def("utilities", &Tree::utilities,
             "(move, mean, deviation) of the utilities of the root's children with a visit: what selection compares.")
        .def(
            "win_by_komi",
            [](const Tree& tree, const std::string& source) -> std::optional<nb::ndarray<nb::numpy, double>> {
                auto mean = tree.win_by_komi(source_of(source));
                if (!mean) return std::nullopt;
                const std::size_t labels = mean->size();
                return to_numpy(std::move(*mean), labels);
            },
            nb::arg("source") = "mixed",
            "[labels]: the root's mean v_k ('net'), r_k ('rollouts') or w_k = (1 - lambda) r_k + lambda v_k "
            "('mixed'). None before the first visit, and where the source has no win rates.")
        .def(
            "win_rates_at",
            [](const Tree& tree, float komi,
               const std::string& source) -> std::optional<std::pair<double, std::vector<std::pair<int, double>>>> {
                auto found = tree.win_rates_at(komi, source_of(source));
                if (!found) return std::nullopt;
                return std::pair(found->root, std::move(found->children));
            },
            nb::arg("komi"), nb::arg("source") = "mixed",
            "The root's win rate and (move, win rate) of its children with a visit, at a komi within the labels; "
            "what is searched does not change. None as for win_by_komi.");
}

}  // namespace tengen::bindings
