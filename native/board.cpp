#include "board.hpp"

#include <algorithm>
#include <bit>
#include <vector>

namespace tengen {

Board::Board(const Geometry& g) : geometry_(&g) {
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
    around_.fill(0);
    for (int i = 0; i < g.area; ++i) {
        const Point p = g.framed[static_cast<std::size_t>(i)];
        for (unsigned k = 0; k < 4; ++k)
            around_[p] = static_cast<std::uint16_t>(around_[p] | color_[static_cast<Point>(p + g.sides[k])] << 2 * k |
                                                    color_[static_cast<Point>(p + g.diagonals[k])] << (2 * k + 8));
    }
}

// Boards are made by the million, one for each game that is replayed: they are copied from one of their size.
const Board& Board::cleared(int size) {
    static const auto all = [] {
        std::vector<Board> boards;
        for (int n = kMinSize; n <= kMaxSize; ++n) boards.push_back(Board(Geometry::of(n)));
        return boards;
    }();
    return all[static_cast<std::size_t>(Geometry::of(size).size - kMinSize)];
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

bool Board::is_single_suicide(Point p, Color c) const {
    return !(side_colors(p) & 1U << c) && is_suicide(p, c);
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

// Tells the eight points around p that its colour changed; `added` is the difference.
inline void Board::announce(Point p, int added) {
    const Geometry& g = *geometry_;
    for (unsigned i = 0; i < 4; ++i) {
        // Seen from its i-th neighbour, p is neighbour 3 - i.
        const unsigned shift = 2 * (3 - i);
        std::uint16_t& side = around_[static_cast<Point>(p + g.sides[i])];
        std::uint16_t& diagonal = around_[static_cast<Point>(p + g.diagonals[i])];
        side = static_cast<std::uint16_t>(side + (added << shift));
        diagonal = static_cast<std::uint16_t>(diagonal + (added << (shift + 8)));
    }
}

// Makes p a stone of c: takes it from its neighbours' liberties and joins it to c's strings. Says whether
// a string of the enemy lost its last liberty.
template <Board::Keep keep>
inline bool Board::place(Point p, Color c, Undo* undo) {
    const Geometry& g = *geometry_;
    color_[p] = c;
    if constexpr (keep == kAll) {
        hash_ ^= g.keys[c][p];
        announce(p, c);
        const std::uint16_t hole = empty_index_[p];
        const Point moved = empties_[--empty_count_];
        empties_[hole] = moved;
        empty_index_[moved] = hole;
        if (undo) undo->hole = hole;
    }

    // No branches: which of four neighbours are empty, or the enemy's, is anyone's guess.
    Liberties own{};
    bool kills = false;
    unsigned friends = 0;
    for (unsigned i = 0; i < 4; ++i) {
        const Point q = static_cast<Point>(p + g.sides[i]);
        if constexpr (keep != kAll) friends |= static_cast<unsigned>(color_[q] == c) << 2 * i;
        Liberties& theirs = liberties_[head_[q]];  // string 0 takes the frame's and empty points' share
        theirs.remove(p);
        kills |= theirs.none() & (color_[q] == opponent(c));
        own.add_if(color_[q] == kEmpty, q);
    }
    if constexpr (keep == kAll) friends = detail::matches(around_[p] & 0xFF, c);
    if (undo) {
        undo->next = next_[p];
        undo->stones = stones_[p];
        undo->liberties = liberties_[p];
        undo->first = kNoPoint;
    }
    if (!friends) {
        head_[p] = p;
        next_[p] = p;
        stones_[p] = 1;
        liberties_[p] = own;
        return kills;
    }
    const auto next_friend = [&] {
        const auto i = static_cast<std::size_t>(std::countr_zero(friends)) / 2;
        friends &= friends - 1;
        return head_[static_cast<Point>(p + g.sides[i])];
    };
    Point head = next_friend();
    head_[p] = head;
    next_[p] = next_[head];
    next_[head] = p;
    ++stones_[head];
    liberties_[head].join(own);
    if (undo) undo->first = head;
    while (friends) {
        const Point other = next_friend();
        if (other == head) continue;
        const Point joined = join(head, other);
        if (undo) {
            undo->large[undo->joins] = joined;
            undo->small[undo->joins++] = joined == head ? other : head;
        }
        head = joined;
    }
    return kills;
}

// Makes two strings one; returns its head, that of the larger.
Point Board::join(Point large, Point small) {
    if (stones_[large] < stones_[small]) std::swap(large, small);
    liberties_[large].join(liberties_[small]);
    stones_[large] = static_cast<std::uint16_t>(stones_[large] + stones_[small]);
    Point s = small;
    do {
        head_[s] = large;
        s = next_[s];
    } while (s != small);
    std::swap(next_[large], next_[small]);
    return large;
}

// Empties one point and gives it back as a liberty to the strings around.
template <Board::Keep keep>
void Board::lift(Point p) {
    if constexpr (keep == kAll) {
        hash_ ^= geometry_->keys[color_[p]][p];
        announce(p, -static_cast<int>(color_[p]));
        empty_index_[p] = empty_count_;
        empties_[empty_count_++] = p;
    }
    color_[p] = kEmpty;
    head_[p] = kNoPoint;
    for (int d : geometry_->sides) liberties_[head_[static_cast<Point>(p + d)]].add(p);
}

template <Board::Keep keep>
int Board::capture(Point stone) {
    const Color c = color(stone);
    const int n = string_size(stone);
    Point s = stone;
    do {
        const Point following = next_[s];
        lift<keep>(s);
        s = following;
    } while (s != stone);
    if constexpr (keep == kAll) captured_[c] = static_cast<std::uint16_t>(captured_[c] + n);
    return n;
}

template <Board::Keep keep>
inline void Board::play(Point p, Color c, Undo* undo) {
    if (undo) {
        undo->point = p;
        undo->ko = ko_;
        undo->color = c;
        undo->joins = undo->takes = 0;
        undo->suicide = false;
    }
    ko_ = kNoPoint;
    if (p == kPass) return;
    if (!place<keep>(p, c, undo)) {
        if (!liberties_[head_[p]].none()) return;
        if (undo) {
            undo->suicide = true;
            undo->taken[undo->takes++] = head_[p];
        }
        capture<keep>(p);
        return;
    }
    const Color enemy = opponent(c);
    int taken = 0;
    Point last_taken = kNoPoint;
    for (int d : geometry_->sides) {
        const Point q = static_cast<Point>(p + d);
        if (color_[q] == enemy && liberties_[head_[q]].none()) {
            if (undo) undo->taken[undo->takes++] = head_[q];
            taken += capture<keep>(q);
            last_taken = q;
        }
    }
    if (taken == 1 && stones_[head_[p]] == 1 && in_atari(p)) ko_ = last_taken;
}

void Board::play(Point p, Color c) { play<kAll>(p, c, nullptr); }

void Board::play(Point p, Color c, Undo& undo) { play<kAll>(p, c, &undo); }

void Board::undo(const Undo& undo) { take_back<kAll>(undo); }

void ReadingBoard::play(Point p, Color c, Undo& undo) { Board::play<kStringsOnly>(p, c, &undo); }

void ReadingBoard::undo(const Undo& undo) { take_back<kStringsOnly>(undo); }

// Everything in the reverse of the order in which play() did it.
template <Board::Keep keep>
inline void Board::take_back(const Undo& undo) {
    const auto& keys = geometry_->keys;
    const Point p = undo.point;
    const Color c = undo.color;
    ko_ = undo.ko;
    if (p == kPass) return;
    // A string taken off keeps its ring of stones; its points were the last to join the empty ones.
    const Color victim = undo.suicide ? c : opponent(c);
    for (std::size_t i = undo.takes; i-- > 0;) {
        const Point head = undo.taken[i];
        Point s = head;
        do {
            for (int d : geometry_->sides) liberties_[head_[static_cast<Point>(s + d)]].remove(s);
            if constexpr (keep == kAll) {
                hash_ ^= keys[victim][s];
                announce(s, victim);
            }
            s = next_[s];
        } while (s != head);
        do {
            color_[s] = victim;
            head_[s] = head;
            s = next_[s];
        } while (s != head);
        liberties_[head].clear();
        if constexpr (keep == kAll) {
            empty_count_ = static_cast<std::uint16_t>(empty_count_ - stones_[head]);
            captured_[victim] = static_cast<std::uint16_t>(captured_[victim] - stones_[head]);
        }
    }
    for (std::size_t i = undo.joins; i-- > 0;) {
        const Point large = undo.large[i], small = undo.small[i];
        std::swap(next_[large], next_[small]);
        stones_[large] = static_cast<std::uint16_t>(stones_[large] - stones_[small]);
        liberties_[large].part(liberties_[small]);
        Point s = small;
        do {
            head_[s] = small;
            s = next_[s];
        } while (s != small);
    }
    if (undo.first != kNoPoint) {
        next_[undo.first] = next_[p];
        --stones_[undo.first];
        Liberties own{};
        for (int d : geometry_->sides) own.add_if(color_[static_cast<Point>(p + d)] == kEmpty, static_cast<Point>(p + d));
        liberties_[undo.first].part(own);
    }
    color_[p] = kEmpty;
    head_[p] = kNoPoint;
    next_[p] = undo.next;
    stones_[p] = undo.stones;
    liberties_[p] = undo.liberties;
    for (int d : geometry_->sides) liberties_[head_[static_cast<Point>(p + d)]].add(p);
    if constexpr (keep != kAll) return;
    hash_ ^= keys[c][p];
    announce(p, -static_cast<int>(c));
    // place() filled p's place among the empty points with the last of them, which goes back to the end.
    if (undo.hole != empty_count_) {
        const Point moved = empties_[undo.hole];
        empties_[empty_count_] = moved;
        empty_index_[moved] = empty_count_;
    }
    empties_[undo.hole] = p;
    empty_index_[p] = undo.hole;
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
    if (c != kEmpty) place<kAll>(p, c, nullptr);
    ko_ = kNoPoint;
}

void Board::remove(Point p) {
    ko_ = kNoPoint;
    if (!stone(p)) return;
    // A string may fall apart, which no incremental update can tell: build all anew.
    color_[p] = kEmpty;
    rebuild();
}

void Board::rebuild() {
    Board fresh(geometry_->size);
    for (int i = 0; i < geometry_->area; ++i) {
        const Point p = geometry_->framed[static_cast<std::size_t>(i)];
        if (stone(p)) fresh.place<kAll>(p, color(p), nullptr);
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
