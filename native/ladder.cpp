#include "ladder.hpp"

#include <algorithm>
#include <cstdlib>

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
    Trial(Board& board, Point p, Color c) : board_(board) { board_.play(p, c, undo_); }
    ~Trial() { board_.undo(undo_); }
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;

private:
    Board& board_;
    Board::Undo undo_;
};

}  // namespace

LadderReader::LadderReader(const Board& board, int node_limit) : board_(board), node_limit_(node_limit) {
    read(board);
}

void LadderReader::read(const Board& board) {
    board_ = board;
    depth_limit_ = board.geometry().area * 3 / 2;
}

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
    Answer result = Answer::kNo;
    for (int i = 0; i < 2; ++i) {
        const Answer a = catches_string(stone, liberties.data(), i);
        result = any(result, a);
        if (a == Answer::kYes && moves) moves[(*count)++] = liberties[static_cast<std::size_t>(i)];
    }
    return result;
}

// The attacker plays the one of two liberties, and the owner answers.
Answer LadderReader::catches_string(Point stone, const Point* liberties, int i) {
    const Color c = opponent(board_.color(stone));
    const Point move = liberties[i], other = liberties[1 - i];
    if (!board_.is_legal(move, c)) return Answer::kNo;
    if (frees(stone, other, move)) return Answer::kNo;
    const Trial trial(board_, move, c);
    return defend_from_here(stone);
}

Answer LadderReader::attack_from_here(Point stone) {
    std::array<Point, 3> liberties;
    if (board_.count_liberties(stone, 3, liberties.data()) != 2) return Answer::kNo;
    const Answer first = catches_string(stone, liberties.data(), 0);
    return first == Answer::kYes ? first : any(first, catches_string(stone, liberties.data(), 1));
}

Answer LadderReader::is_caught_after(Point stone, Point move) {
    const Color c = opponent(board_.color(stone));
    if (!board_.is_legal(move, c)) return Answer::kNo;
    const Trial trial(board_, move, c);
    return attack_from_here(stone);
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
    const bool caught = attack(stone, 1, n, liberties.data());
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
    const Trial trial(board_, move, c);
    return is_caught(move, opponent(c));
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
    const bool caught = defend(stone, 0);
    board_.set_ko(ko);
    return stopped_ ? Answer::kLimit : answer(caught);
}

bool LadderReader::defend(Point stone, int depth) {
    if (depth >= depth_limit_) return true;
    if (!board_.in_atari(stone)) return false;
    if (depth > 0 && board_.ko() != kNoPoint) return false;
    if (depth + 1 >= depth_limit_) return true;
    const Color c = board_.color(stone);
    const Point last = board_.last_liberty(stone);

    // Most strings that get out do so by extending, which needs no playing to see.
    std::array<Point, 3> liberties;
    const bool takes = board_.capture_count(last, c) > 0;
    const int n = takes ? 0 : extended(stone, last, kNoPoint, liberties.data());
    if (n >= 3) return false;

    const std::size_t begin = moves_.size();
    find_captures(stone);
    const std::size_t end = moves_.size();
    bool caught = true;
    for (std::size_t i = begin; caught && i < end && spend_node(); ++i) {
        const Trial trial(board_, moves_[i], c);
        std::array<Point, 3> after;
        caught = attack(stone, depth + 1, board_.count_liberties(stone, 3, after.data()), after.data());
    }
    moves_.resize(begin);
    if (!caught || stopped_) return caught;

    if (takes) {  // strings next to the last liberty, if not next to the stones themselves
        if (!spend_node()) return true;
        const Trial trial(board_, last, c);
        return attack(stone, depth + 1, board_.count_liberties(stone, 3, liberties.data()), liberties.data());
    }
    if (n < 2 || !spend_node()) return true;
    const Trial trial(board_, last, c);
    return attack(stone, depth + 1, n, liberties.data());
}

