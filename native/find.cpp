#include "find.hpp"

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <string>
#include <tuple>

#include "parallel.hpp"

namespace tengen {
namespace {

// What the placements want, point by point.
struct Wanted {
    struct At {
        std::int32_t placement;
        Color color;
    };
    std::array<std::vector<At>, kMaxCells> at;  // by framed point
    std::vector<std::int16_t> differ;           // points of each placement that are not as wanted on the empty board

    explicit Wanted(const Placements& placements) : differ(placements.count()) {
        const Geometry& g = Geometry::of(placements.size);
        for (std::size_t k = 0; k < placements.count(); ++k)
            for (auto i = static_cast<std::size_t>(placements.offsets[k]);
                 i < static_cast<std::size_t>(placements.offsets[k + 1]); ++i) {
                const Color c = static_cast<Color>(placements.colors[i]);
                at[g.framed[placements.points[i]]].push_back({static_cast<std::int32_t>(k), c});
                differ[k] = static_cast<std::int16_t>(differ[k] + (c != kEmpty));
            }
    }
};

// Goes through games one by one.
class Finder {
public:
    Finder(const Placements& placements, const Wanted& wanted)
        : placements_(placements), wanted_(wanted), empty_(placements.size), board_(empty_), reported_(placements.count()) {}

    void search(std::int64_t game, std::span<const Packed> setup, std::span<const Packed> moves, Color first,
                std::vector<Found>& found) {
        const Geometry& g = empty_.geometry();
        board_ = empty_;
        differ_ = wanted_.differ;
        std::fill(reported_.begin(), reported_.end(), false);
        waiting_.clear();
        for (std::size_t k = 0; k < differ_.size(); ++k)
            if (differ_[k] == 0) waiting_.push_back(static_cast<std::int32_t>(k));
        const auto broken = [&](const std::string& what) {
            return std::invalid_argument("game " + std::to_string(game) + ": " + what);
        };
        for (const Packed s : setup) {
            if (packed_point(s) >= g.area) throw broken("setup is not on the board");
            const Point p = g.framed[static_cast<std::size_t>(packed_point(s))];
            change(p, board_.color(p), packed_color(s));
            board_.put(p, packed_color(s));
        }
        if (!setup.empty() && board_.has_dead_string()) throw broken("the setup leaves a string without liberties");
        for (std::size_t i = 0;; ++i) {
            if (!waiting_.empty()) {
                const Color last = i == 0 ? opponent(first) : packed_color(moves[i - 1]);
                report(game, static_cast<std::int32_t>(i), i < moves.size() ? packed_color(moves[i]) : opponent(last), found);
            }
            if (i == moves.size()) return;
            const int flat = packed_point(moves[i]);
            if (flat == g.area) {
                board_.clear_ko();
                continue;
            }
            if (flat > g.area) throw broken("move " + std::to_string(i + 1) + " is not on the board");
            const Point p = g.framed[static_cast<std::size_t>(flat)];
            if (!board_.empty(p)) throw broken("move " + std::to_string(i + 1) + " is played on a stone");
            play(p, packed_color(moves[i]));
        }
    }

private:
    void play(Point p, Color c) {
        Board::Undo undo;
        change(p, kEmpty, c);
        board_.play(p, c, undo);
        // Strings that were taken keep their rings.
        for (std::size_t k = 0; k < undo.takes; ++k) {
            Point s = undo.taken[k];
            do {
                change(s, undo.suicide ? c : opponent(c), kEmpty);
                s = board_.next(s);
            } while (s != undo.taken[k]);
        }
    }

    void change(Point p, Color from, Color to) {
        for (const auto& [placement, color] : wanted_.at[p]) {
            auto& differ = differ_[static_cast<std::size_t>(placement)];
            differ = static_cast<std::int16_t>(differ + (color == from) - (color == to));
            if (differ == 0 && color == to && !reported_[static_cast<std::size_t>(placement)]) waiting_.push_back(placement);
        }
    }

