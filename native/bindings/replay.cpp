#include "replay.hpp"

#include "bindings.hpp"

namespace tengen::bindings {

void bind_replay(nb::module_& m) {
    using Moves = nb::ndarray<const Packed, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
    using Ends = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
    m.def(
        "replay",
        [](Moves moves, Ends ends, int size, Rules rules, bool checked) {
            std::vector<std::uint32_t> played;
            {
                nb::gil_scoped_release release;
                played = replay({moves.data(), moves.shape(0)}, {ends.data(), ends.shape(0)}, size, rules, checked);
            }
            const std::size_t n = played.size();
            return to_numpy(std::move(played), n);
        },
        nb::arg("moves"), nb::arg("ends"), nb::arg("size"), nb::arg("rules"), nb::arg("checked") = true,
        "Plays games of packed moves, game i being moves[ends[i-1]:ends[i]], each from the empty board.\n"
        "The number of moves played in each: all, or those before the first illegal one. Without `checked`\n"
        "nothing is asked, which is for moves known to be legal.");
}

}  // namespace tengen::bindings
