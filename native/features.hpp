// What several encodings ask of a position: strings with their liberties, and what a move would do.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "position.hpp"

namespace tengen {

// A set of points of the board, by row-major index.
class PointSet {
public:
    void clear() { words_.fill(0); }
    void add(int flat) { words_[static_cast<std::size_t>(flat >> 6)] |= bit(flat); }
    void remove(int flat) { words_[static_cast<std::size_t>(flat >> 6)] &= ~bit(flat); }
    bool has(int flat) const { return words_[static_cast<std::size_t>(flat >> 6)] >> (flat & 63) & 1; }
    void add(const PointSet& other) {
        for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    }
    // Writes its points, at most `limit` of them, to `out`; returns how many.
    int list(int limit, int* out) const {
        int n = 0;
        for (std::size_t i = 0; i < words_.size(); ++i)
            for (std::uint64_t w = words_[i]; w != 0 && n < limit; w &= w - 1)
                out[n++] = static_cast<int>(64 * i) + std::countr_zero(w);
        return n;
    }
    // Its size, counted up to `limit`.
    int count(int limit) const {
        int n = 0;
        for (std::uint64_t w : words_)
            for (; w != 0; w &= w - 1)
                if (++n == limit) return n;
        return n;
    }

private:
    static constexpr std::uint64_t bit(int flat) { return std::uint64_t{1} << (flat & 63); }
    std::array<std::uint64_t, (kMaxArea + 63) / 64> words_;
};

// The most liberties or stones that any plane tells apart.
inline constexpr int kMaxClass = 8;

// What a legal move does.
struct MoveEffect {
    int captured;   // enemy stones taken
    int stones;     // of the string it becomes part of
    int liberties;  // of that string, up to kMaxClass
};

class Strings {
public:
    explicit Strings(const Board& board);

    int count() const { return count_; }
    Point head(int i) const { return heads_[static_cast<std::size_t>(i)]; }
    // Liberties of string i.
    int liberties(int i) const { return liberty_counts_[static_cast<std::size_t>(i)]; }
    // The first n of them.
    template <std::size_t n>
    std::array<Point, n> liberty_points(int i) const {
        std::array<int, n> flat;
        liberties_[static_cast<std::size_t>(i)].list(static_cast<int>(n), flat.data());
        std::array<Point, n> points;
        for (std::size_t k = 0; k < n; ++k) points[k] = board_.geometry().framed[static_cast<std::size_t>(flat[k])];
        return points;
    }
    // Calls f(stone) for each stone of string i.
    template <typename F>
    void for_stones(int i, F f) const {
        Point s = head(i);
        do {
            f(s);
            s = board_.next(s);
        } while (s != head(i));
    }
    // What c's play at p would do, if legal.
    MoveEffect effect(Point p, Color c) const {
        const unsigned own = detail::matches(board_.around(p) & 0xFF, c);
        if (!own && !takes(p, c)) return {0, 1, board_.empty_sides(p)};
        return contact_effect(p, c);
    }

private:
    MoveEffect contact_effect(Point p, Color c) const;
    bool takes(Point p, Color c) const { return last_liberties_[p] >> opponent(c) & 1; }

    const Board& board_;
    int count_ = 0;
    std::array<Point, kMaxArea> heads_;
    std::array<std::uint16_t, kMaxCells> index_;  // of the string with that head
    std::array<PointSet, kMaxArea> liberties_;
    std::array<std::uint16_t, kMaxArea> liberty_counts_;
    // Bit 1 << colour for the last liberties of strings in atari of that colour.
    std::array<std::uint8_t, kMaxCells> last_liberties_{};
};

// The point of the n-th last move, n from 1, or kNoPoint for a pass or no such move.
Point last_move(const Position& position, std::size_t n);

}  // namespace tengen