    // Of those waiting, some were true for a moment only, and some wait for the other side's turn.
    void report(std::int64_t game, std::int32_t move, Color to_move, std::vector<Found>& found) {
        std::sort(waiting_.begin(), waiting_.end());
        waiting_.erase(std::unique(waiting_.begin(), waiting_.end()), waiting_.end());
        std::erase_if(waiting_, [&](std::int32_t k) {
            const auto i = static_cast<std::size_t>(k);
            if (differ_[i] != 0) return true;
            if (placements_.to_move[i] != kEmpty && placements_.to_move[i] != to_move) return false;
            reported_[i] = true;
            found.push_back({game, move, k});
            return true;
        });
    }

    const Placements& placements_;
    const Wanted& wanted_;
    const Board empty_;
    Board board_;
    std::vector<std::int16_t> differ_;
    std::vector<bool> reported_;
    std::vector<std::int32_t> waiting_;
};

}  // namespace

void Placements::check() const {
    const int area = Geometry::of(size).area;
    if (colors.size() != points.size() || offsets.size() != count() + 1 || offsets[0] != 0 ||
        offsets[count()] != static_cast<std::int64_t>(points.size()))
        throw std::invalid_argument("the columns of the placements do not fit together");
    for (std::size_t k = 0; k < count(); ++k) {
        if (offsets[k] > offsets[k + 1]) throw std::invalid_argument("the offsets of the placements do not rise");
        std::array<bool, kMaxArea> seen{};
        for (auto i = static_cast<std::size_t>(offsets[k]); i < static_cast<std::size_t>(offsets[k + 1]); ++i) {
            if (points[i] >= area || colors[i] > kWhite || seen[points[i]])
                throw std::invalid_argument("a placement has a point off the board, or twice, or no colour");
            seen[points[i]] = true;
        }
    }
}

std::vector<Found> find_placements(const Placements& placements, std::span<const std::uint8_t> sizes,
                                   std::span<const Packed> moves, std::span<const std::int64_t> move_offsets,
                                   std::span<const Packed> setup, std::span<const std::int64_t> setup_offsets,
                                   std::span<const std::uint8_t> first_to_move, std::size_t begin, std::size_t end,
                                   int threads) {
    placements.check();
    const std::size_t n = sizes.size();
    if (move_offsets.size() != n + 1 || setup_offsets.size() != n + 1 || first_to_move.size() != n)
        throw std::invalid_argument("the columns of the records are of different lengths");
    if (begin > end || end > n) throw std::invalid_argument("there are no such games in the records");
    const auto part = [](std::span<const Packed> all, std::span<const std::int64_t> offsets, std::size_t i) {
        if (offsets[i] < 0 || offsets[i] > offsets[i + 1] || offsets[i + 1] > static_cast<std::int64_t>(all.size()))
            throw std::invalid_argument("the offsets of the records do not rise, or end beyond their moves or stones");
        return all.subspan(static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(offsets[i + 1] - offsets[i]));
    };
    const Wanted wanted(placements);
    std::vector<Found> all;
    std::mutex mutex;
    in_parallel(end - begin, threads, [&](std::size_t first, std::size_t last) {
        Finder finder(placements, wanted);
        std::vector<Found> found;
        for (std::size_t i = begin + first; i < begin + last; ++i)
            if (sizes[i] == placements.size)
                finder.search(static_cast<std::int64_t>(i), part(setup, setup_offsets, i), part(moves, move_offsets, i),
                              first_to_move[i] == kWhite ? kWhite : kBlack, found);
        const std::lock_guard lock(mutex);
        all.insert(all.end(), found.begin(), found.end());
    });
    const auto key = [](const Found& f) { return std::tuple(f.game, f.move, f.placement); };
    std::sort(all.begin(), all.end(), [&](const Found& a, const Found& b) { return key(a) < key(b); });
    return all;
}

}  // namespace tengen
