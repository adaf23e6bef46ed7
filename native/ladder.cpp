#include "ladder.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

namespace tengen {
namespace {

// Yes if any is yes; without one, the limit if any met it.
Answer any(Answer a, Answer b) {
    if (a == Answer::kYes || b == Answer::kYes) return Answer::kYes;
    return a == Answer::kLimit ? a : b;
}

bool contains(const Point* list, int n, Point p) { return std::find(list, list + n, p) != list + n; }

// A play that the end of the scope takes back.
class Trial {
public:
    Trial(ReadingBoard& board, Point p, Color c) : board_(board) { board_.play(p, c, undo_); }
    ~Trial() { board_.undo(undo_); }
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;

private:
    ReadingBoard& board_;
    ReadingBoard::Undo undo_;
};

}  // namespace

LadderReader::LadderReader(const Board& board, int node_limit)
    : board_(board), node_limit_(node_limit), depth_limit_(board.geometry().area * 3 / 2) {}

Answer LadderReader::is_caught(Point stone, Color to_move) {
    const bool atari = board_.in_atari(stone);
    if (to_move == board_.color(stone)) return atari ? defend_from_here(stone) : Answer::kNo;
    return atari ? answer(board_.is_legal(board_.last_liberty(stone), to_move)) : attack_from_here(stone);
}

Answer LadderReader::is_laddered(Point stone, Point* moves, int* count) {
    if (count) *count = 0;
    if (board_.in_atari(stone)) return defend_from_here(stone);
    std::array<Point, 3> liberties;
    if (board_.count_liberties(stone, 3, liberties.data()) != 2) return Answer::kNo;
    const std::array<Answer, 2> caught = is_caught_by_each(stone, {liberties[0], liberties[1]});
    for (std::size_t i = 0; i < 2; ++i)
        if (caught[i] == Answer::kYes && moves) moves[(*count)++] = liberties[i];
    return any(caught[0], caught[1]);
}

std::array<Answer, 2> LadderReader::is_caught_by_each(Point stone, const std::array<Point, 2>& liberties) {
    return {catches_string(stone, liberties.data(), 0), catches_string(stone, liberties.data(), 1)};
}

// The attacker plays the one of two liberties, and the owner answers.
Answer LadderReader::catches_string(Point stone, const Point* liberties, int i) {
    begin();
    const bool caught = try_atari(stone, liberties[i], liberties[1 - i], -1, kNoPoint);
    return stopped_ ? Answer::kLimit : answer(caught);
}

Answer LadderReader::attack_from_here(Point stone) {
    std::array<Point, 3> liberties;
    if (board_.count_liberties(stone, 3, liberties.data()) != 2) return Answer::kNo;
    const Answer first = catches_string(stone, liberties.data(), 0);
    return first == Answer::kYes ? first : any(first, catches_string(stone, liberties.data(), 1));
}

std::array<Answer, 3> LadderReader::is_caught_after_each(Point stone, const std::array<Point, 3>& liberties) {
    const Color c = opponent(board_.color(stone));
    // Two plays leave the same stones in either order, so three ways are read, not six: left[k] is what comes of
    // leaving liberty k. Most strings then run free, which needs no playing to see.
    std::array<Answer, 3> left, result;
    std::array<bool, 3> known;
    for (std::size_t k = 0; k < 3; ++k) {
        known[k] = extend(stone, liberties[k], {liberties[(k + 1) % 3], liberties[(k + 2) % 3]}).count >= 3;
        left[k] = result[k] = Answer::kNo;
    }
    for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
        const auto hopeless = [&](std::size_t one) { return known[one] && left[one] == Answer::kNo; };
        if ((hopeless(j) && hopeless(k)) || !board_.is_legal(liberties[i], c)) continue;
        const Trial trial(board_, liberties[i], c);
        for (const auto& [next, rest] : {std::pair{j, k}, std::pair{k, j}}) {
            if (hopeless(rest) || result[i] == Answer::kYes || !board_.is_legal(liberties[next], c)) continue;
            if (!known[rest]) {
                const std::array<Point, 2> both{liberties[next], liberties[rest]};
                left[rest] = catches_string(stone, both.data(), 0);
                known[rest] = true;
            }
            result[i] = any(result[i], left[rest]);
        }
    }
    return result;
}