// The attacker plays on a string with these liberties (three stand for more).
bool LadderReader::attack(Point stone, int depth, int n, const Point* liberties) {
    if (depth >= depth_limit_) return true;
    if (n != 2) return n < 2;
    const Color c = opponent(board_.color(stone));
    const std::array<int, 2> room{empty_sides(liberties[0]), empty_sides(liberties[1])};
    if (room[0] == 0 && room[1] == 0 && is_double_ko(stone, liberties)) return true;
    // Stopping the wider way first is more often right. Where the other way is wide enough by itself, and
    // the move takes nothing from it, there is no need to look.
    const int first = room[1] > room[0];
    const int step = std::abs(liberties[0] - liberties[1]);
    const bool adjacent = step == 1 || step == board_.geometry().stride;
    for (const int i : {first, 1 - first}) {
        const Point move = liberties[i], other = liberties[1 - i];
        if (!adjacent && room[static_cast<std::size_t>(1 - i)] >= 3) continue;
        if (!board_.is_legal(move, c)) continue;
        if (depth + 2 < depth_limit_ && frees(stone, other, move)) continue;
        if (!spend_node()) return false;
        const Trial trial(board_, move, c);
        if (defend(stone, depth + 1)) return true;
    }
    return false;
}

bool LadderReader::spend_node() {
    if (nodes_ >= node_limit_) stopped_ = true;
    ++nodes_;
    return !stopped_;
}

// Once the attacker has played `move`, extending to `last` gives the string three liberties.
bool LadderReader::frees(Point stone, Point last, Point move) const {
    std::array<Point, 3> liberties;
    return board_.capture_count(move, opponent(board_.color(stone))) == 0 &&
           extended(stone, last, move, liberties.data()) >= 3;
}

// The liberties, up to three, that a string gains by extending to p, from p itself and from the strings it
// joins there; `without` does not count.
int LadderReader::extended(Point stone, Point p, Point without, Point* out) const {
    const Color c = board_.color(stone);
    int n = 0;
    const auto add = [&](Point q) {
        if (q != p && q != without && board_.empty(q) && !contains(out, n, q)) out[n++] = q;
        return n >= 3;
    };
    for (int d : board_.geometry().sides)
        if (add(static_cast<Point>(p + d))) return n;
    for (int d : board_.geometry().sides) {
        const Point joined = static_cast<Point>(p + d);
        if (board_.color(joined) != c || board_.head(joined) == board_.head(stone)) continue;
        Point s = joined;
        do {
            for (int e : board_.geometry().sides)
                if (add(static_cast<Point>(s + e))) return n;
            s = board_.next(s);
        } while (s != joined);
    }
    return n;
}

// Adds the points where the owner takes a string next to his own to the list of moves.
void LadderReader::find_captures(Point stone) {
    const Color enemy = opponent(board_.color(stone));
    const std::size_t begin = moves_.size();
    Point s = stone;
    do {
        for (int d : board_.geometry().sides) {
            const Point q = static_cast<Point>(s + d);
            if (board_.color(q) != enemy || !board_.in_atari(q)) continue;
            const Point p = board_.last_liberty(q);
            if (!contains(moves_.data() + begin, static_cast<int>(moves_.size() - begin), p)) moves_.push_back(p);
        }
        s = board_.next(s);
    } while (s != stone);
}

int LadderReader::empty_sides(Point p) const {
    int n = 0;
    for (int d : board_.geometry().sides) n += board_.empty(static_cast<Point>(p + d));
    return n;
}

// Both liberties are kos that the attacker could take, filling either gains nothing, and there is nothing
// for the owner to take.
bool LadderReader::is_double_ko(Point stone, const Point* liberties) {
    const Color enemy = opponent(board_.color(stone));
    if (!is_ko_capture(liberties[0], enemy) || !is_ko_capture(liberties[1], enemy)) return false;
    for (int i = 0; i < 2; ++i) {
        std::array<Point, 3> gained;
        if (extended(stone, liberties[i], liberties[1 - i], gained.data()) > 1) return false;
    }
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
