#include "playout.hpp"

#include "bindings.hpp"
#include "guided.hpp"
#include "patterns.hpp"
#include "position.hpp"

namespace tengen::bindings {
namespace {

Policy policy_of(const std::string& name) {
    if (name == "uniform") return Policy::kUniform;
    if (name == "guided") return Policy::kGuided;
    throw std::invalid_argument("unknown playout policy '" + name + "': known are uniform, guided");
}

// The move that led here, if it left a stone.
Point last_move(const Position& position) {
    if (position.moves().empty()) return kNoPoint;
    return position.board().geometry().from_flat(packed_point(position.moves().back()));
}

template <typename T>
nb::ndarray<nb::numpy, T> on_board(std::vector<T>&& data, int size) {
    return to_numpy(std::move(data), size, size);
}

}  // namespace

void bind_playout(nb::module_& m) {
    m.def(
        "playout_statistics",
        [](const Position& position, int n, std::uint64_t seed, const std::string& policy, int threads) {
            const int size = position.size();
            PlayoutStatistics s;
            {
                const Policy chosen = policy_of(policy);
                const float komi = position.rules().komi + handicap_bonus(position);
                nb::gil_scoped_release release;
                s = playout_statistics(position.board(), position.to_move(), n, seed, chosen, komi, threads,
                                       last_move(position));
            }
            nb::dict out;
            out["playouts"] = s.playouts;
            out["black_wins"] = s.black_wins;
            out["margin_mean"] = s.margin_mean;
            out["margin_deviation"] = s.margin_deviation;
            const std::size_t bins = s.margins.size();
            out["margins"] = to_numpy(std::move(s.margins), bins);
            out["ownership"] = on_board(std::move(s.ownership), size);
            out["criticality"] = on_board(std::move(s.criticality), size);
            out["amaf_black"] = on_board(std::move(s.amaf[kBlack]), size);
            out["amaf_white"] = on_board(std::move(s.amaf[kWhite]), size);
            out["amaf_playouts_black"] = on_board(std::move(s.amaf_playouts[kBlack]), size);
            out["amaf_playouts_white"] = on_board(std::move(s.amaf_playouts[kWhite]), size);
            return out;
        },
        nb::arg("position"), nb::arg("n"), nb::arg("seed") = 0, nb::arg("policy") = "uniform",
        nb::arg("threads") = 1,
        nb::sig("def playout_statistics(position: Position, n: int, seed: int = 0, policy: str = 'uniform', "
                "threads: int = 1) -> dict[str, typing.Any]"),
        "What n playouts say of a position; tengen.go.playouts gives the result its names and types.");
    m.def(
        "playout_moves",
        [](const Position& position, std::uint64_t seed, const std::string& policy, std::uint64_t index) {
            Board board = position.board();
            Random random(seed, index);
            PlayoutRecord record;
            play_out(board, position.to_move(), random, policy_of(policy), record, last_move(position));
            std::vector<int> moves;
            for (int i = 0; i < record.length; ++i)
                moves.push_back(board.geometry().to_flat(record.moves[static_cast<std::size_t>(i)]));
            return moves;
        },
        nb::arg("position"), nb::arg("seed") = 0, nb::arg("policy") = "uniform", nb::arg("index") = 0,
        "The moves of one playout, both sides in turn, pass as size*size: number `index` of those that\n"
        "playout_statistics plays for the same seed.");
    m.def(
        "patterns",
        [] {
            std::vector<std::tuple<std::string, std::string, bool>> out;
            for (const Pattern& p : patterns())
                out.emplace_back(p.name, std::string(p.rows[0]) + "\n" + p.rows[1] + "\n" + p.rows[2],
                                 p.mover == Pattern::Mover::kEither);
            return out;
        },
        "The 3x3 patterns of guided playouts: name, drawing, and whether O may play it as well as X.\n"
        "X and O are the colours either way round, * the point to play, . empty, # off the board,\n"
        "? anything, x anything but X, o anything but O.");
    m.def(
        "matches_pattern",
        [](const Position& position, int point) {
            const Point p = position.board().geometry().from_flat(point);
            return p != kPass && position.board().empty(p) &&
                   PatternTable::standard().matches(position.board().around(p), position.to_move());
        },
        nb::arg("position"), nb::arg("point"), "Does a pattern speak for the side to move playing here?");
    m.def(
        "wastes_stones",
        [](const Position& position, int point) {
            const Point p = position.board().geometry().from_flat(point);
            return p != kPass && position.board().is_legal(p, position.to_move()) &&
                   wastes_stones(position.board(), p, position.to_move());
        },
        nb::arg("position"), nb::arg("point"),
        "Would the side to move, playing here, put its own stones in atari to no use?");
}

}  // namespace tengen::bindings
