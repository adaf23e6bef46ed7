#include "ladder.hpp"

#include "bindings.hpp"
#include "position.hpp"

namespace tengen::bindings {
namespace {

Color color_of(int c) {
    if (c != kBlack && c != kWhite) throw std::invalid_argument("a colour is Color.BLACK or Color.WHITE");
    return static_cast<Color>(c);
}

Point board_point(const Position& position, int flat) {
    const Point p = position.board().geometry().from_flat(flat);
    if (p == kPass) throw std::invalid_argument("a pass has no ladder");
    return p;
}

LadderReader reader_for(const Position& position, int node_limit) {
    if (node_limit < 0) throw std::invalid_argument("a node limit is not negative");
    return LadderReader(position.board(), node_limit);
}

using Question = Answer (LadderReader::*)(Point, Color);

Point stone_point(const Position& position, int flat) {
    const Point p = board_point(position, flat);
    if (!position.board().stone(p)) throw std::invalid_argument("there is no stone there");
    return p;
}

void bind_question(nb::module_& m, const char* name, Question question, bool about_string, const char* doc) {
    m.def(
        name,
        [question, about_string](const Position& position, int point, int color, int node_limit) {
            const Point p = about_string ? stone_point(position, point) : board_point(position, point);
            const Color c = color_of(color);
            LadderReader reader = reader_for(position, node_limit);
            return static_cast<int>((reader.*question)(p, c));
        },
        nb::arg("position"), nb::arg("point"), nb::arg("color"), nb::arg("node_limit") = kLadderNodes,
        nb::call_guard<nb::gil_scoped_release>(), doc);
}

}  // namespace

void bind_ladder(nb::module_& m) {
    m.attr("LADDER_NODES") = kLadderNodes;
    bind_question(m, "ladder_is_caught", &LadderReader::is_caught, true,
                  "Is the string at `point` caught when `color` plays first? 0 no, 1 yes, 2 the limit was met.");
    bind_question(m, "ladder_catches", &LadderReader::catches, false,
                  "Does a play of `color` at `point` catch an enemy string of two liberties?");
    bind_question(m, "ladder_escapes", &LadderReader::escapes, false,
                  "Does a play of `color` at `point` save a string of its own from atari?");
    bind_question(m, "ladder_is_lost", &LadderReader::is_lost, false,
                  "Is the string that a play of `color` at `point` makes caught, the enemy to play?");
    bind_question(m, "ladder_threatens", &LadderReader::threatens, false,
                  "Is an enemy string next to a play of `color` at `point` caught after it?");
    m.def(
        "ladder_may_escape",
        [](const Position& position, int point, int node_limit) {
            const Point p = stone_point(position, point);
            return static_cast<int>(reader_for(position, node_limit).may_escape(p));
        },
        nb::arg("position"), nb::arg("point"), nb::arg("node_limit") = kLadderNodes,
        nb::call_guard<nb::gil_scoped_release>(), "Is the string at `point` not caught when its owner plays first?");
    m.def(
        "ladder_catching_moves",
        [](const Position& position, int point, int node_limit) {
            const Point p = stone_point(position, point);
            LadderReader reader = reader_for(position, node_limit);
            std::array<Point, 2> moves;
            int n = 0;
            reader.is_laddered(p, moves.data(), &n);
            std::vector<int> points;
            for (int i = 0; i < n; ++i)
                points.push_back(position.board().geometry().to_flat(moves[static_cast<std::size_t>(i)]));
            return points;
        },
        nb::arg("position"), nb::arg("point"), nb::arg("node_limit") = kLadderNodes,
        nb::call_guard<nb::gil_scoped_release>(),
        "The liberties of a string of two liberties whose play is known to catch it.");
}

}  // namespace tengen::bindings