Answer LadderReader::catches(Point move, Color c) {
    if (!board_.is_legal(move, c)) return Answer::kNo;
    Answer result = Answer::kNo;
    for_neighbours(move, opponent(c), [&](Point stone) {
        std::array<Point, 3> liberties;
        if (result == Answer::kYes || board_.count_liberties(stone, 3, liberties.data()) != 2) return;
        result = any(result, catches_string(stone, liberties.data(), liberties[0] == move ? 0 : 1));
    });
    return result;
}

Answer LadderReader::escapes(Point move, Color c) {
    if (!board_.is_legal(move, c)) return Answer::kNo;
    std::vector<Point> strings;  // heads of c's strings in atari that the move may help
    const auto consider = [&](Point stone) {
        if (board_.in_atari(stone) && std::find(strings.begin(), strings.end(), board_.head(stone)) == strings.end())
            strings.push_back(board_.head(stone));
    };
    for_neighbours(move, c, consider);
    for_neighbours(move, opponent(c), [&](Point taken) {
        if (!board_.in_atari(taken)) return;
        Point s = taken;
        do {
            for_neighbours(s, c, consider);
            s = board_.next(s);
        } while (s != taken);
    });
    Answer result = Answer::kNo;
    for (const Point stone : strings)
        if (result != Answer::kYes) result = any(result, saves(stone, move));
    return result;
}

// The owner of a string in atari makes a legal move that takes a liberty of it or an enemy string beside it.
Answer LadderReader::saves(Point stone, Point move) {
    const Trial trial(board_, move, board_.color(stone));
    std::array<Point, 3> liberties;
    const int n = board_.count_liberties(stone, 3, liberties.data());
    begin();
    const bool caught = attack(stone, 1, n, liberties.data(), kNoPoint);
    return stopped_ ? Answer::kLimit : answer(!caught);
}

std::vector<Point> LadderReader::escaping_moves(Point stone) {
    std::vector<Point> candidates, moves;
    find_captures(stone);
    candidates.swap(moves_);
    if (const Point last = board_.last_liberty(stone); std::find(candidates.begin(), candidates.end(), last) == candidates.end())
        candidates.push_back(last);
    for (const Point p : candidates)
        if (board_.is_legal(p, board_.color(stone)) && saves(stone, p) == Answer::kYes) moves.push_back(p);
    return moves;
}

Answer LadderReader::is_lost(Point move, Color c) {
    if (!board_.is_legal(move, c)) return Answer::kNo;
    if (captures(move, c)) {
        const Trial trial(board_, move, c);
        return is_caught(move, opponent(c));
    }
    const Extension now = extend(c, kNoPoint, move, {});
    if (now.count > 2) return Answer::kNo;
    std::array<bool, 2> free{};  // if liberty i is taken
    if (now.count == 2) {
        for (std::size_t i = 0; i < 2; ++i)
            free[i] = extend(c, kNoPoint, now.liberties[1 - i], {now.liberties[i], move}).count >= 3;
        if (free[0] && free[1]) return Answer::kNo;
    }
    const Trial trial(board_, move, c);
    if (now.count == 1) return is_caught(move, opponent(c));
    const Answer first = free[0] ? Answer::kNo : catches_string(move, now.liberties.data(), 0);
    return free[1] || first == Answer::kYes ? first : any(first, catches_string(move, now.liberties.data(), 1));
}

Answer LadderReader::threatens(Point move, Color c) {
    if (!board_.is_legal(move, c)) return Answer::kNo;
    const Trial trial(board_, move, c);
    Answer result = Answer::kNo;
    for_neighbours(move, opponent(c), [&](Point stone) {
        if (result != Answer::kYes) result = any(result, is_laddered(stone));
    });
    return result;
}

void LadderReader::begin() {
    nodes_ = 0;
    stopped_ = false;
}

// The owner of a string in atari plays first, whatever the ko point.
Answer LadderReader::defend_from_here(Point stone) {
    begin();
    const Point ko = board_.ko();
    board_.clear_ko();
    const Extension extension = extend(stone, board_.last_liberty(stone), {});
    const bool caught = defend(stone, 0, extension, kNoPoint, kNoPoint);
    board_.set_ko(ko);
    return stopped_ ? Answer::kLimit : answer(caught);
}

