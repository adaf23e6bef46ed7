#include "board.hpp"

#include <algorithm>

namespace tengen {
Board::Board(int size) : geometry_(&Geometry::of(size)) {
    const Geometry& g = *geometry_;
    hash_ = 0;
    ko_ = kNoPoint;
    empty_count_ = 0;
    captured_.fill(0);
    color_.fill(kFrame);
    head_.fill(kNoPoint);  // frame and empty points share string 0, so that updates need no test
    next_.fill(kNoPoint);
    stones_.fill(0);
    for (auto& l : liberties_) l.clear();
    empties_.fill(kNoPoint);
    empty_index_.fill(0);
    for (int i = 0; i < g.area; ++i) {
        const Point p = g.framed[static_cast<std::size_t>(i)];
        color_[p] = kEmpty;
        empty_index_[p] = empty_count_;
        empties_[empty_count_++] = p;
    }
}

int Board::count_liberties(Point stone, int limit, Point* out) const {
    // A liberty is new if no earlier stone of the walk touches it; short walks are the rule, so found
    // points are compared directly.
    std::array<Point, kMaxArea> found;
    Point* list = out ? out : found.data();
    int n = 0;
    Point s = stone;
    do {
        for (int d : geometry_->sides) {
            const Point q = static_cast<Point>(s + d);
            if (color_[q] != kEmpty || std::find(list, list + n, q) != list + n) continue;
            list[n++] = q;
            if (n == limit) return n;
        }
        s = next_[s];
    } while (s != stone);
    return n;
}

bool Board::is_suicide(Point p, Color c) const {
    for (int d : geometry_->sides) {
        const Point q = static_cast<Point>(p + d);
        if (color_[q] == kEmpty) return false;
        if (color_[q] == kFrame) continue;
        // p is a liberty of the string at q, so atari means its only one.
        if ((color_[q] == c) != liberties_[head_[q]].atari()) return false;
    }
    return true;
}

bool Board::is_single_suicide(Point p, Color c) const {
    for (int d : geometry_->sides)
        if (color_[static_cast<Point>(p + d)] == c) return false;
    return is_suicide(p, c);
}

bool Board::is_legal(Point p, Color c, bool suicide) const {
    if (color_[p] != kEmpty || p == ko_) return false;
    return suicide ? !is_single_suicide(p, c) : !is_suicide(p, c);
}

int Board::capture_count(Point p, Color c) const {
    std::array<Point, 4> heads{};
    int n = 0, stones = 0;
    for (int d : geometry_->sides) {
        const Point q = static_cast<Point>(p + d);
        if (color_[q] != opponent(c) || !liberties_[head_[q]].atari()) continue;
        if (std::find(heads.begin(), heads.begin() + n, head_[q]) != heads.begin() + n) continue;
        heads[static_cast<std::size_t>(n++)] = head_[q];
        stones += stones_[head_[q]];
    }
    return stones;
}

// Makes p a stone of c: takes it from its neighbours' liberties and joins it to c's strings.
inline void Board::place(Point p, Color c, Undo* undo) {
    const Geometry& g = *geometry_;
    hash_ ^= g.keys[c][p];
    color_[p] = c;
    const std::uint16_t hole = empty_index_[p];
    const Point moved = empties_[--empty_count_];
    empties_[hole] = moved;
    empty_index_[moved] = hole;

    Liberties own;
    own.clear();
    for (int d : g.sides) {
        const Point q = static_cast<Point>(p + d);
        liberties_[head_[q]].remove(p);  // string 0 takes the frame's and empty points' share
        if (color_[q] == kEmpty) own.add(q);
    }
    head_[p] = p;
    next_[p] = p;
    stones_[p] = 1;
    liberties_[p] = own;
    for (int d : g.sides) {
        const Point q = static_cast<Point>(p + d);
        if (color_[q] != c || head_[q] == head_[p]) continue;
        Point large = head_[q], small = head_[p];
        if (stones_[large] < stones_[small]) std::swap(large, small);
        liberties_[large].join(liberties_[small]);
        stones_[large] = static_cast<std::uint16_t>(stones_[large] + stones_[small]);
        Point s = small;
        do {
            head_[s] = large;
            s = next_[s];
        } while (s != small);
        std::swap(next_[large], next_[small]);
        if (undo) {
            undo->large[undo->joins] = large;
            undo->small[undo->joins++] = small;
        }
    }
}

// Empties one point and gives it back as a liberty to the strings around.
void Board::lift(Point p) {
    hash_ ^= geometry_->keys[color_[p]][p];
    color_[p] = kEmpty;
    head_[p] = kNoPoint;
    empty_index_[p] = empty_count_;
    empties_[empty_count_++] = p;
    for (int d : geometry_->sides) liberties_[head_[static_cast<Point>(p + d)]].add(p);
}

int Board::capture(Point stone) {
    const Color c = color(stone);
    const int n = string_size(stone);
    Point s = stone;
    do {
        const Point following = next_[s];
        lift(s);
        s = following;
    } while (s != stone);
    captured_[c] = static_cast<std::uint16_t>(captured_[c] + n);
    return n;
}

// Places the stone, takes the enemy strings it leaves without liberties and sets ko; returns the stones taken.
inline int Board::place_and_take(Point p, Color c, Undo* undo) {
    place(p, c, undo);
    int taken = 0;
    Point last_taken = kNoPoint;
    for (int d : geometry_->sides) {
        const Point q = static_cast<Point>(p + d);
        if (color_[q] != opponent(c) || !liberties_[head_[q]].none()) continue;
        if (undo) undo->taken[undo->takes++] = head_[q];
        taken += capture(q);
        last_taken = q;
    }
    ko_ = taken == 1 && stones_[head_[p]] == 1 && in_atari(p) ? last_taken : kNoPoint;
    return taken;
}

void Board::play(Point p, Color c) {
    if (p == kPass)
        ko_ = kNoPoint;
    else if (place_and_take(p, c, nullptr) == 0 && liberties_[head_[p]].none())
        capture(p);
}

void Board::play(Point p, Color c, Undo& undo) {
    undo.point = p;
    undo.ko = ko_;
    undo.next = next_[p];
    undo.stones = stones_[p];
    undo.liberties = liberties_[p];
    undo.joins = undo.takes = 0;
    place_and_take(p, c, &undo);
}

void Board::undo(const Undo& undo) {
    const auto& keys = geometry_->keys;
    const Point p = undo.point;
    const Color c = color(p);
    ko_ = undo.ko;
    // A string taken off keeps its ring of stones; its points were the last to join the empty ones.
    for (int i = undo.takes; i-- > 0;) {
        const Point head = undo.taken[static_cast<std::size_t>(i)];
        Point s = head;
        do {
            for (int d : geometry_->sides) liberties_[head_[static_cast<Point>(s + d)]].remove(s);
            s = next_[s];
        } while (s != head);
        do {
            hash_ ^= keys[opponent(c)][s];
            color_[s] = opponent(c);
            head_[s] = head;
            s = next_[s];
        } while (s != head);
        liberties_[head].clear();
        empty_count_ = static_cast<std::uint16_t>(empty_count_ - stones_[head]);
        captured_[opponent(c)] = static_cast<std::uint16_t>(captured_[opponent(c)] - stones_[head]);
    }
    for (int i = undo.joins; i-- > 0;) {
        const Point large = undo.large[static_cast<std::size_t>(i)], small = undo.small[static_cast<std::size_t>(i)];
        std::swap(next_[large], next_[small]);
        stones_[large] = static_cast<std::uint16_t>(stones_[large] - stones_[small]);
        liberties_[large].part(liberties_[small]);
        Point s = small;
        do {
            head_[s] = small;
            s = next_[s];
        } while (s != small);
    }
    hash_ ^= keys[c][p];
    color_[p] = kEmpty;
    head_[p] = kNoPoint;
    next_[p] = undo.next;
    stones_[p] = undo.stones;
    liberties_[p] = undo.liberties;
    for (int d : geometry_->sides) liberties_[head_[static_cast<Point>(p + d)]].add(p);
    // place() filled p's place among the empty points with the last of them, which goes back to the end.
    const std::uint16_t hole = empty_index_[p];
    if (hole != empty_count_) {
        const Point moved = empties_[hole];
        empties_[empty_count_] = moved;
        empty_index_[moved] = empty_count_;
    }
    empties_[hole] = p;
    ++empty_count_;
}

std::uint64_t Board::hash_after(Point p, Color c) const {
    if (p == kPass) return hash_;
    const auto& keys = geometry_->keys;
    std::uint64_t h = hash_ ^ keys[c][p];
    std::array<Point, 4> heads{};
    int n = 0;
    const auto take_off = [&](Point stone) {
        Point s = stone;
        do {
            h ^= keys[color_[s]][s];
            s = next_[s];
        } while (s != stone);
    };
    const auto seen = [&](Point head) {
        if (std::find(heads.begin(), heads.begin() + n, head) != heads.begin() + n) return true;
        heads[static_cast<std::size_t>(n++)] = head;
        return false;
    };
    for (int d : geometry_->sides) {
        const Point q = static_cast<Point>(p + d);
        if (color_[q] == opponent(c) && liberties_[head_[q]].atari() && !seen(head_[q])) take_off(q);
    }
    if (n == 0 && is_suicide(p, c)) {
        h ^= keys[c][p];
        for (int d : geometry_->sides) {
            const Point q = static_cast<Point>(p + d);
            if (color_[q] == c && !seen(head_[q])) take_off(q);
        }
    }
    return h;
}

void Board::put(Point p, Color c) {
    if (stone(p)) remove(p);
    if (c != kEmpty) place(p, c, nullptr);
    ko_ = kNoPoint;
}

void Board::remove(Point p) {
    ko_ = kNoPoint;
    if (!stone(p)) return;
    // A string may fall apart, which no incremental update can tell: build all anew.
    hash_ ^= geometry_->keys[color_[p]][p];
    color_[p] = kEmpty;
    rebuild();
}

void Board::rebuild() {
    Board fresh(geometry_->size);
    for (int i = 0; i < geometry_->area; ++i) {
        const Point p = geometry_->framed[static_cast<std::size_t>(i)];
        if (stone(p)) fresh.place(p, color(p), nullptr);
    }
    fresh.captured_ = captured_;
    *this = fresh;
}

bool Board::has_dead_string() const {
    for (int i = 0; i < geometry_->area; ++i) {
        const Point p = geometry_->framed[static_cast<std::size_t>(i)];
        if (stone(p) && liberties_[head_[p]].none()) return true;
    }
    return false;
}

bool Board::is_eye(Point p, Color c) const {
    for (int d : geometry_->sides) {
        const std::uint8_t q = color_[static_cast<Point>(p + d)];
        if (q != c && q != kFrame) return false;
    }
    int enemy = 0, edge = 0;
    for (int d : geometry_->diagonals) {
        const std::uint8_t q = color_[static_cast<Point>(p + d)];
        enemy += q == opponent(c);
        edge |= q == kFrame;
    }
    return enemy + edge < 2;
}

std::uint64_t symmetric_hash(const Board& board, int symmetry) {
    const Geometry& g = board.geometry();
    
    std::uint64_t h = 0;
    for (int i = 0; i < g.area; ++i) {
        const Point p = g.framed[static_cast<std::size_t>(i)];
        if (!board.stone(p)) continue;
        h ^= g.keys[board.color(p)][g.framed[static_cast<std::size_t>(transform(i, g.size, symmetry))]];
    }
    return h;
}

std::uint64_t canonical_hash(const Board& board) {
    std::uint64_t least = board.hash();
    for (int s = 1; s < kSymmetries; ++s) least = std::min(least, symmetric_hash(board, s));
    return least;
}

}  // namespace tengen
