// A Go board for search: stones, strings, liberties, captures, simple ko, hash.
//
// A plain value of about 9 kB: copying it is the way to keep it, for playouts and the tree alike; reading that
// plays and takes back thousands of moves has `Undo`. It knows the rules of placing stones; superko needs
// history and lives in Position.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "geometry.hpp"

namespace tengen {

// The pseudo-liberties of a string: every (stone, adjacent empty point) pair counts once. Kept as one
// packed sum over those empty points of (1, p, p*p), so joining strings and taking or giving a liberty
// is one addition. All pairs are the same point exactly when count * squares == sum * sum
// (Cauchy-Schwarz), which finds atari and the last liberty without walking the string.
class Liberties {
public:
    // 12 bits of count (at most 4*361), 21 of sum (at most 4*361*419), 31 of squares.
    static constexpr std::uint64_t of(Point p) {
        return 1 | static_cast<std::uint64_t>(p) << 12 | static_cast<std::uint64_t>(p) * p << 33;
    }
    void clear() { packed_ = 0; }
    void add(Point p) { packed_ += of(p); }
    void add_if(bool condition, Point p) { packed_ += of(p) & -static_cast<std::uint64_t>(condition); }
    void remove(Point p, unsigned times = 1) { packed_ -= of(p) * times; }
    void join(Liberties other) { packed_ += other.packed_; }
    void part(Liberties other) { packed_ -= other.packed_; }
    bool none() const { return packed_ == 0; }
    bool atari() const {
        const std::uint64_t n = packed_ & 0xFFF, s = packed_ >> 12 & 0x1FFFFF, q = packed_ >> 33;
        return (n * q == s * s) & (n != 0);
    }
    // The only liberty of a string in atari.
    Point last() const { return static_cast<Point>((packed_ >> 12 & 0x1FFFFF) / (packed_ & 0xFFF)); }

private:
    std::uint64_t packed_;
};

// What four neighbours say, by their colours packed two bits each (Board::around).
namespace detail {

template <typename F>
constexpr std::array<std::uint8_t, 256> table_over_fours(F f) {
    std::array<std::uint8_t, 256> table{};
    for (unsigned four = 0; four < 256; ++four) {
        std::array<int, 4> count{};
        for (unsigned i = 0; i < 8; i += 2) ++count[four >> i & 3];
        table[four] = static_cast<std::uint8_t>(f(count));
    }
    return table;
}

// Those of the four that have the colour: bit 2 * i for the i-th.
constexpr unsigned matches(unsigned four, Color c) {
    const unsigned differ = four ^ c * 0x55U;
    return ~(differ | differ >> 1) & 0x55;
}

// How many bits matches() set.
constexpr int count(unsigned matches) {
    const unsigned pairs = (matches & 0x11) + (matches >> 2 & 0x11);
    return static_cast<int>((pairs & 0xF) + (pairs >> 4));
}

using Count = const std::array<int, 4>&;
inline constexpr auto kColors = table_over_fours([](Count n) {
    return (n[kEmpty] > 0) << kEmpty | (n[kBlack] > 0) << kBlack | (n[kWhite] > 0) << kWhite |
           (n[kFrame] > 0) << kFrame;
});
inline constexpr auto kEmptySides = table_over_fours([](Count n) { return n[kEmpty]; });
// Bit 1 << colour: the point may be an eye of that colour.
inline constexpr auto kEyeSides = table_over_fours([](Count n) {
    return (n[kBlack] + n[kFrame] == 4) << kBlack | (n[kWhite] + n[kFrame] == 4) << kWhite;
});
inline constexpr auto kEyeDiagonals = table_over_fours([](Count n) {
    const int edge = n[kFrame] > 0;
    return (n[kWhite] + edge < 2) << kBlack | (n[kBlack] + edge < 2) << kWhite;
});

}  // namespace detail

class Board {
public:
    explicit Board(int size) : Board(cleared(size)) {}

    int size() const { return geometry_->size; }
    const Geometry& geometry() const { return *geometry_; }

