#include "replay.hpp"

#include "bindings.hpp"

namespace tengen::bindings {

void bind_replay(nb::module_& m) {
    using Moves = nb::ndarray<const Packed, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
    using Offsets = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
    m.def(
        "replay",
        [](Moves moves, Offsets offsets, int size, Rules rules, bool checked) {
            std::vector<std::uint32_t> played;
            {
                nb::gil_scoped_release release;
                played = replay({moves.data(), moves.shape(0)}, {offsets.data(), offsets.shape(0)}, size, rules,
                                checked);
            }
            const std::size_t n = played.size();
            return to_numpy(std::move(played), n);
        },
        nb::arg("moves"), nb::arg("offsets"), nb::arg("size"), nb::arg("rules"), nb::arg("checked") = true,
        "Plays games of packed moves, game i being moves[offsets[i]:offsets[i+1]], each from the empty board.\n"
        "The number of moves played in each: all, or those before the first illegal one. Without `checked`\n"
        "nothing is asked, which is for moves known to be legal.");
}

}  // namespace tengen::bindings
