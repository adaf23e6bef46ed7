// Ladder reading: can a string be kept in atari until it is taken?
//
// The attacker may only give atari; the defender may only extend at the last liberty or take an attacking
// string in atari next to his own. Three liberties are freedom. The rules of the search are KataGo's, whose
// input planes need the same answers:
//   - suicide is never played;
//   - kos are the defender's: the ko point does not bind him at the root, and an attacker who takes a ko in
//     the middle of a ladder has failed. But if both liberties are kos for the attacker, the defender gains
//     nothing by filling either and has nothing to take, the string is caught (double ko);
//   - a search 3/2 of the board's area deep ends in capture;
//   - a search of more nodes (moves played) than the limit has no answer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "board.hpp"

namespace tengen {

inline constexpr int kLadderNodes = 25000;

enum class Answer : std::uint8_t { kNo, kYes, kLimit };

constexpr Answer answer(bool yes) { return yes ? Answer::kYes : Answer::kNo; }
constexpr Answer negate(Answer a) { return a == Answer::kLimit ? a : answer(a == Answer::kNo); }

// Reads on its own copy of a board, whose ko point counts for the first move. Between questions the copy is
// as it was, so one reader serves all the questions about a position.
class LadderReader {
public:
    explicit LadderReader(const Board& board, int node_limit = kLadderNodes);

    const ReadingBoard& board() const { return board_; }
    // Starts anew from another board of the same size.
    void read(const Board& board) { board_ = ReadingBoard(board); }
    // From here on the ko point does not count: what could be played if the side to move passed?
    void lift_ko() { board_.clear_ko(); }

    // The string of `stone`, `to_move` playing first. The owner first: it is in atari and nothing helps. The
    // enemy first: it is in atari, or he can give an atari from which it is caught.
    Answer is_caught(Point stone, Color to_move);
    // The owner plays first and his string is not caught.
    Answer may_escape(Point stone) { return negate(is_caught(stone, board_.color(stone))); }
    // KataGo's "laddered": in atari and caught with its owner to play, or two liberties and caught with the
    // enemy to play. In the second case the liberties whose play catches are written to `moves`, if given,
    // which holds two, and their number to `count`.
    Answer is_laddered(Point stone, Point* moves = nullptr, int* count = nullptr);

    // The enemy plays one of the two liberties of a string: is it caught? An answer for each of `liberties`.
    std::array<Answer, 2> is_caught_by_each(Point stone, const std::array<Point, 2>& liberties);

    // The legal moves by which the owner saves a string in atari, as far as the limit lets us see.
    std::vector<Point> escaping_moves(Point stone);
    // The enemy plays one of the three liberties of a string, and then again: is it caught? An answer for each of
    // `liberties`; no, where his first play is illegal.
    std::array<Answer, 3> is_caught_after_each(Point stone, const std::array<Point, 3>& liberties);

    // A play by c at `move`, which must be a point of the board; the answer is no if the play is illegal.
    // It gives atari to an enemy string of two liberties, and that string is caught.
    Answer catches(Point move, Color c);
    // A string of c was in atari before it (next to the move, or next to enemy stones it takes) and is not
    // caught after it, the enemy to play.
    Answer escapes(Point move, Color c);
    // The string it becomes part of is caught, the enemy to play.
    Answer is_lost(Point move, Color c);
    // An enemy string next to it is caught after it: left in atari, even if its owner plays next; left with
    // two liberties, if c plays again.
    Answer threatens(Point move, Color c);

private:
    // Calls f for one stone of each string of c next to p.
    template <typename F>
    void for_neighbours(Point p, Color c, F f) const {
        std::array<Point, 4> heads;
        int n = 0;
        for (int d : board_.geometry().sides) {
            const Point q = static_cast<Point>(p + d);
            if (board_.color(q) != c) continue;
            const Point head = board_.head(q);
            if (std::find(heads.begin(), heads.begin() + n, head) != heads.begin() + n) continue;
            heads[static_cast<std::size_t>(n++)] = head;
            f(head);
        }
    }
    // A string's last liberty, and the liberties it would have after extending there (three stand for more).
    struct Extension {
        Point to;
        int count;
        bool joins = false;  // other strings of its owner
        std::array<Point, 6> liberties;  // more than `count` may be found at the last stone looked at
    };
    Answer defend_from_here(Point stone);
    Answer attack_from_here(Point stone);
    Answer catches_string(Point stone, const Point* liberties, int i);
    Answer saves(Point stone, Point move);
    bool defend(Point stone, int depth, const Extension& extension, Point grown, Point atari);
    bool attack(Point stone, int depth, int n, const Point* liberties, Point grown);
    bool try_atari(Point stone, Point move, Point other, int depth, Point grown);
    // Liberties that will be gone by then.
    struct Gone {
        Point a = kNoPoint, b = kNoPoint;
        bool has(Point q) const { return (q == a) | (q == b); }
    };
    Extension extend(Point stone, Point p, Gone gone) const {
        return extend(board_.color(stone), board_.head(stone), p, gone);
    }
    Extension extend(Color c, Point own, Point p, Gone gone) const;
    void find_captures(Point stone);
    void find_captures_beside(Point s, Color c, std::size_t begin);
    void add_move(Point p, std::size_t begin);
    bool captures(Point p, Color c) const;
    // q holds a stone of c in atari; no branch, since empty points and the frame have a string to ask as well.
    bool is_in_atari(Point q, Color c) const { return (board_.color(q) == c) & board_.in_atari(q); }
    bool is_double_ko(Point stone, const Point* liberties);
    bool is_ko_capture(Point p, Color c) const;
    void begin();
    bool spend_node();

    ReadingBoard board_;
    int node_limit_;
    int depth_limit_;
    int nodes_ = 0;
    bool stopped_ = false;
    std::vector<Point> moves_;  // the defender's captures at every depth, one list after another
};

}  // namespace tengen
