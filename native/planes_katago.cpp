// KataGo's inputs, version 7: 22 planes and 19 values of the whole position, the same for all its nets from model
// version 8 on. Clean-up phases are never entered, and nobody is favoured in playouts, so some stay zero.
#include <algorithm>
#include <cmath>

#include "features.hpp"
#include "ladder.hpp"
#include "life.hpp"
#include "planes.hpp"

namespace tengen {
namespace {

constexpr int kHistory = 5;  // moves

bool is_pass(const Position& position, std::size_t i) {
    return packed_point(position.moves()[i]) == position.board().geometry().area;
}

// Under simple ko a side that passes twice on the same board ends the game: does a pass by c after the first n
// moves do so?
bool repeats_pass(const Position& position, std::size_t n, Color c) {
    if (position.rules().ko != Ko::kSimple) return false;
    const auto hashes = position.hashes();
    for (std::size_t i = 0; i < n; ++i)
        if (is_pass(position, i) && packed_color(position.moves()[i]) == c && hashes[i] == hashes[n]) return true;
    return false;
}

// What the record says of passes and of the moves that the net may see.
struct History {
    bool pass_ends = false;  // a pass now would end the game
    int visible = 0;         // last moves shown, up to kHistory
};

History read_history(const Position& position) {
    const auto& moves = position.moves();
    const std::size_t count = moves.size();
    const Color me = position.to_move();

    // The game ends by the second pass in a row or by a repeated pass; what came before the last end is hidden,
    // its final pass aside.
    std::size_t turns = count;
    bool over = false;
    for (std::size_t n = 1, passes = 0; n <= count; ++n) {
        passes = is_pass(position, n - 1) ? passes + 1 : 0;
        over = passes >= 2 || (passes > 0 && repeats_pass(position, n - 1, packed_color(moves[n - 1])));
        if (over) turns = count - n + 1;
    }
    const int after_pass = position.passes() + 1;
    const bool repeats = repeats_pass(position, count, me);
    const Rules& rules = position.rules();
    History history{.pass_ends = after_pass >= 2 || repeats};
    int limit = kHistory;
    // With friendly passes the players may still agree on dead stones: the net is not to see an end coming.
    if (after_pass == 2 && !repeats && rules.scoring == Scoring::kArea && rules.friendly_pass) {
        limit = 0;
        history.pass_ends = false;
    } else if (over) {
        limit = 1;
    }
    Color mover = opponent(me);
    while (history.visible < limit && static_cast<std::size_t>(history.visible) < turns &&
           packed_color(moves[count - 1 - static_cast<std::size_t>(history.visible)]) == mover) {
        ++history.visible;
        mover = opponent(mover);
    }
    return history;
}

// White's points beside the board. Under territory scoring every stone played costs its side a point, so that
// the net may count area.
float white_bonus(const Position& position) {
    float bonus = position.rules().komi + handicap_bonus(position);
    if (position.rules().scoring != Scoring::kTerritory) return bonus;
    const Geometry& g = position.board().geometry();
    int stones = 0;  // Black's less White's
    const auto add = [&](Color c) { stones += c == kBlack ? 1 : -1; };
    for (const Point p : g.points())
        if (position.start().stone(p)) add(position.start().color(p));
    for (const Packed m : position.moves())
        if (packed_point(m) != g.area) add(packed_color(m));
    return bonus + static_cast<float>(stones);
}

// How near the komi is to one that makes the result of a board with this many points close: a wave of period two
// through its whole numbers of the right parity.
float komi_wave(float komi, int area) {
    const int odd = area % 2;
    const float floor = std::floor((komi - static_cast<float>(odd)) / 2) * 2 + static_cast<float>(odd);
    const float delta = komi - floor;
    if (delta < 0.5f) return delta;
    return delta < 1.5f ? 1 - delta : delta - 2;
}

enum Global {
    kGlobalPass = 0,
    kGlobalKomi = 5,
    kGlobalSuperko = 6,
    kGlobalSituational = 7,
    kGlobalSuicide = 8,
    kGlobalTerritory = 9,
    kGlobalTax = 10,
    kGlobalTaxAll = 11,
    kGlobalPassEnds = 14,
    kGlobalWave = 18,
};

void write_globals(const Position& position, const History& history, float* globals) {
    const Rules& rules = position.rules();
    const int area = position.board().geometry().area;
    for (int k = 0; k < history.visible; ++k)
        globals[kGlobalPass + k] = is_pass(position, position.moves().size() - 1 - static_cast<std::size_t>(k));
    const float white = white_bonus(position);
    const float limit = static_cast<float>(area + 20);
    const float komi = std::clamp(position.to_move() == kWhite ? white : -white, -limit, limit);
    globals[kGlobalKomi] = komi / 20.0f;
    globals[kGlobalSuperko] = rules.ko != Ko::kSimple;
    globals[kGlobalSituational] = rules.ko == Ko::kSimple ? 0.0f : rules.ko == Ko::kPositional ? 0.5f : -0.5f;
    globals[kGlobalSuicide] = rules.suicide;
    globals[kGlobalTerritory] = rules.scoring == Scoring::kTerritory;
    globals[kGlobalTax] = rules.tax != Tax::kNone;
    globals[kGlobalTaxAll] = rules.tax == Tax::kAll;
    globals[kGlobalPassEnds] = history.pass_ends;
    if (rules.scoring == Scoring::kArea) globals[kGlobalWave] = komi_wave(komi, area);
}

enum Plane {
    kOnBoard = 0,
    kStones = 1,
    kLiberties = 3,
    kKo = 6,
    kLast = 9,
    kLaddered = 14,
    kCatches = 17,
    kArea = 18,
};

template <typename F>
void for_laddered(LadderReader& reader, F f) {
    const ReadingBoard& board = reader.board();
    for (const Point p : board.geometry().points()) {
        if (!board.stone(p) || board.head(p) != p) continue;
        std::array<Point, 2> moves;
        int count;
        if (reader.is_laddered(p, moves.data(), &count) == Answer::kYes) f(p, moves, count);
    }
}

void write_string(const Board& board, Point head, int plane, Canvas& canvas) {
    Point s = head;
    do {
        canvas.set(plane, s);
        s = board.next(s);
    } while (s != head);
}

void write_area(const Position& position, bool suicide, Canvas& canvas) {
    const Board& board = position.board();
    const Rules& rules = position.rules();
    if (rules.scoring != Scoring::kArea) return;
    Owners owners;
    if (rules.tax == Tax::kNone)
        katago_area(board, suicide, owners);
    else
        katago_taxed_area(board, suicide, owners);
    const Geometry& g = board.geometry();
    for (std::size_t i = 0; i < static_cast<std::size_t>(g.area); ++i)
        if (owners[i] != kEmpty) canvas.set(kArea + (owners[i] != position.to_move()), g.framed[i]);
}

void write(const Position& position, Canvas canvas, float* globals, bool pass_alive_suicide) {
    const Board& board = position.board();
    const Color me = position.to_move();
    const History history = read_history(position);
    write_globals(position, history, globals);

    canvas.fill(kOnBoard);
    const Strings strings(board);
    for (int i = 0; i < strings.count(); ++i) {
        const int stones = kStones + (board.color(strings.head(i)) != me);
        const int n = strings.liberties(i);
        strings.for_stones(i, [&](Point s) {
            canvas.set(stones, s);
            if (n <= 3) canvas.set(kLiberties + n - 1, s);
        });
    }

    if (board.ko() != kNoPoint) canvas.set(kKo, board.ko());
    if (position.rules().ko != Ko::kSimple)
        for (int i = 0; i < board.empty_count(); ++i)
            if (position.check(board.empty_at(i), me) == Refusal::kSuperko) canvas.set(kKo, board.empty_at(i));

    for (int k = 0; k < history.visible; ++k)
        if (const Point p = last_move(position, static_cast<std::size_t>(k + 1)); p != kNoPoint)
            canvas.set(kLast + k, p);

    LadderReader reader(board);
    for_laddered(reader, [&](Point head, const std::array<Point, 2>& moves, int count) {
        write_string(board, head, kLaddered, canvas);
        if (board.color(head) == me) return;
        for (int k = 0; k < count; ++k) canvas.set(kCatches, moves[static_cast<std::size_t>(k)]);
    });
    // One and two moves ago, as far as the history shows; without it the board is taken again.
    for (int ago = 1; ago <= 2; ++ago) {
        const Board earlier = position.board_before(static_cast<std::size_t>(std::min(ago, history.visible)));
        reader.read(earlier);
        for_laddered(reader, [&](Point head, const std::array<Point, 2>&, int) {
            write_string(earlier, head, kLaddered + ago, canvas);
        });
    }
    write_area(position, position.rules().suicide || pass_alive_suicide, canvas);
}

std::vector<Channel> planes() {
    return join_channels({
        {{"on board", "everywhere"}, {"friend", "a stone of the side to move"}, {"enemy", "a stone of the other side"}},
        {{"liberties 1", "a stone whose string has one liberty"},
         {"liberties 2", "two liberties"},
         {"liberties 3", "three liberties"}},
        {{"ko", "points barred to the side to move by ko or superko"},
         {"ko block", "zero: clean-up phases only"},
         {"unused", "zero"}},
        {{"last move 1", "the last move"},
         {"last move 2", "the move before it"},
         {"last move 3", "the third last"},
         {"last move 4", "the fourth last"},
         {"last move 5", "the fifth last"}},
        {{"laddered", "stones in atari that cannot get out, or with two liberties that an atari catches"},
         {"laddered before", "the same on the board one move ago"},
         {"laddered before 2", "the same on the board two moves ago"},
         {"catches", "liberties of an enemy string of two whose play catches it"}},
        {{"friend area", "points of the side to move by area; zero under territory scoring"},
         {"enemy area", "points of the other side by area; zero under territory scoring"}},
        {{"friend start", "zero: clean-up phases only"}, {"enemy start", "zero: clean-up phases only"}},
    });
}

std::vector<Channel> globals() {
    return join_channels({
        channel_classes("pass", "the last move (1), or one of the four before it, was a pass", 1, 5),
        {{"komi", "komi in the side to move's favour / 20, with handicap and, under territory scoring, stones played"},
         {"superko", "the ko rule is superko"},
         {"situational", "0.5 positional, -0.5 situational superko"},
         {"suicide", "suicide of several stones is allowed"},
         {"territory", "territory scoring"},
         {"tax", "eyes in seki do not count"},
         {"tax all", "nor do two eyes of every group"},
         {"clean-up", "zero"},
         {"clean-up 2", "zero"},
         {"pass ends", "a pass would end the game"},
         {"favour", "1 if one side is judged as the better player, else zero; the net's reader sets it"},
         {"favour size", "half the playout doublings of the side to move; the net's reader sets it"},
         {"button", "zero"},
         {"komi wave", "the komi within the period of two points that decides games under area scoring"}},
    });
}

}  // namespace

std::vector<Encoding> katago_encodings() {
    return {
        {"katago7", "KataGo, inputs version 7", planes(), globals(),
         [](const Position& p, Canvas c, float* g) { write(p, c, g, false); }},
        {"katago7s", "katago7 for nets whose file asks that pass-alive areas be judged as if suicide were allowed",
         planes(), globals(), [](const Position& p, Canvas c, float* g) { write(p, c, g, true); }},
    };
}

}  // namespace tengen
