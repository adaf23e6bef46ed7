#include "position.hpp"

#include "bindings.hpp"

namespace tengen::bindings {
namespace {

struct IllegalMove : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

// GTP vertex ("D4", "pass", any case) to point.
Point parse_vertex(const Geometry& g, const char* text, Py_ssize_t length) {
    const auto bad = [&] {
        return std::invalid_argument("'" + std::string(text, static_cast<std::size_t>(length)) +
                                     "' is not a vertex of a " + std::to_string(g.size) + "x" +
                                     std::to_string(g.size) + " board (write A1 to T19 without I, or pass)");
    };
    if (length == 4 && (text[0] | 32) == 'p' && (text[1] | 32) == 'a' && (text[2] | 32) == 's' &&
        (text[3] | 32) == 's')
        return kPass;
    if (length < 2 || length > 3) throw bad();
    const int letter = text[0] | 32;
    if (letter < 'a' || letter > 't' || letter == 'i') throw bad();
    const int x = letter - 'a' - (letter > 'i');
    int row = 0;
    for (Py_ssize_t i = 1; i < length; ++i) {
        if (text[i] < '0' || text[i] > '9') throw bad();
        row = row * 10 + (text[i] - '0');
    }
    if (x >= g.size || row < 1 || row > g.size || text[1] == '0') throw bad();
    return g.at(x, g.size - row);
}

std::string vertex(const Geometry& g, Point p) {
    if (p == kPass) return "pass";
    const int x = g.x(p);
    return std::string(1, static_cast<char>('A' + x + (x >= 8))) + std::to_string(g.size - g.y(p));
}

Point point_of(const Geometry& g, nb::handle v) {
    if (PyLong_Check(v.ptr())) return g.from_flat(nb::cast<int>(v));
    if (PyUnicode_Check(v.ptr())) {
        Py_ssize_t length = 0;
        const char* text = PyUnicode_AsUTF8AndSize(v.ptr(), &length);
        if (!text) throw nb::python_error();
        return parse_vertex(g, text, length);
    }
    if (PyIndex_Check(v.ptr())) return g.from_flat(nb::cast<int>(nb::int_(nb::borrow(v))));
    throw nb::type_error("a vertex is a point (int) or a string like 'D4' or 'pass'");
}

Color color_of(int c) {
    if (c != kBlack && c != kWhite) throw std::invalid_argument("a colour is Color.BLACK or Color.WHITE");
    return static_cast<Color>(c);
}

[[noreturn]] void refuse(const Position& position, Point p, Color c, Refusal why) {
    throw IllegalMove(std::string(c == kBlack ? "Black" : "White") + " may not play " +
                      vertex(position.board().geometry(), p) + ": " + describe(why));
}

void play(Position& position, nb::handle v, Color c) {
    const Point p = point_of(position.board().geometry(), v);
    if (const Refusal r = position.play(p, c); r != Refusal::kNone) refuse(position, p, c, r);
}

std::vector<Packed> packed_span(nb::ndarray<const Packed, nb::ndim<1>, nb::c_contig, nb::device::cpu> a) {
    return {a.data(), a.data() + a.shape(0)};
}

}  // namespace

void bind_position(nb::module_& m) {
    nb::exception<IllegalMove>(m, "IllegalMove", PyExc_ValueError);

    nb::class_<Rules>(m, "Rules", "The rules as the core needs them; see tengen.go.rules for names and presets.")
        .def(
            "__init__",
            [](Rules* self, int ko, int scoring, int tax, int handicap_bonus, bool suicide, bool friendly_pass,
               float komi) {
                new (self) Rules{static_cast<Ko>(ko),
                                 static_cast<Scoring>(scoring),
                                 static_cast<Tax>(tax),
                                 static_cast<HandicapBonus>(handicap_bonus),
                                 suicide,
                                 friendly_pass,
                                 komi};
            },
            nb::arg("ko"), nb::arg("scoring"), nb::arg("tax"), nb::arg("handicap_bonus"), nb::arg("suicide"),
            nb::arg("friendly_pass"), nb::arg("komi"));

    nb::class_<Position>(m, "Position", "A board with history, to move and rules; see tengen.Position.")
        .def(nb::init<int, Rules>(), nb::arg("size"), nb::arg("rules"))
        .def(nb::init<const Position&>(), nb::arg("other"))
        .def_prop_ro("size", &Position::size)
        .def("set_rules", &Position::set_rules, nb::arg("rules"), "Changes the rules from here on.")
        .def_prop_rw(
            "side", [](const Position& p) { return static_cast<int>(p.to_move()); },
            [](Position& p, int c) { p.set_to_move(color_of(c)); }, "The colour to move: 1 Black, 2 White.")
        .def(
            "play",
            [](nb::handle_t<Position> self, nb::handle v) {
                Position& p = nb::cast<Position&>(self);
                play(p, v, p.to_move());
                return nb::borrow(self);
            },
            nb::arg("vertex"), nb::sig("def play(self, vertex: int | str) -> typing.Self"),
            "Plays for the side to move, in place; returns the position itself, so that plays chain.\n"
            "A vertex is a point (int) or GTP's name for it ('D4', 'pass'). Raises IllegalMove.")
        .def(
            "play_as",
            [](nb::handle_t<Position> self, int c, nb::handle v) {
                play(nb::cast<Position&>(self), v, color_of(c));
                return nb::borrow(self);
            },
            nb::arg("color"), nb::arg("vertex"),
            nb::sig("def play_as(self, color: int, vertex: int | str) -> typing.Self"),
            "Plays for a colour, whoever's turn it is; the other side is to move after it.")
        .def(
            "play_all",
            [](Position& p, nb::ndarray<const Packed, nb::ndim<1>, nb::c_contig, nb::device::cpu> moves) {
                for (const Packed m : packed_span(moves)) {
                    const Point v = p.board().geometry().from_flat(packed_point(m));
                    if (const Refusal r = p.play(v, packed_color(m)); r != Refusal::kNone)
                        refuse(p, v, packed_color(m), r);
                }
            },
            nb::arg("moves"), "Plays packed moves (point, + 0x8000 for White) one after another.")
        .def(
            "setup",
            [](Position& p, nb::ndarray<const Packed, nb::ndim<1>, nb::c_contig, nb::device::cpu> stones, int c) {
                if (!p.setup(packed_span(stones), color_of(c)))
                    throw IllegalMove("the setup leaves a string without liberties");
            },
            nb::arg("stones"), nb::arg("to_move"),
            "Starts anew from the present stones with these packed changes (+ 0x4000 empties a point).")
        .def("undo", &Position::undo, "Takes back the last move; False if there is none.")
        .def(
            "refusal",
            [](const Position& p, nb::handle v, int c) -> std::optional<std::string> {
                const Refusal r = p.check(point_of(p.board().geometry(), v), color_of(c));
                if (r == Refusal::kNone) return std::nullopt;
                return describe(r);
            },
            nb::arg("vertex"), nb::arg("color"),
            nb::sig("def refusal(self, vertex: int | str, color: int) -> str | None"),
            "Why the colour may not play there, or None if it may.")
        .def(
            "legal",
            [](const Position& p, int c) {
                std::vector<int> points;
                const Geometry& g = p.board().geometry();
                for (int i = 0; i < g.area; ++i)
                    if (p.is_legal(g.framed[static_cast<std::size_t>(i)], color_of(c))) points.push_back(i);
                points.push_back(g.area);
                return points;
            },
            nb::arg("color"), "Points the colour may play, in order, and pass last.")
        .def(
            "stones",
            [](const Position& p) {
                const Geometry& g = p.board().geometry();
                std::vector<std::uint8_t> out(static_cast<std::size_t>(g.area));
                for (std::size_t i = 0; i < out.size(); ++i) out[i] = p.board().color(g.framed[i]);
                return to_numpy(std::move(out), g.size, g.size);
            },
            "uint8 [size, size]: 0 empty, 1 Black, 2 White; the top row first.")
        .def(
            "moves",
            [](const Position& p) {
                std::vector<Packed> moves = p.moves();
                const std::size_t n = moves.size();
                return to_numpy(std::move(moves), n);
            },
            "The packed moves so far: point, + 0x8000 for White.")
        .def_prop_ro("move_number", [](const Position& p) { return p.moves().size(); })
        .def_prop_ro("passes", &Position::passes, "Passes in a row at the end of the record.")
        .def_prop_ro(
            "ko",
            [](const Position& p) -> std::optional<int> {
                if (p.board().ko() == kNoPoint) return std::nullopt;
                return p.board().geometry().to_flat(p.board().ko());
            },
            "The point simple ko bars now, or None.")
        .def(
            "captured", [](const Position& p, int c) { return p.board().captured(color_of(c)); }, nb::arg("color"),
            "Stones of this colour taken so far.")
        .def(
            "liberties",
            [](const Position& p, nb::handle v) {
                const Point s = point_of(p.board().geometry(), v);
                return s == kPass || !p.board().stone(s) ? 0 : p.board().count_liberties(s, kMaxArea);
            },
            nb::arg("vertex"), nb::sig("def liberties(self, vertex: int | str) -> int"),
            "Liberties of the string there; 0 on an empty point.")
        .def(
            "string",
            [](const Position& p, nb::handle v) {
                const Geometry& g = p.board().geometry();
                const Point s = point_of(g, v);
                std::vector<int> points;
                if (s == kPass || !p.board().stone(s)) return points;
                Point q = s;
                do {
                    points.push_back(g.to_flat(q));
                    q = p.board().next(q);
                } while (q != s);
                return points;
            },
            nb::arg("vertex"), nb::sig("def string(self, vertex: int | str) -> list[int]"),
            "Points of the string there, in no order; none on an empty point.")
        .def_prop_ro("hash", [](const Position& p) { return p.board().hash(); }, "Zobrist hash of the stones.")
        .def_prop_ro("record_hash", &Position::record_hash,
                     "Hash of the whole record: the setup, who began, every move. Rules are not in it.")
        .def(
            "symmetric_hash",
            [](const Position& p, int symmetry) {
                if (symmetry < 0 || symmetry >= kSymmetries)
                    throw std::invalid_argument("a symmetry is a number from 0 to 7");
                return symmetric_hash(p.board(), symmetry);
            },
            nb::arg("symmetry"), "The hash of the stones as they lie after a symmetry.")
        .def_prop_ro(
            "canonical_hash", [](const Position& p) { return canonical_hash(p.board()); },
            "The least hash over the eight symmetries: the same for all of them.")
        .def_prop_ro("handicap_stones", &handicap_stones)
        .def_prop_ro("handicap_bonus", &handicap_bonus, "White's points for handicap under these rules.");

    m.def(
        "legal_masks",
        [](const std::vector<const Position*>& positions) {
            const std::size_t moves =
                positions.empty() ? 0 : static_cast<std::size_t>(positions[0]->board().geometry().area) + 1;
            std::vector<std::uint8_t> masks(positions.size() * moves, 0);
            for (const Position* p : positions)
                if (static_cast<std::size_t>(p->board().geometry().area) + 1 != moves)
                    throw std::invalid_argument("positions of one batch must have one board size");
            {
                nb::gil_scoped_release release;
                std::uint8_t* mask = masks.data();
                for (const Position* p : positions) {
                    for (const Point q : p->board().geometry().points()) *mask++ = p->is_legal(q, p->to_move());
                    *mask++ = 1;
                }
            }
            return to_numpy(std::move(masks), positions.size(), moves);
        },
        nb::arg("positions"),
        "uint8 [n, size*size + 1]: 1 where the side to move may play; pass, the last, always.");
    m.def(
        "parse_vertex",
        [](const std::string& text, int size) {
            const Geometry& g = Geometry::of(size);
            return g.to_flat(parse_vertex(g, text.data(), static_cast<Py_ssize_t>(text.size())));
        },
        nb::arg("text"), nb::arg("size"));
    m.def(
        "format_vertex",
        [](int point, int size) {
            const Geometry& g = Geometry::of(size);
            return vertex(g, g.from_flat(point));
        },
        nb::arg("point"), nb::arg("size"));
    m.def(
        "transform_point",
        [](int point, int size, int symmetry) {
            const Geometry& g = Geometry::of(size);
            if (symmetry < 0 || symmetry >= kSymmetries)
                throw std::invalid_argument("a symmetry is a number from 0 to 7");
            return g.from_flat(point) == kPass ? point : transform(point, size, symmetry);
        },
        nb::arg("point"), nb::arg("size"), nb::arg("symmetry"),
        "Where a symmetry carries a point. Bit 0 flips y, bit 1 flips x, bit 2 then swaps x and y.");
}

}  // namespace tengen::bindings
