// A Go board for search: stones, strings, liberties, captures, simple ko, hash.
//
// A plain value of about 7 kB: copying it is the way to take a move back, for ladders, playouts and the
// tree alike. It knows the rules of placing stones; superko needs history and lives in Position.
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
    void remove(Point p) { packed_ -= of(p); }
    void join(Liberties other) { packed_ += other.packed_; }
    bool none() const { return packed_ == 0; }
    bool atari() const {
        const std::uint64_t n = packed_ & 0xFFF, s = packed_ >> 12 & 0x1FFFFF, q = packed_ >> 33;
        return n * q == s * s && n != 0;
    }
    // The only liberty of a string in atari.
    Point last() const { return static_cast<Point>((packed_ >> 12 & 0x1FFFFF) / (packed_ & 0xFFF)); }

private:
    std::uint64_t packed_;
};

class Board {
public:
    explicit Board(int size);

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

    // Stones of this colour taken off the board so far.
    int captured(Color c) const { return captured_[c]; }

    // Stones only: two boards of a size with the same stones have the same hash.
    std::uint64_t hash() const { return hash_; }

    bool is_suicide(Point p, Color c) const;        // p is empty; own string(s) would have no liberty
    bool is_single_suicide(Point p, Color c) const;  // the same for a lone stone
    // May c play at p: empty, not the ko point, and no suicide (with `suicide`, none of a lone stone;
    // that would change nothing on the board).
    bool is_legal(Point p, Color c, bool suicide = false) const;
    int capture_count(Point p, Color c) const;  // enemy stones a play at p by c would take

    // Plays c at p, which is_legal allows (with suicide: own stones without liberty are removed); kPass passes.
    void play(Point p, Color c);
    // The hash after play(p, c), without playing.
    std::uint64_t hash_after(Point p, Color c) const;

    // Puts or removes a stone as a setup: no capture of others' strings, ko cleared. A setup that leaves a
    // string without liberties is the caller's to refuse (`has_dead_string`).
    void put(Point p, Color c);
    void remove(Point p);
    bool has_dead_string() const;

    // An eye of c that random play must not fill: all sides are c's, and the enemy holds no diagonal at the
    // edge and at most one in the middle.
    bool is_eye(Point p, Color c) const;

private:
    int capture(Point stone);
    void lift(Point stone);
    void place(Point p, Color c);
    void rebuild();

    const Geometry* geometry_;
    std::uint64_t hash_;
    Point ko_;
    std::uint16_t empty_count_;
    std::array<std::uint16_t, 3> captured_;
    std::array<std::uint8_t, kMaxCells> color_;
    std::array<Point, kMaxCells> head_;
    std::array<Point, kMaxCells> next_;
    std::array<std::uint16_t, kMaxCells> stones_;
    std::array<Liberties, kMaxCells> liberties_;
    std::array<Point, kMaxArea> empties_;
    std::array<std::uint16_t, kMaxCells> empty_index_;
};

static_assert(std::is_trivially_copyable_v<Board>);

// Hash of the board as it looks after `symmetry` (0 is hash()); their minimum is the same for all eight.
std::uint64_t symmetric_hash(const Board& board, int symmetry);
std::uint64_t canonical_hash(const Board& board);

}  // namespace tengen
