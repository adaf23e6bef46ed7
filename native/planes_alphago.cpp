// AlphaGo's planes (Silver et al. 2016, Extended Data Table 2), and those of CGI and DANN, which are made of the
// same features.
#include <algorithm>

#include "features.hpp"
#include "ladder.hpp"
#include "planes.hpp"

namespace tengen {
namespace {

constexpr int kNone = -1;

// Where each feature begins in an encoding, or kNone, and how many planes it has where that differs.
struct Layout {
    int stones = kNone;
    int ones = kNone;
    int turns = kNone, turn_planes = 8;
    int liberties = kNone, liberty_planes = 8;
    int capture = kNone;
    int self_atari = kNone;
    int after = kNone, after_planes = 8;
    int ladder_capture = kNone;
    int ladder_escape = kNone;
    int sensible = kNone;
    int legal = kNone;
    int ko = kNone;
    int color = kNone;
};

void write(const Position& position, Canvas& canvas, const Layout& at) {
    const Board& board = position.board();
    const Color me = position.to_move();
    const Strings strings(board);
    LadderReader reader(board);

    if (at.ones != kNone) canvas.fill(at.ones);
    if (at.color != kNone && me == kBlack) canvas.fill(at.color);
    if (at.ko != kNone && board.ko() != kNoPoint) canvas.set(at.ko, board.ko());

    // Stones of the last moves that still stand; all others are as old as the last plane says.
    std::array<std::uint8_t, kMaxCells> age;
    age.fill(static_cast<std::uint8_t>(at.turn_planes - 1));
    for (int n = at.turn_planes - 1; n >= 1; --n)
        if (const Point p = last_move(position, static_cast<std::size_t>(n)); p != kNoPoint)
            age[p] = static_cast<std::uint8_t>(n - 1);

    for (int i = 0; i < strings.count(); ++i) {
        const Point head = strings.head(i);
        const int stones = at.stones + (board.color(head) != me);
        const int n = strings.liberties(i);
        const int liberties = at.liberties + std::min(n, at.liberty_planes) - 1;
        strings.for_stones(i, [&](Point s) {
            canvas.set(stones, s);
            canvas.set(liberties, s);
            canvas.set(at.turns + age[s], s);
        });
        if (board.color(head) != me && n == 2) {
            const auto moves = strings.liberty_points<2>(i);
            const std::array<Answer, 2> caught = reader.is_caught_by_each(head, moves);
            for (std::size_t k = 0; k < 2; ++k)
                if (caught[k] == Answer::kYes && position.is_legal(moves[k], me)) canvas.set(at.ladder_capture, moves[k]);
        }
        if (board.color(head) == me && n == 1)
            for (const Point p : reader.escaping_moves(head))
                if (position.is_legal(p, me)) canvas.set(at.ladder_escape, p);
    }

    for (int i = 0; i < board.empty_count(); ++i) {
        const Point p = board.empty_at(i);
        canvas.set(at.stones + 2, p);
        if (!position.is_legal(p, me)) continue;
        if (at.legal != kNone) canvas.set(at.legal, p);
        if (!board.is_eye(p, me)) canvas.set(at.sensible, p);
        const MoveEffect effect = strings.effect(p, me);
        canvas.set(at.capture + std::min(effect.captured, 7), p);
        if (effect.liberties == 1) canvas.set(at.self_atari + std::min(effect.stones, 8) - 1, p);
        if (effect.liberties > 0) canvas.set(at.after + std::min(effect.liberties, at.after_planes) - 1, p);
    }
}

constexpr Layout kAlphaGo{.stones = 0,
                          .ones = 3,
                          .turns = 4,
                          .liberties = 12,
                          .capture = 20,
                          .self_atari = 28,
                          .after = 36,
                          .ladder_capture = 44,
                          .ladder_escape = 45,
                          .sensible = 46};  // plane 47 stays zero
constexpr Layout kCgiPolicy = [] {
    Layout at = kAlphaGo;
    at.ko = 48;
    return at;
}();
constexpr Layout kCgiValue = [] {
    Layout at = kCgiPolicy;
    at.color = 49;
    return at;
}();
constexpr Layout kDann{.stones = 6,
                       .turns = 19,
                       .turn_planes = 6,
                       .liberties = 9,
                       .liberty_planes = 4,
                       .capture = 25,
                       .self_atari = 33,
                       .after = 13,
                       .after_planes = 6,
                       .ladder_capture = 0,
                       .ladder_escape = 1,
                       .sensible = 2,
                       .legal = 3,
                       .color = 4};  // plane 5 stays zero

using Channels = std::vector<Channel>;

const Channel kLadderCapture{"ladder capture", "a legal move that catches an enemy string of two liberties in a ladder"};
const Channel kLadderEscape{"ladder escape", "a legal move that saves a friendly string in atari from a ladder"};
const Channel kSensible{"sensible", "a legal move that does not fill an own eye"};
const Channel kBlackToMove{"black", "everywhere, if Black is to move"};
const Channel kZeros{"zeros", "nowhere"};
const Channels kStoneColors{{"friend", "a stone of the side to move"},
                            {"enemy", "a stone of the other side"},
                            {"empty", "no stone"}};

Channels turns(int planes) {
    return channel_classes("turns since", "a stone, by the turns since it was played: 1 is the last move", 1, planes);
}
Channels liberties(int planes) { return channel_classes("liberties", "a stone, by the liberties of its string", 1, planes); }
Channels after(int planes) {
    return channel_classes("liberties after", "a legal move, by the liberties of its string after it", 1, planes);
}
Channels capture() {
    return channel_classes("capture size", "a legal move, by the number of enemy stones it takes", 0, 7);
}
Channels self_atari() {
    return channel_classes("self-atari size", "a legal move that leaves its string in atari, by that string's stones", 1, 8);
}

Channels alphago_channels() {
    return join_channels({kStoneColors,
                          {{"ones", "everywhere"}},
                          turns(8),
                          liberties(8),
                          capture(),
                          self_atari(),
                          after(8),
                          {kLadderCapture, kLadderEscape, kSensible, kZeros}});
}

Channels dann_channels() {
    return join_channels({{kLadderCapture, kLadderEscape, kSensible, {"legal", "a legal move"}, kBlackToMove, kZeros},
                          kStoneColors,
                          liberties(4),
                          after(6),
                          turns(6),
                          capture(),
                          self_atari()});
}

template <const Layout& layout>
void write_layout(const Position& position, Canvas canvas, float*) {
    write(position, canvas, layout);
}

}  // namespace

std::vector<Encoding> alphago_encodings() {
    const Channels alphago = alphago_channels();
    const Channels cgi_policy = join_channels({alphago, {{"ko", "the point barred by ko"}}});
    const Channels cgi_value = join_channels({cgi_policy, {kBlackToMove}});
    return {
        {"alphago48", "Silver et al. 2016, Extended Data Table 2", alphago, {}, write_layout<kAlphaGo>},
        {"cgi49", "Wu et al. 2017, Multi-Labelled Value Networks for Computer Go, section III.A", cgi_policy, {},
         write_layout<kCgiPolicy>},
        {"cgi50", "the same section: cgi49 with the player's colour, for value nets", cgi_value, {}, write_layout<kCgiValue>},
        {"dann41", "Wang et al. 2017, Deep Alternative Neural Network and Long-Term Evaluation, Table 1", dann_channels(), {}, write_layout<kDann>},
    };
}

}  // namespace tengen
