#include "find.hpp"

#include "bindings.hpp"

namespace tengen::bindings {

void bind_find(nb::module_& m) {
    m.def(
        "find_placements",
        [](int size, Column<std::uint16_t> points, Column<std::uint8_t> colors, Column<std::int64_t> offsets,
           Column<std::uint8_t> to_move, Column<std::uint8_t> sizes, Column<Packed> moves,
           Column<std::int64_t> move_offsets, Column<Packed> setup, Column<std::int64_t> setup_offsets,
           Column<std::uint8_t> first_to_move, std::size_t begin, std::size_t end, int threads) {
            std::vector<std::int64_t> rows;
            std::size_t n = 0;
            {
                nb::gil_scoped_release release;
                const Placements placements{size, span_of(points), span_of(colors), span_of(offsets), span_of(to_move)};
                const auto found = find_placements(placements, span_of(sizes), span_of(moves), span_of(move_offsets),
                                                   span_of(setup), span_of(setup_offsets), span_of(first_to_move), begin,
                                                   end, threads);
                n = found.size();
                for (const Found& f : found) rows.insert(rows.end(), {f.game, f.move, f.placement});
            }
            return to_numpy(std::move(rows), n, std::size_t{3});
        },
        nb::arg("size"), nb::arg("points"), nb::arg("colors"), nb::arg("offsets"), nb::arg("to_move"), nb::arg("sizes"),
        nb::arg("moves"), nb::arg("move_offsets"), nb::arg("setup"), nb::arg("setup_offsets"), nb::arg("first_to_move"),
        nb::arg("begin"), nb::arg("end"), nb::arg("threads"),
        "Where placements (points that must be empty 0, Black 1 or White 2) are on the board of games begin to end.\n"
        "Rows (game, moves played, placement) [n, 3]: the first moment of each placement in each game, with the side\n"
        "to_move (0 either) to play.");
}

}  // namespace tengen::bindings
