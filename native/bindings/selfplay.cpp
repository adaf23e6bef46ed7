#include "selfplay.hpp"

#include "bindings.hpp"

namespace tengen::bindings {

void bind_selfplay(nb::module_& m) {
    m.def(
        "draw_moves",
        [](const std::vector<Position*>& positions, nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu> logits,
           Column<std::uint8_t> symmetries, Column<std::uint64_t> seeds, Column<float> temperatures, int threads) {
            if (logits.shape(0) != positions.size()) throw std::invalid_argument("there must be logits for each position");
            const std::size_t count = positions.size();
            const std::size_t area = count ? static_cast<std::size_t>(positions[0]->board().geometry().area) : 0;
            std::vector<std::int32_t> drawn(count);
            std::vector<std::uint8_t> playable(count * area);
            {
                nb::gil_scoped_release release;
                draw_moves(positions, {logits.data(), logits.size()}, span_of(symmetries), span_of(seeds),
                           span_of(temperatures), threads, drawn.data(), playable.data());
            }
            return std::make_tuple(to_numpy(std::move(drawn), count), to_numpy(std::move(playable), count, area));
        },
        nb::arg("positions"), nb::arg("logits"), nb::arg("symmetries"), nb::arg("seeds"), nb::arg("temperatures"),
        nb::arg("threads") = 1,
        "Plays a move in each position, drawn from softmax(logits / temperature) over the playable moves, or a pass.\n"
        "Playable: legal, and neither an own eye nor in anyone's pass-alive territory. A pass: no such move does more\n"
        "than put own stones in atari. logits float32 [n, moves] are in the symmetries uint8 [n]; seeds uint64 [n],\n"
        "temperatures float32 [n]. Returns the moves int32 [n] and the playable ones uint8 [n, area], in the symmetries.");
    m.def(
        "playable_moves",
        [](const Position& position) {
            const auto area = static_cast<std::size_t>(position.board().geometry().area);
            std::vector<std::uint8_t> playable(area);
            const bool useful = playable_moves(position, playable.data());
            return std::make_tuple(to_numpy(std::move(playable), area), useful);
        },
        nb::arg("position"),
        "uint8 [area] of 0 and 1: what draw_moves may draw; and whether one of them does more than put own stones in atari.");
}

}  // namespace tengen::bindings
