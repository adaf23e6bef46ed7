#include "tree.hpp"

#include "bindings.hpp"

namespace tengen::bindings {
namespace {

using Floats2 = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

std::span<const float> rows_of(const Floats2& a) { return {a.data(), a.size()}; }

}  // namespace

void bind_tree(nb::module_& m) {
    const TreeSettings defaults;
    nb::class_<TreeSettings>(m, "TreeSettings", "How the PUCT tree searches; native/tree.hpp gives the reasons.")
        .def(
            "__init__",
            [](TreeSettings* self, float c_puct, float c_growth, float fpu_reduction, float lambda, int rollouts,
               std::uint64_t seed, std::size_t memory) {
                new (self) TreeSettings{c_puct, c_growth, fpu_reduction, lambda, rollouts, seed, memory};
            },
            nb::kw_only(), nb::arg("c_puct") = defaults.c_puct, nb::arg("c_growth") = defaults.c_growth,
            nb::arg("fpu_reduction") = defaults.fpu_reduction, nb::arg("lambda_") = defaults.lambda,
            nb::arg("rollouts") = defaults.rollouts, nb::arg("seed") = defaults.seed,
            nb::arg("memory") = defaults.memory)
        .def_ro("c_puct", &TreeSettings::c_puct)
        .def_ro("c_growth", &TreeSettings::c_growth)
        .def_ro("fpu_reduction", &TreeSettings::fpu_reduction)
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
        .def_prop_ro("bytes_a_node", &Tree::bytes_a_node, "Bytes of a node with all its priors and its leaf vector.")
        .def_prop_ro("full", &Tree::full, "The memory is used up: the tree grows no more.")
        .def_prop_rw("komi", &Tree::komi, &Tree::set_komi,
                     "The komi played for; a change revalues the tree from its leaf vectors.")
        .def_prop_ro("komi_labels", &Tree::komi_labels)
        .def_prop_ro("win_rate", &Tree::win_rate, "Black's win rate at the root; 0.5 before the first visit.")
        .def_prop_ro("margin", &Tree::margin, "Black's mean margin at the root, handicap bonus counted, komi not.")
        .def_prop_ro("root", &Tree::root, nb::rv_policy::reference_internal)
        .def_prop_ro("root_komi", [](const Tree& tree) { return tree.root().rules().komi; }, "The game's own komi.")
        .def(
            "restrict",
            [](Tree& tree, int color, const std::vector<int>& banned, int until_depth) {
                Restriction restriction{{}, until_depth};
                const Geometry& g = tree.root().board().geometry();
                if (color != kBlack && color != kWhite) throw std::invalid_argument("a colour is 1 or 2");
                if (!banned.empty()) restriction.banned.resize(static_cast<std::size_t>(g.area) + 1);
                for (const int move : banned) restriction.banned.at(static_cast<std::size_t>(move)) = true;
                tree.set_restriction(static_cast<Color>(color), std::move(restriction));
            },
            nb::arg("color"), nb::arg("banned"), nb::arg("until_depth"),
            "Bars moves of a colour in nodes less deep than this; the root is depth 0. An empty list bars none.")
        .def("select", &Tree::select, nb::arg("batch"), nb::arg("limit"), nb::call_guard<nb::gil_scoped_release>(),
             "Selects leaves to evaluate, at most `batch`, while visits are below `limit`; their number.")
        .def("leaf", &Tree::leaf, nb::arg("i"), nb::rv_policy::copy, "The position of a selected leaf.")
        .def("roll_out", &Tree::roll_out, nb::arg("threads"), nb::call_guard<nb::gil_scoped_release>(),
             "Plays the guided rollouts of the selected leaves.")
        .def(
            "expand",
            [](Tree& tree, const Floats2& policy, const Floats2& win_by_komi, const Column<float>& margin) {
                nb::gil_scoped_release release;
                tree.expand(rows_of(policy), rows_of(win_by_komi), span_of(margin));
            },
            nb::arg("policy"), nb::arg("win_by_komi"), nb::arg("margin"),
            "Expands the selected leaves and backs up. float32: policy [n, area + 1], win_by_komi [n, labels], "
            "margin [n].")
        .def("abandon", &Tree::abandon, "Forgets the selected leaves.")
        .def("move_to", &Tree::move_to, nb::arg("position"), nb::call_guard<nb::gil_scoped_release>(),
             "Makes this position the root and keeps what is known of it; returns the visits kept.")
        .def(
            "children",
            [](const Tree& tree, const std::vector<int>& path, bool unvisited) {
                std::vector<std::tuple<int, std::uint32_t, float, double, double>> out;
                for (const Child& c : tree.children(path, unvisited))
                    out.emplace_back(c.move, c.visits, c.prior, c.win_rate, c.margin);
                return out;
            },
            nb::arg("path") = std::vector<int>{}, nb::arg("unvisited") = false,
            "(move, N, P, Q, margin) of the children of the node these moves lead to, by falling prior.")
        .def(
            "principal_variation",
            [](const Tree& tree, const std::vector<int>& path, int limit) {
                return tree.principal_variation(path, limit);
            },
            nb::arg("path") = std::vector<int>{}, nb::arg("limit") = 1000,
            "(move, N) along the most visited line that begins with these moves.")
        .def("deviations", &Tree::deviations,
             "(move, deviation) of the root's children with a visit: how far the values that make their Q lie apart.")
        .def("win_by_komi", &Tree::win_by_komi,
             "[labels]: the root's mean w_k = (1 - lambda) r_k + lambda v_k; empty before the first visit.");
}

}  // namespace tengen::bindings
