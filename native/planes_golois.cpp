// The planes of Golois (Cazenave, "Improved Architectures for Computer Go", 2017, section 3.2).
#include <algorithm>

#include "features.hpp"
#include "ladder.hpp"
#include "planes.hpp"
#include "playout.hpp"

namespace tengen {
namespace {

constexpr int kPlayouts = 100;

// Where the planes begin; those after the Monte Carlo planes move up where these are left out.
enum Plane {
    kStones = 0,
    kThirdLine = 3,
    kKo = 4,
    kKoPoint = 5,
    kOwnership = 6,
    kCriticality = 7,
    kAmaf = 8,
    kLiberties = 9,
    kLibertiesAfter = 19,
    kLost = 31,
    kCaught = 33,
    kEscapes = 34,
    kThreatens = 35,
    kLast = 37,
};
constexpr int kMonteCarlo = 3;  // planes

void third_line(const Geometry& g, Canvas& canvas) {
    for (int i = 2; i <= g.size - 3; ++i)
        for (const int line : {2, g.size - 3}) {
            canvas.set(kThirdLine, g.at(i, line));
            canvas.set(kThirdLine, g.at(line, i));
        }
}

void monte_carlo(const Position& position, Canvas& canvas) {
    const Board& board = position.board();
    const Color me = position.to_move();
    // The same position gives the same planes, wherever and however often it is asked for.
    const auto statistics = playout_statistics(board, me, kPlayouts, board.hash() ^ side_key(me), Policy::kUniform,
                                               position.rules().komi);
    const Geometry& g = board.geometry();
    for (std::size_t i = 0; i < static_cast<std::size_t>(g.area); ++i) {
        const float ownership = me == kBlack ? statistics.ownership[i] : -statistics.ownership[i];
        canvas.set(kOwnership, g.framed[i], (1 + ownership) / 2);
        canvas.set(kCriticality, g.framed[i], statistics.criticality[i]);
        canvas.set(kAmaf, g.framed[i], statistics.amaf[me][i]);
    }
}

class Writer {
public:
    Writer(const Position& position, Canvas canvas, bool with_monte_carlo)
        : position_(position), board_(position.board()), canvas_(canvas), strings_(board_), reader_(board_),
          shift_(with_monte_carlo ? 0 : -kMonteCarlo) {}

    void write() {
        const Color me = position_.to_move();
        third_line(board_.geometry(), canvas_);
        if (board_.ko() != kNoPoint) {
            canvas_.fill(kKo);
            canvas_.set(kKoPoint, board_.ko());
        }
        if (shift_ == 0) monte_carlo(position_, canvas_);
        for (int i = 0; i < board_.empty_count(); ++i) canvas_.set(kStones + 2, board_.empty_at(i));
        write_moves(me, false);
        write_strings(opponent(me), true);
        // What the enemy may do is asked as if the side to move had passed: ko does not bind him.
        reader_.lift_ko();
        write_moves(opponent(me), true);
        write_strings(me, false);
        for (int i = 0; i < 5; ++i)
            if (const Point p = last_move(position_, static_cast<std::size_t>(i + 1)); p != kNoPoint)
                canvas_.set(kLast + shift_ + i, p);
    }

private:
    // Stones, liberties, ladders, and the moves of the other side that threaten ladders.
    void write_strings(Color c, bool enemy) {
        const int threatens = kThreatens + shift_ + !enemy;
        for (int i = 0; i < strings_.count(); ++i) {
            const Point head = strings_.head(i);
            if (board_.color(head) != c) continue;
            const int n = strings_.liberties(i);
            bool caught = false, escapes = false;
            if (n == 1) {
                const Answer laddered = reader_.is_laddered(head);
                caught = laddered == Answer::kYes;
                escapes = laddered == Answer::kNo;
            } else if (n == 2) {
                const auto liberties = strings_.liberty_points<2>(i);
                const std::array<Answer, 2> by = reader_.is_caught_by_each(head, liberties);
                for (std::size_t k = 0; k < 2; ++k) {
                    if (by[k] != Answer::kYes) continue;
                    caught = true;
                    canvas_.set(threatens, liberties[k]);
                }
            } else if (n == 3) {
                const auto liberties = strings_.liberty_points<3>(i);
                const std::array<Answer, 3> after = reader_.is_caught_after_each(head, liberties);
                for (std::size_t k = 0; k < 3; ++k)
                    if (after[k] == Answer::kYes && is_legal(liberties[k], opponent(c)))
                        canvas_.set(threatens, liberties[k]);
            }
            const int liberties = kLiberties + shift_ + 5 * enemy + std::min(n, 5) - 1;
            strings_.for_stones(i, [&](Point s) {
                canvas_.set(kStones + enemy, s);
                canvas_.set(liberties, s);
                if (caught) canvas_.set(kCaught + shift_, s);
                if (escapes) canvas_.set(kEscapes + shift_, s);
            });
        }
    }

