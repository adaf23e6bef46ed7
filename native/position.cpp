#include "position.hpp"

#include <algorithm>

#include "random.hpp"

namespace tengen {

const char* describe(Refusal r) {
    switch (r) {
        case Refusal::kNone: return "legal";
        case Refusal::kOffBoard: return "off the board";
        case Refusal::kOccupied: return "point is occupied";
        case Refusal::kSuicide: return "suicide";
        case Refusal::kKo: return "ko";
        case Refusal::kSuperko: return "superko: repeats an earlier position";
    }
    return "?";
}

void Position::restart() {
    board_ = start_;
    to_move_ = first_;
    passes_ = 0;
    undoable_ = 0;
    moves_.clear();
    hashes_.clear();
    seen_.fill(0);
    remember(board_.hash());
}

// Hashes are spread evenly, so twelve of their bits name one of the filter's 4096.
void Position::remember(std::uint64_t hash) {
    hashes_.push_back(hash);
    seen_[hash >> 6 & 63] |= std::uint64_t{1} << (hash & 63);
}

std::uint64_t Position::record_hash() const {
    std::uint64_t h = start_.hash() ^ side_key(first_);
    for (const Packed m : moves_) h = splitmix64(h ^ m);
    return h;
}

bool Position::setup(std::span<const Packed> stones, Color to_move) {
    Board changed = board_;
    for (Packed s : stones) {
        const Point p = board_.geometry().from_flat(packed_point(s));
        if (p == kPass) throw std::out_of_range("a pass is no setup stone");
        changed.put(p, packed_color(s));
    }
    changed.clear_ko();
    if (changed.has_dead_string()) return false;
    start_ = changed;
    first_ = to_move;
    restart();
    return true;
}

// What superko compares: the stones, under situational superko together with the side to move next.
std::uint64_t Position::situation(std::uint64_t stones, Color next) const {
    return rules_.ko == Ko::kSituational ? stones ^ side_key(next) : stones;
}

bool Position::repeats(Point p, Color c) const {
    const std::uint64_t h = board_.hash_after(p, c);
    if (!(seen_[h >> 6 & 63] >> (h & 63) & 1)) return false;
    if (rules_.ko == Ko::kPositional) return std::find(hashes_.begin(), hashes_.end(), h) != hashes_.end();
    const std::uint64_t now = situation(h, opponent(c));
    for (std::size_t i = 0; i < hashes_.size(); ++i) {
        const Color next = i == 0 ? first_ : opponent(packed_color(moves_[i - 1]));
        if (situation(hashes_[i], next) == now) return true;
    }
    return false;
}

Refusal Position::check(Point p, Color c) const {
    if (p == kPass) return Refusal::kNone;
    if (!board_.empty(p)) return Refusal::kOccupied;
    // The side that took the ko may fill it, should it move again.
    if (p == board_.ko() && c != packed_color(moves_.back())) return Refusal::kKo;
    if (rules_.suicide ? board_.is_single_suicide(p, c) : board_.is_suicide(p, c)) return Refusal::kSuicide;
    if (rules_.ko != Ko::kSimple && repeats(p, c)) return Refusal::kSuperko;
    return Refusal::kNone;
}

void Position::play_unchecked(Point p, Color c) {
    board_.play(p, c, recent_[moves_.size() % kRecent]);
    undoable_ = std::min(undoable_ + 1, kRecent);
    moves_.push_back(pack(board_.geometry().to_flat(p), c));
    remember(board_.hash());
    passes_ = p == kPass ? passes_ + 1 : 0;
    to_move_ = opponent(c);
}

Refusal Position::play(Point p, Color c) {
    const Refusal r = check(p, c);
    if (r == Refusal::kNone) play_unchecked(p, c);
    return r;
}

Position Position::after(std::size_t n) const {
    Position earlier = *this;
    earlier.restart();
    for (std::size_t i = 0; i < std::min(n, moves_.size()); ++i)
        earlier.play_unchecked(board_.geometry().from_flat(packed_point(moves_[i])), packed_color(moves_[i]));
    return earlier;
}

bool Position::undo() {
    if (moves_.empty()) return false;
    const Color mover = packed_color(moves_.back());
    if (undoable_ == 0) {
        *this = after(moves_.size() - 1);
    } else {
        moves_.pop_back();
        hashes_.pop_back();  // `seen_` still holds it, which costs a look and no more
        --undoable_;
        board_.undo(recent_[moves_.size() % kRecent]);
        const int pass = board_.geometry().area;
        const auto last_play = std::find_if(moves_.rbegin(), moves_.rend(),
                                            [&](Packed m) { return packed_point(m) != pass; });
        passes_ = static_cast<int>(last_play - moves_.rbegin());
    }
    to_move_ = mover;
    return true;
}

Board Position::board_before(std::size_t n) const {
    n = std::min(n, moves_.size());
    if (n > undoable_) return after(moves_.size() - n).board();
    Board earlier = board_;
    for (std::size_t i = 1; i <= n; ++i) earlier.undo(recent_[(moves_.size() - i) % kRecent]);
    return earlier;
}

int handicap_stones(const Position& position) {
    const Geometry& g = position.board().geometry();
    int stones = 0;
    for (int i = 0; i < g.area; ++i) {
        const Color c = position.start().color(g.framed[static_cast<std::size_t>(i)]);
        if (c == kWhite) return 0;
        stones += c == kBlack;
    }
    const auto& moves = position.moves();
    int played = 0;
    for (std::size_t i = 0; i < moves.size(); ++i) {
        const bool pass = packed_point(moves[i]) == g.area;
        if (packed_color(moves[i]) == kBlack) {
            played += !pass;
        } else {
            if (i + 1 < moves.size() && packed_color(moves[i + 1]) == kWhite) played = 0;
            else if (pass) continue;
            break;
        }
    }
    stones += played;
    return stones >= 2 ? stones : 0;
}

float handicap_bonus(const Position& position) {
    const int n = handicap_stones(position);
    if (n == 0) return 0;
    switch (position.rules().handicap_bonus) {
        case HandicapBonus::kNone: return 0;
        case HandicapBonus::kStones: return static_cast<float>(n);
        case HandicapBonus::kStonesLessOne: return static_cast<float>(n - 1);
    }
    return 0;
}

}  // namespace tengen
