#include "life.hpp"

#include "bindings.hpp"
#include "position.hpp"
#include "score.hpp"

namespace tengen::bindings {
namespace {

nb::ndarray<nb::numpy, std::uint8_t> owner_array(const Geometry& g, const Owners& owner) {
    return to_numpy(std::vector<std::uint8_t>(owner.begin(), owner.begin() + g.area), g.size, g.size);
}

std::vector<int> breakdown(const Count& count, Color c, Scoring scoring) {
    return {count.points(c, scoring), count.stones[c], count.territory[c], count.lost[c], count.tax[c]};
}

}  // namespace

void bind_life(nb::module_& m) {
    m.def(
        "pass_alive",
        [](const Position& position, int color) {
            if (color != kBlack && color != kWhite)
                throw std::invalid_argument("a colour is Color.BLACK or Color.WHITE");
            const Geometry& g = position.board().geometry();
            const PassAlive life(position.board(), static_cast<Color>(color), position.rules().suicide);
            std::vector<std::uint8_t> stones(static_cast<std::size_t>(g.area)), territory(stones.size());
            for (std::size_t i = 0; i < stones.size(); ++i) {
                stones[i] = life.alive(g.framed[i]);
                territory[i] = life.territory(g.framed[i]);
            }
            return std::make_tuple(to_numpy(std::move(stones), g.size, g.size),
                                   to_numpy(std::move(territory), g.size, g.size));
        },
        nb::arg("position"), nb::arg("color"),
        "Two uint8 [size, size] of 0 and 1: the colour's pass-alive stones, and its pass-alive territory.");
    m.def(
        "count",
        [](const Position& position, const std::vector<int>& dead) {
            const Geometry& g = position.board().geometry();
            std::vector<Point> points;
            for (int i : dead) {
                if (i == g.area) throw std::out_of_range("pass is no dead stone");
                points.push_back(g.from_flat(i));
            }
            const Rules& rules = position.rules();
            const Count result = count(position.board(), rules, points);
            return std::make_tuple(owner_array(g, result.owner), breakdown(result, kBlack, rules.scoring),
                                   breakdown(result, kWhite, rules.scoring));
        },
        nb::arg("position"), nb::arg("dead"),
        "Counts under the position's rules, the strings at `dead` taken off. Returns the owners, uint8\n"
        "[size, size], and for Black and White [points before komi, live stones, territory, stones lost, tax].");
    m.def(
        "katago_area",
        [](const Position& position, bool suicide, bool tax) {
            Owners owner;
            (tax ? katago_taxed_area : katago_area)(position.board(), suicide, owner);
            return owner_array(position.board().geometry(), owner);
        },
        nb::arg("position"), nb::arg("suicide"), nb::arg("tax") = false,
        "KataGo's area map: owners, uint8 [size, size].");
    m.def(
        "katago_territory",
        [](const Position& position, bool suicide, bool tax, const Position& start) {
            if (start.size() != position.size()) throw std::invalid_argument("boards of different size");
            Owners owner;
            katago_territory(position.board(), suicide, tax, start.board(), owner);
            return owner_array(position.board().geometry(), owner);
        },
        nb::arg("position"), nb::arg("suicide"), nb::arg("tax"), nb::arg("start"),
        "KataGo's map in the second clean-up phase that began at `start`: owners, uint8 [size, size].");
}

}  // namespace tengen::bindings