    Color color(Point p) const { return static_cast<Color>(color_[p]); }
    bool empty(Point p) const { return color_[p] == kEmpty; }
    bool stone(Point p) const { return color_[p] == kBlack || color_[p] == kWhite; }

    // Strings. `head` names the string of a stone; `next` walks it in a circle.
    Point head(Point stone) const { return head_[stone]; }
    Point next(Point stone) const { return next_[stone]; }
    int string_size(Point stone) const { return stones_[head_[stone]]; }
    bool in_atari(Point stone) const { return liberties_[head_[stone]].atari(); }
    Point last_liberty(Point stone) const { return liberties_[head_[stone]].last(); }
    // Distinct liberties of the string of `stone`, counted up to `limit`; the points found are written to
    // `out` if given, which holds `limit` of them.
    int count_liberties(Point stone, int limit, Point* out = nullptr) const;

    // Empty points, in no order: empty_at(0 .. empty_count()-1).
    int empty_count() const { return empty_count_; }
    Point empty_at(int i) const { return empties_[static_cast<std::size_t>(i)]; }
    // Changes their order: how playouts draw from them without drawing a point twice.
    void swap_empties(int i, int j) {
        Point &a = empties_[static_cast<std::size_t>(i)], &b = empties_[static_cast<std::size_t>(j)];
        std::swap(a, b);
        std::swap(empty_index_[a], empty_index_[b]);
    }

    // The point barred by simple ko for the next move of either colour, or kNoPoint.
    Point ko() const { return ko_; }
    void clear_ko() { ko_ = kNoPoint; }
    void set_ko(Point p) { ko_ = p; }

    // Stones of this colour taken off the board so far.
    int captured(Color c) const { return captured_[c]; }

    // Stones only: two boards of a size with the same stones have the same hash.
    std::uint64_t hash() const { return hash_; }

    // The eight points around p, two bits of colour each: the sides (north, west, east, south) from bit 0,
    // the diagonals (north-west, north-east, south-west, south-east) from bit 8.
    std::uint16_t around(Point p) const { return around_[p]; }
    // The colours at p's sides, bit 1 << colour for each.
    unsigned side_colors(Point p) const { return detail::kColors[around_[p] & 0xFF]; }
    int empty_sides(Point p) const { return detail::kEmptySides[around_[p] & 0xFF]; }

    bool is_suicide(Point p, Color c) const {  // p is empty; own string(s) would have no liberty
        return !(side_colors(p) & 1 << kEmpty) && !finds_liberty(p, c);
    }
    bool is_single_suicide(Point p, Color c) const;  // the same for a lone stone
    // May c play at p: empty, not the ko point, and no suicide (with `suicide`, none of a lone stone;
    // that would change nothing on the board).
    bool is_legal(Point p, Color c, bool suicide = false) const {
        if (color_[p] != kEmpty || p == ko_) return false;
        return suicide ? !is_single_suicide(p, c) : !is_suicide(p, c);
    }
    int capture_count(Point p, Color c) const;  // enemy stones a play at p by c would take

    // Plays c at p, which is_legal allows (with suicide: own stones without liberty are removed); kPass passes.
    void play(Point p, Color c);
    // What undo() needs to take a play back.
    struct Undo {
        Point point;
        Point ko;
        std::uint16_t hole;  // the point's place among the empty ones
        // What the point kept of a string that stood there: an earlier undo may bring it back.
        Point next;
        std::uint16_t stones;
        Liberties liberties;
        Point first;  // head of the string the stone was added to, or kNoPoint
        Color color;
        std::uint8_t joins, takes;
        std::array<Point, 3> large, small;  // then string small[i] was joined to large[i]
        std::array<Point, 4> taken;         // heads of the strings taken off the board
        bool suicide;                       // the one taken is the player's own
    };
    // play(p, c) that undo() can take back, the last play first.
    void play(Point p, Color c, Undo& undo);
    void undo(const Undo& undo);
    // The hash after play(p, c), without playing.
    std::uint64_t hash_after(Point p, Color c) const;

