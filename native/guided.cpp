#include "guided.hpp"

#include <algorithm>
#include <bit>

#include "draw.hpp"
#include "patterns.hpp"

namespace tengen {
namespace {

// Chances in 256 that a step of the sequence is taken when it has a move.
constexpr int kAnswerAtari = 230;
constexpr int kNakade = 230;
constexpr int kShape = 243;
constexpr int kTakeAnywhere = 230;

// The longest space and string that the nakade rules know.
constexpr int kMaxNakade = 6;

bool at_least_two(unsigned bits) { return bits & (bits - 1); }

// A few points, each once.
struct Candidates {
    int count = 0;
    std::array<Point, 24> points;

    bool has(Point p) const { return std::find(points.begin(), points.begin() + count, p) != points.begin() + count; }
    void add(Point p) {
        if (count < static_cast<int>(points.size()) && !has(p)) points[static_cast<std::size_t>(count++)] = p;
    }
    Point draw(Random& random) const {
        return count == 0 ? kNoPoint : points[static_cast<std::size_t>(count == 1 ? 0 : random.below(count))];
    }
};

// In a space or string of these points, the neighbours of each within it.
struct Shape {
    int count = 0;
    std::array<Point, kMaxNakade> points;

    bool has(Point p) const { return std::find(points.begin(), points.begin() + count, p) != points.begin() + count; }

    // The point which, held by the enemy, leaves no two eyes: the middle of three, the square four (any
    // point, and it is dead already), the T four, the bulky and the crossed five, the flower six.
    Point vital(const Geometry& g) const {
        std::array<int, kMaxNakade> degree{};
        int links = 0;
        std::size_t centre = 0;
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
            for (int d : g.sides) degree[i] += has(static_cast<Point>(points[i] + d));
            links += degree[i];
            if (degree[i] > degree[centre]) centre = i;
        }
        const bool dead = count <= 3 || (count == 4 && (degree[centre] == 3 || links == 8)) ||
                          (count == 5 && (degree[centre] == 4 || links == 10)) ||
                          (count == 6 && degree[centre] == 4 && links == 12);
        return dead ? points[centre] : kNoPoint;
    }
};

// Points of the empty region around an empty point that can be told from its 3x3.
int empties_at_hand(std::uint16_t around) {
    const unsigned sides = detail::matches(around & 0xFF, kEmpty), diagonals = detail::matches(around >> 8, kEmpty);
    // Bits 0, 2, 4, 6 are north, west, east, south, and north-west, north-east, south-west, south-east.
    const unsigned north = sides & 1, west = sides >> 2 & 1, east = sides >> 4 & 1, south = sides >> 6;
    const unsigned joined =
        diagonals & ((north | west) | (north | east) << 2 | (west | south) << 4 | (east | south) << 6);
    return 1 + detail::count(sides) + detail::count(joined);
}

}  // namespace

int liberties_after(const Board& board, Point p, Color c) {
    std::array<Point, 2> found{};
    int n = 0;
    // True when there are two.
    const auto add = [&](Point q) {
        if (n == 1 && found[0] == q) return false;
        found[static_cast<std::size_t>(n++)] = q;
        return n == 2;
    };
    for (int d : board.geometry().sides) {
        const Point q = static_cast<Point>(p + d);
        if (board.empty(q) && add(q)) return 2;
    }
    for (int d : board.geometry().sides) {
        const Point q = static_cast<Point>(p + d);
        if (board.color(q) == opponent(c)) {
            if (board.in_atari(q) && (board.string_size(q) > 1 || add(q))) return 2;
        } else if (board.color(q) == c) {
            std::array<Point, 3> theirs;
            const int m = board.count_liberties(q, 3, theirs.data());
            for (int i = 0; i < m; ++i)
                if (theirs[static_cast<std::size_t>(i)] != p && add(theirs[static_cast<std::size_t>(i)])) return 2;
        }
    }
    return n;
}

bool wastes_stones(const Board& board, Point p, Color c) {
    const Geometry& g = board.geometry();
    if (at_least_two(detail::matches(board.around(p) & 0xFF, kEmpty))) return false;
    if (liberties_after(board, p, c) >= 2) return false;
    Shape string;
    string.points[static_cast<std::size_t>(string.count++)] = p;
    for (int d : g.sides) {
        const Point q = static_cast<Point>(p + d);
        if (board.color(q) == opponent(c) && board.in_atari(q)) return false;
        if (board.color(q) != c || string.has(q)) continue;
        if (string.count + board.string_size(q) > kMaxNakade) return true;
        Point s = q;
        do {
            string.points[static_cast<std::size_t>(string.count++)] = s;
            s = board.next(s);
        } while (s != q);
    }
    if (string.count > 1) return string.vital(g) == kNoPoint;
    // A lone stone: of use in an eye of two points, or where the eye is false once the stone was taken.
    for (int d : g.sides) {
        const Point q = static_cast<Point>(p + d);
        if (board.empty(q) && !at_least_two(detail::matches(board.around(q) & 0xFF, kEmpty)) &&
            !(board.side_colors(q) & 1U << c))
            return false;
    }
    const unsigned diagonals = board.around(p) >> 8;
    const unsigned mine = detail::matches(diagonals, c);
    const bool edge = detail::kColors[diagonals] & 1 << kFrame;
    return !(edge ? mine != 0 : at_least_two(mine));
}

