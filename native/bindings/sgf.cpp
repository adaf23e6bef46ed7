#include "sgf.hpp"

#include <algorithm>

#include "bindings.hpp"

namespace tengen::bindings {
namespace {

std::string_view view(const nb::bytes& data) { return {data.c_str(), data.size()}; }

// SGF text of any bytes: what is not UTF-8 shows as the replacement character.
nb::object to_str(std::string_view s) {
    return nb::steal(PyUnicode_DecodeUTF8(s.data(), static_cast<Py_ssize_t>(s.size()), "replace"));
}

std::string upper_only(std::string_view name) {
    std::string out;
    for (const char c : name)
        if (c < 'a' || c > 'z') out += c;
    return out;
}

template <typename T>
nb::ndarray<nb::numpy, const T> array_of(nb::handle owner, const std::vector<T>& v) {
    return nb::ndarray<nb::numpy, const T>(v.data(), {v.size()}, owner);
}

// A field of the batch as a read-only array that keeps the batch alive.
template <typename T>
auto field(std::vector<T> SgfBatch::*member) {
    return [member](nb::handle_t<SgfBatch> self) { return array_of(self, nb::cast<SgfBatch&>(self).*member); };
}

// One game with what a person wants to know of a fault.
struct OneGame {
    SgfGame game;
    nb::bytes data;  // what the views in `game` look into
    int line = 1, column = 1;
};

}  // namespace

void bind_sgf(nb::module_& m) {
    nb::class_<OneGame>(m, "SgfGame", "The main line of one SGF game; see tengen.Game.from_sgf.")
        .def_prop_ro("size", [](const OneGame& g) { return g.game.size; })
        .def_prop_ro(
            "player", [](const OneGame& g) { return g.game.has_first_to_move ? static_cast<int>(g.game.first_to_move) : 0; },
            "Who is first to move by PL: 1 Black, 2 White, 0 not written.")
        .def_prop_ro(
            "setup", [](nb::handle_t<OneGame> self) { return array_of(self, nb::cast<OneGame&>(self).game.setup); },
            "Packed stones before the first move, in order of points.")
        .def_prop_ro(
            "moves", [](nb::handle_t<OneGame> self) { return array_of(self, nb::cast<OneGame&>(self).game.moves); },
            "Packed moves; those before a fault if there is one.")
        .def_prop_ro(
            "root",
            [](const OneGame& g) {
                nb::list out;
                std::string text;
                for (const SgfValue& v : g.game.root) {
                    const std::string name = upper_only(v.name);
                    unescape(v.value, name == "C" || name == "GC", text);
                    out.append(nb::make_tuple(name, to_str(text)));
                }
                return out;
            },
            nb::sig("def root(self) -> list[tuple[str, str]]"),
            "Name and text of every value of the root node, in order.")
        .def_prop_ro(
            "fault",
            [](const OneGame& g) -> std::optional<std::string> {
                if (g.game.fault == SgfFault::kNone) return std::nullopt;
                return describe(g.game.fault);
            },
            "Why the game is not usable, or None.")
        .def_prop_ro("fault_move", [](const OneGame& g) { return g.game.fault_move; },
                     "Number of the move at fault, from 1; 0 before the first.")
        .def_ro("line", &OneGame::line, "Line of the fault, from 1.")
        .def_ro("column", &OneGame::column, "Byte of the fault in its line, from 1.")
        .def_prop_ro("suicide", [](const OneGame& g) { return g.game.suicide; },
                     "First move by which several stones took their own life; 0 if none.");

    m.def(
        "read_sgf_game",
        [](nb::bytes data) -> std::optional<OneGame> {
            OneGame one;
            one.data = data;
            {
                const std::string_view text = view(data);
                nb::gil_scoped_release release;
                SgfReader reader(text);
                if (!reader.next(one.game)) return std::nullopt;
                if (one.game.fault == SgfFault::kNone) check_moves(one.game);
                const std::string_view before = text.substr(0, one.game.fault_at);
                one.line += static_cast<int>(std::count(before.begin(), before.end(), '\n'));
                const std::size_t newline = before.rfind('\n');
                one.column = static_cast<int>(before.size() - (newline == before.npos ? 0 : newline + 1)) + 1;
            }
            return one;
        },
        nb::arg("data"), "The first game of an SGF file in UTF-8 or Latin-1; None if there is none.");

    m.def(
        "sgf_main_line",
        [](const nb::bytes& data) {
            std::vector<SgfNode> nodes;
            const SgfFault fault = read_main_line(view(data), nodes);
            if (fault != SgfFault::kNone) throw std::invalid_argument(describe(fault));
            nb::list out;
            for (const SgfNode& node : nodes) {
                nb::list values;
                for (const SgfValue& v : node.values)
                    values.append(nb::make_tuple(upper_only(v.name), nb::bytes(v.value.data(), v.value.size())));
                out.append(values);
            }
            return out;
        },
        nb::arg("data"), nb::sig("def sgf_main_line(data: bytes) -> list[list[tuple[str, bytes]]]"),
        "Every node of the first game's main line: names and raw values, in order. Raises ValueError.");

    nb::class_<SgfBatch>(m, "SgfBatch", "Many games in columns; see native/sgf.hpp. Arrays are one a game.")
        .def("__len__", &SgfBatch::count)
        .def_prop_ro("entry", field(&SgfBatch::entry), "int32: index of the entry it stands in.")
        .def_prop_ro("line", field(&SgfBatch::line), "int32: line in the entry where it starts, from 1.")
        .def_prop_ro("fault", field(&SgfBatch::fault), "uint8: index into sgf_faults(); 0 is none.")
        .def_prop_ro("fault_move", field(&SgfBatch::fault_move), "int32: number of the move at fault, or 0.")
        .def_prop_ro("suicide", field(&SgfBatch::suicide), "int32: first suicide of several stones, or 0.")
        .def_prop_ro("out_of_turn", field(&SgfBatch::out_of_turn), "int32: first move by the side that moved before, or 0.")
        .def_prop_ro("size", field(&SgfBatch::size), "uint8: board size.")
        .def_prop_ro("first_to_move", field(&SgfBatch::first_to_move), "uint8: 1 Black, 2 White.")
        .def_prop_ro("moves", field(&SgfBatch::moves), "uint16: packed moves of all games.")
        .def_prop_ro("move_offsets", field(&SgfBatch::move_offsets), "int64 [n + 1]: game i has moves[o[i]:o[i + 1]].")
        .def_prop_ro("setup", field(&SgfBatch::setup), "uint16: packed setup stones of all games.")
        .def_prop_ro("setup_offsets", field(&SgfBatch::setup_offsets), "int64 [n + 1].")
        .def_prop_ro(
            "ids",
            [](nb::handle_t<SgfBatch> self) {
                const SgfBatch& b = nb::cast<SgfBatch&>(self);
                return nb::ndarray<nb::numpy, const std::uint64_t>(
                    b.ids.empty() ? nullptr : &b.ids.front().high, {b.ids.size(), std::size_t{2}}, self);
            },
            "uint64 [n, 2]: what was played by whom; equal for duplicates.")
        .def(
            "texts",
            [](nb::handle_t<SgfBatch> self, const std::string& property) {
                const SgfBatch& b = nb::cast<SgfBatch&>(self);
                for (std::size_t k = 0; k < kTextProperties.size(); ++k) {
                    if (property != kTextProperties[k]) continue;
                    nb::list texts;
                    for (const std::string& t : b.texts[k].texts) texts.append(to_str(t));
                    return nb::make_tuple(array_of(self, b.texts[k].codes), texts);
                }
                throw nb::key_error(property.c_str());
            },
            nb::arg("property"),
            nb::sig("def texts(self, property: str) -> tuple[numpy.typing.NDArray[numpy.int32], list[str]]"),
            "A root property of all games: codes (int32, one a game) and the texts they stand for.");

    m.def(
        "read_sgf",
        [](const nb::bytes& data, std::optional<nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>> bounds,
           int threads) {
            const std::string_view text = view(data);
            std::vector<std::int64_t> lines;
            std::span<const std::int64_t> ends;
            if (bounds) {
                ends = {bounds->data(), bounds->shape(0)};
                for (std::size_t i = 0; i < ends.size(); ++i)
                    if (ends[i] < (i ? ends[i - 1] : 0) || ends[i] > static_cast<std::int64_t>(text.size()))
                        throw std::invalid_argument("bounds must rise from 0 to the length of the data");
            }
            nb::gil_scoped_release release;
            if (!bounds) {
                lines = line_bounds(text);
                ends = lines;
            }
            return read_sgf(text, ends, std::max(threads, 1));
        },
        nb::arg("data"), nb::arg("bounds") = nb::none(), nb::arg("threads") = 1,
        "Reads and checks every game of the entries data[bounds[i]:bounds[i + 1]]; without bounds, of the lines.");

    m.def(
        "sgf_faults",
        [] {
            std::vector<std::string> faults;
            for (int f = 0; f <= static_cast<int>(SgfFault::kKo); ++f)
                faults.emplace_back(describe(static_cast<SgfFault>(f)));
            return faults;
        },
        "What the codes in SgfBatch.fault stand for.");
}

}  // namespace tengen::bindings