// The owner plays on a string with one liberty. `grown` and `atari` are the last moves of owner and attacker, if
// before them there was nothing to take and the owner's stone brought no others with it; else kNoPoint.
bool LadderReader::defend(Point stone, int depth, const Extension& extension, Point grown, Point atari) {
    if (depth >= depth_limit_) return true;
    if (depth > 0 && board_.ko() != kNoPoint) return false;
    if (depth + 1 >= depth_limit_) return true;
    // Most strings that get out do so by extending, which needs no playing to see.
    if (extension.count >= 3) return false;

    const Color c = board_.color(stone);
    const std::size_t begin = moves_.size();
    if (grown == kNoPoint) {
        find_captures(stone);
    } else {
        find_captures_beside(grown, c, begin);
        if (board_.in_atari(atari)) add_move(board_.last_liberty(atari), begin);
    }
    // Strings beside the last liberty, if not beside the stones themselves, are taken by extending.
    const bool takes = captures(extension.to, c);
    if (takes) add_move(extension.to, begin);
    const std::size_t end = moves_.size();
    bool caught = true;
    for (std::size_t i = begin; caught && i < end && spend_node(); ++i) {
        const Trial trial(board_, moves_[i], c);
        std::array<Point, 3> liberties;
        const int n = board_.count_liberties(stone, 3, liberties.data());
        caught = attack(stone, depth + 1, n, liberties.data(), kNoPoint);
    }
    moves_.resize(begin);
    if (!caught || stopped_ || takes || extension.count < 2 || !spend_node()) return caught;
    const Trial trial(board_, extension.to, c);
    return attack(stone, depth + 1, extension.count, extension.liberties.data(),
                  begin == end && !extension.joins ? extension.to : kNoPoint);
}

// The attacker plays on a string with these liberties (three stand for more).
bool LadderReader::attack(Point stone, int depth, int n, const Point* liberties, Point grown) {
    if (depth >= depth_limit_) return true;
    if (n != 2) return n < 2;
    const std::array<int, 2> room{board_.empty_sides(liberties[0]), board_.empty_sides(liberties[1])};
    if (room[0] == 0 && room[1] == 0 && is_double_ko(stone, liberties)) return true;
    // Where the other way is wide enough by itself, and the move takes nothing from it, there is no need to
    // look. Of two, stopping the wider way first is more often right.
    const int step = std::abs(liberties[0] - liberties[1]);
    const bool adjacent = step == 1 || step == board_.geometry().stride;
    const int first = room[1] > room[0];
    for (const int i : {first, 1 - first}) {
        if (!adjacent && room[static_cast<std::size_t>(1 - i)] >= 3) continue;
        if (try_atari(stone, liberties[i], liberties[1 - i], depth, grown)) return true;
    }
    return false;
}

// The attacker plays `move`, one of two liberties, which leaves the string the other. Depth is that of the
// attacker; -1 is outside the search, where the ko he may leave does not count and the node is free.
bool LadderReader::try_atari(Point stone, Point move, Point other, int depth, Point grown) {
    const Color c = opponent(board_.color(stone));
    if (!board_.is_legal(move, c)) return false;
    // Whatever the move takes had no other liberty, so it cannot narrow the way that is left.
    Extension extension = extend(stone, other, {move});
    if (extension.count >= 3 && depth + 2 < depth_limit_) return false;
    const bool takes = captures(move, c);
    if (depth >= 0 && !spend_node()) return false;
    const Trial trial(board_, move, c);
    if (takes) extension = extend(stone, other, {});
    if (depth < 0) board_.clear_ko();
    return defend(stone, depth + 1, extension, grown, move);
}

bool LadderReader::spend_node() {
    if (nodes_ >= node_limit_) stopped_ = true;
    ++nodes_;
    return !stopped_;
}