Point vital_point(const Board& board, Point p) {
    if (empties_at_hand(board.around(p)) > kMaxNakade) return kNoPoint;
    Shape space;
    unsigned walls = 0;
    // False if the point makes the space too large, or one that both colours touch.
    const auto add = [&](Point q) {
        if (space.count == kMaxNakade) return false;
        space.points[static_cast<std::size_t>(space.count++)] = q;
        walls |= board.side_colors(q);
        constexpr unsigned both = 1 << kBlack | 1 << kWhite;
        return (walls & both) != both;
    };
    if (!add(p)) return kNoPoint;
    for (int i = 0; i < space.count; ++i)
        for (int d : board.geometry().sides) {
            const Point q = static_cast<Point>(space.points[static_cast<std::size_t>(i)] + d);
            if (board.empty(q) && !space.has(q) && !add(q)) return kNoPoint;
        }
    return space.count < 3 ? kNoPoint : space.vital(board.geometry());
}

Guide::Guide(const Board& board, Point last) : last_(last == kPass ? kNoPoint : last) {
    const Geometry& g = board.geometry();
    for (int i = 0; i < g.area; ++i) {
        const Point p = g.framed[static_cast<std::size_t>(i)];
        if (board.stone(p) && board.head(p) == p) note_atari(board, p);
    }
}

void Guide::note_atari(const Board& board, Point stone) {
    if (board.in_atari(stone) && threatened_count_ < kMaxThreatened)
        threatened_[static_cast<std::size_t>(threatened_count_++)] = stone;
}

void Guide::played(const Board& board, Point p, Color c) {
    last_ = p == kPass ? kNoPoint : p;
    if (p == kPass) return;
    note_atari(board, p);
    for (int d : board.geometry().sides) {
        const Point q = static_cast<Point>(p + d);
        if (board.color(q) == opponent(c)) note_atari(board, q);
    }
}

// The last move put own strings in atari, or stands in atari itself: take, or run.
Point Guide::answer_atari(const Board& board, Color c, Random& random) const {
    const Geometry& g = board.geometry();
    Candidates found;
    const auto take = [&](Point enemy) {
        const Point p = board.last_liberty(enemy);
        if (board.is_legal(p, c)) found.add(p);
    };
    if (board.stone(last_) && board.in_atari(last_)) take(last_);
    for (int d : g.sides) {
        const Point q = static_cast<Point>(last_ + d);
        if (board.color(q) != c || !board.in_atari(q)) continue;
        const Point liberty = board.last_liberty(q);
        if (board.is_legal(liberty, c) && liberties_after(board, liberty, c) >= 2) found.add(liberty);
        Point s = q;
        do {
            for (int e : g.sides) {
                const Point r = static_cast<Point>(s + e);
                if (board.color(r) == opponent(c) && board.in_atari(r)) take(r);
            }
            s = board.next(s);
        } while (s != q);
    }
    return found.draw(random);
}

Point Guide::answer_shape(const Board& board, Color c, Random& random) const {
    const Geometry& g = board.geometry();
    const PatternTable& table = PatternTable::standard();
    Candidates found;
    const auto look = [&](Point p) {
        if (board.empty(p) && table.matches(board.around(p), c) && board.is_legal(p, c) &&
            !wastes_stones(board, p, c))
            found.add(p);
    };
    for (std::size_t i = 0; i < 4; ++i) {
        look(static_cast<Point>(last_ + g.sides[i]));
        look(static_cast<Point>(last_ + g.diagonals[i]));
    }
    return found.draw(random);
}

Point Guide::take_anywhere(const Board& board, Color c, Random& random) {
    Candidates found;
    int kept = 0;
    for (int i = 0; i < threatened_count_; ++i) {
        const Point stone = threatened_[static_cast<std::size_t>(i)];
        if (!board.stone(stone) || !board.in_atari(stone)) continue;
        threatened_[static_cast<std::size_t>(kept++)] = stone;
        if (board.color(stone) == c) continue;
        const Point p = board.last_liberty(stone);
        if (board.is_legal(p, c)) found.add(p);
    }
    threatened_count_ = kept;
    return found.draw(random);
}

Point Guide::choose(Board& board, Color c, Random& random) {
    if (last_ != kNoPoint) {
        if (random.chance(kAnswerAtari))
            if (const Point p = answer_atari(board, c, random); p != kNoPoint) return p;
        if (random.chance(kNakade))
            for (int d : board.geometry().sides) {
                const Point q = static_cast<Point>(last_ + d);
                if (!board.empty(q)) continue;
                if (const Point p = vital_point(board, q); p != kNoPoint && board.is_legal(p, c)) return p;
            }
        if (random.chance(kShape))
            if (const Point p = answer_shape(board, c, random); p != kNoPoint) return p;
    }
    if (random.chance(kTakeAnywhere))
        if (const Point p = take_anywhere(board, c, random); p != kNoPoint) return p;
    return draw_move(board, c, random,
                     [&](Point p) { return board.is_legal(p, c) && !wastes_stones(board, p, c); });
}

}  // namespace tengen