    // Liberties after each legal move of c, and whether it is caught in a ladder.
    void write_moves(Color c, bool enemy) {
        for (int i = 0; i < board_.empty_count(); ++i) {
            const Point p = board_.empty_at(i);
            if (!is_legal(p, c)) continue;
            const MoveEffect effect = strings_.effect(p, c);
            if (effect.liberties == 0) continue;  // suicide, where the rules allow it
            canvas_.set(kLibertiesAfter + shift_ + 6 * enemy + std::min(effect.liberties, 6) - 1, p);
            if (is_lost(p, c, effect)) canvas_.set(kLost + shift_ + enemy, p);
        }
    }

    bool is_lost(Point p, Color c, const MoveEffect& effect) {
        // In atari it is taken at once, unless it has just taken a ko.
        if (effect.liberties == 1) return effect.captured != 1 || effect.stones != 1;
        // A ladder begins in contact: the corner point with nothing beside it is not read.
        const bool contact = board_.side_colors(p) & (1U << kBlack | 1U << kWhite);
        return effect.liberties == 2 && contact && reader_.is_lost(p, c) == Answer::kYes;
    }

    // The enemy's moves are those he would have after a pass.
    bool is_legal(Point p, Color c) const {
        const Rules& rules = position_.rules();
        if (c != position_.to_move()) return !(rules.suicide ? board_.is_single_suicide(p, c) : board_.is_suicide(p, c));
        return rules.ko == Ko::kSimple ? board_.is_legal(p, c, rules.suicide) : position_.is_legal(p, c);
    }

    const Position& position_;
    const Board& board_;
    Canvas canvas_;
    Strings strings_;
    LadderReader reader_;
    int shift_;
};

std::vector<Channel> channels(bool with_monte_carlo) {
    std::vector<Channel> monte_carlo;
    if (with_monte_carlo)
        monte_carlo = {
            {"ownership", "share of 100 uniform playouts that end with the point the side to move's, 0 to 1"},
            {"criticality", "covariance of owning the point and winning in them (Coulom 2009), -0.5 to 0.5"},
            {"amaf", "share of wins of the side to move in those where it first played the point, 0 to 1"},
        };
    return join_channels({
        {{"friend", "a stone of the side to move"},
         {"enemy", "a stone of the other side"},
         {"empty", "no stone"},
         {"third line", "on the third line from the nearest edge"},
         {"ko", "everywhere, if a ko may not be retaken now"},
         {"ko point", "where that ko is"}},
        monte_carlo,
        channel_classes("friend liberties", "a friendly stone, by the liberties of its string", 1, 5),
        channel_classes("enemy liberties", "an enemy stone, by the liberties of its string", 1, 5),
        channel_classes("friend liberties after", "a legal move, by the liberties of its string after it", 1, 6),
        channel_classes("enemy liberties after", "a move that the enemy might make if the side to move passed, by "
                        "the liberties of its string after it", 1, 6),
        {{"friend move lost", "a legal move beside a stone whose string is then caught in a ladder, the enemy to play"},
         {"enemy move lost", "an enemy move whose string is then caught in a ladder, the side to move to play"},
         {"caught", "a stone in atari that cannot get out, or with two liberties that an atari catches"},
         {"escapes", "a stone in atari that can get out"},
         {"friend threatens", "a legal move that catches an enemy string of two liberties, or brings one of three "
                              "to two so that a second move would catch it"},
         {"enemy threatens", "the same for an enemy move"}},
        channel_classes("last move", "the point of the last move (1) or one of the four before it, if no pass", 1, 5),
    });
}

}  // namespace

std::vector<Encoding> golois_encodings() {
    const std::string source = "Cazenave 2017, Improved Architectures for Computer Go, section 3.2";
    return {
        {"golois42", source, channels(true), {},
         [](const Position& p, Canvas c, float*) { Writer(p, c, true).write(); }},
        {"golois39", "golois42 without its three Monte Carlo planes", channels(false), {},
         [](const Position& p, Canvas c, float*) { Writer(p, c, false).write(); }},
    };
}

}  // namespace tengen