    // Puts or removes a stone as a setup: no capture of others' strings, ko cleared. A setup that leaves a
    // string without liberties is the caller's to refuse (`has_dead_string`).
    void put(Point p, Color c);
    void remove(Point p);
    bool has_dead_string() const;

    // An eye of c that random play must not fill: all sides are c's, and the enemy holds no diagonal at the
    // edge and at most one in the middle.
    bool is_eye(Point p, Color c) const {
        return detail::kEyeSides[around_[p] & 0xFF] & detail::kEyeDiagonals[around_[p] >> 8] & 1 << c;
    }

protected:
    explicit Board(const Geometry& geometry);
    static const Board& cleared(int size);
    // Does a stone of c at p, which has no empty side, find a liberty by capture or through its own strings?
    bool finds_liberty(Point p, Color c) const {
        bool found = false;
        for (int d : geometry_->sides) {
            const Point q = static_cast<Point>(p + d);
            // p is a liberty of the string at q, so atari means its only one.
            found |= (color_[q] != kFrame) & ((color_[q] == c) != liberties_[head_[q]].atari());
        }
        return found;
    }
    // Each in two forms: keep kAll up, or the strings only, which is all that reading needs (see ReadingBoard).
    enum Keep { kStringsOnly, kAll };
    template <Keep keep>
    int capture(Point stone);
    template <Keep keep>
    void lift(Point stone);
    void announce(Point p, int added);
    template <Keep keep>
    bool place(Point p, Color c, Undo* undo);
    Point join(Point large, Point small);
    template <Keep keep>
    void play(Point p, Color c, Undo* undo);
    template <Keep keep>
    void take_back(const Undo& undo);
    void rebuild();

    const Geometry* geometry_;
    std::uint64_t hash_;
    Point ko_;
    std::uint16_t empty_count_;
    std::array<std::uint16_t, 3> captured_;
    std::array<std::uint8_t, kMaxCells> color_;
    std::array<std::uint16_t, kMaxCells> around_;
    std::array<Point, kMaxCells> head_;
    std::array<Point, kMaxCells> next_;
    std::array<std::uint16_t, kMaxCells> stones_;
    std::array<Liberties, kMaxCells> liberties_;
    std::array<Point, kMaxArea> empties_;
    std::array<std::uint16_t, kMaxCells> empty_index_;
};

static_assert(std::is_trivially_copyable_v<Board>);

// A copy of a board for reading: plays and takes back twice as fast, since it keeps up strings, liberties and ko,
// but neither the hash nor the lists of empty points and of points around.
class ReadingBoard : private Board {
public:
    explicit ReadingBoard(const Board& board) : Board(board) {}

    using Board::Undo;
    using Board::clear_ko;
    using Board::color;
    using Board::count_liberties;
    using Board::empty;
    using Board::geometry;
    using Board::head;
    using Board::in_atari;
    using Board::ko;
    using Board::last_liberty;
    using Board::next;
    using Board::set_ko;
    using Board::stone;
    using Board::string_size;

    // As Board::is_legal, without suicide.
    bool is_legal(Point p, Color c) const {
        if (color_[p] != kEmpty || p == ko_) return false;
        for (int d : geometry_->sides)
            if (color_[static_cast<Point>(p + d)] == kEmpty) return true;
        return finds_liberty(p, c);
    }
    int empty_sides(Point p) const {
        int n = 0;
        for (int d : geometry_->sides) n += color_[static_cast<Point>(p + d)] == kEmpty;
        return n;
    }
    Liberties liberties(Point stone) const { return liberties_[head_[stone]]; }
    // How many stones of the string with this head are beside p.
    unsigned stones_beside(Point p, Point head) const {
        unsigned n = 0;
        for (int d : geometry_->sides) n += head_[static_cast<Point>(p + d)] == head;
        return n;
    }
    void play(Point p, Color c, Undo& undo);
    void undo(const Undo& undo);
};

// Hash of the board as it looks after `symmetry` (0 is hash()); their minimum is the same for all eight.
std::uint64_t symmetric_hash(const Board& board, int symmetry);
std::uint64_t canonical_hash(const Board& board);

}  // namespace tengen