// What a string of c, whose head is `own`, gains by extending to p: liberties beside p and of the strings it joins
// there. Its own others, if it has any, are among those `gone`.
LadderReader::Extension LadderReader::extend(Color c, Point own, Point p, Gone gone) const {
    Extension result;
    result.to = p;
    const auto& sides = board_.geometry().sides;
    int n = 0;
    unsigned friends = 0;
    // No branches: which of four neighbours are empty is anyone's guess.
    for (unsigned i = 0; i < 4; ++i) {
        const Point q = static_cast<Point>(p + sides[i]);
        result.liberties[static_cast<std::size_t>(n)] = q;
        n += board_.empty(q) & !gone.has(q);
        friends |= static_cast<unsigned>((board_.color(q) == c) & (board_.head(q) != own)) << i;
    }
    result.joins = friends != 0;
    for (; n < 3 && friends; friends &= friends - 1) {
        const Point joined = static_cast<Point>(p + sides[static_cast<std::size_t>(std::countr_zero(friends))]);
        // What the string has beside those known: none, one, or more, which mostly settles it without a walk.
        const Point head = board_.head(joined);
        Liberties others = board_.liberties(joined);
        const auto leave_out = [&](Point q) { others.remove(q, board_.stones_beside(q, head)); };
        leave_out(p);
        for (const Point q : {gone.a, gone.b})
            if (q != kNoPoint) leave_out(q);
        for (int i = 0; i < n; ++i) leave_out(result.liberties[static_cast<std::size_t>(i)]);
        if (others.none()) continue;
        if (others.atari()) {
            result.liberties[static_cast<std::size_t>(n++)] = others.last();
            continue;
        }
        if (n > 0) {
            n = 3;
            break;
        }
        Point s = joined;
        do {
            for (int d : sides) {
                const Point q = static_cast<Point>(s + d);
                if (!board_.empty(q) || q == p || gone.has(q) || contains(result.liberties.data(), n, q)) continue;
                result.liberties[static_cast<std::size_t>(n++)] = q;
            }
            s = board_.next(s);
        } while (n < 3 && s != joined);
    }
    result.count = std::min(n, 3);
    return result;
}

// Adds the points where the owner takes a string beside his own to the list of moves.
void LadderReader::find_captures(Point stone) {
    const std::size_t begin = moves_.size();
    Point s = stone;
    do {
        find_captures_beside(s, board_.color(stone), begin);
        s = board_.next(s);
    } while (s != stone);
}

// The same for strings beside one stone of c; the list began at `begin`.
void LadderReader::find_captures_beside(Point s, Color c, std::size_t begin) {
    const auto& sides = board_.geometry().sides;
    unsigned taken = 0;  // without branches, as in captures()
    for (unsigned i = 0; i < 4; ++i)
        taken |= static_cast<unsigned>(is_in_atari(static_cast<Point>(s + sides[i]), opponent(c))) << i;
    for (; taken; taken &= taken - 1)
        add_move(board_.last_liberty(static_cast<Point>(s + sides[static_cast<std::size_t>(std::countr_zero(taken))])), begin);
}

void LadderReader::add_move(Point p, std::size_t begin) {
    if (std::find(moves_.begin() + static_cast<std::ptrdiff_t>(begin), moves_.end(), p) == moves_.end())
        moves_.push_back(p);
}

// c takes something by playing at p.
bool LadderReader::captures(Point p, Color c) const {
    bool any = false;
    for (int d : board_.geometry().sides) any |= is_in_atari(static_cast<Point>(p + d), opponent(c));
    return any;
}

// Both liberties are kos that the attacker could take, filling either gains nothing, and there is nothing
// for the owner to take.
bool LadderReader::is_double_ko(Point stone, const Point* liberties) {
    const Color enemy = opponent(board_.color(stone));
    if (!is_ko_capture(liberties[0], enemy) || !is_ko_capture(liberties[1], enemy)) return false;
    for (int i = 0; i < 2; ++i)
        if (extend(stone, liberties[i], {liberties[1 - i]}).count > 1) return false;
    const std::size_t begin = moves_.size();
    find_captures(stone);
    const bool none = moves_.size() == begin;
    moves_.resize(begin);
    return none;
}

// p is empty and closed in by c's enemy, and c would take exactly one lone stone there.
bool LadderReader::is_ko_capture(Point p, Color c) const {
    int taken = 0;
    for (int d : board_.geometry().sides) {
        const Point q = static_cast<Point>(p + d);
        if (board_.empty(q) || board_.color(q) == c) return false;
        if (!board_.stone(q) || !board_.in_atari(q)) continue;
        if (board_.string_size(q) != 1) return false;
        ++taken;
    }
    return taken == 1;
}

}  // namespace tengen
