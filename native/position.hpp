// A board with history: rules, setup stones, moves, whose turn it is, superko.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "board.hpp"
#include "rules.hpp"

namespace tengen {

// A move or setup stone as pools store it: row-major point (pass is size*size) and colour in one word.
// Bit 15 is set for White; bit 14, in setups only, for "make empty".
using Packed = std::uint16_t;
constexpr Packed pack(int flat, Color c) {
    return static_cast<Packed>(flat | (c == kWhite ? 0x8000 : 0) | (c == kEmpty ? 0x4000 : 0));
}
constexpr int packed_point(Packed m) { return m & 0x3FFF; }
constexpr Color packed_color(Packed m) { return m & 0x8000 ? kWhite : m & 0x4000 ? kEmpty : kBlack; }

// Why a move was refused.
enum class Refusal : std::uint8_t { kNone, kOffBoard, kOccupied, kSuicide, kKo, kSuperko };
const char* describe(Refusal r);

class Position {
public:
    Position(int size, Rules rules) : rules_(rules), start_(size), board_(size) { restart(); }

    const Board& board() const { return board_; }
    const Rules& rules() const { return rules_; }
    void set_rules(Rules rules) { rules_ = rules; }
    int size() const { return board_.size(); }
    Color to_move() const { return to_move_; }
    void set_to_move(Color c) {
        to_move_ = c;
        if (moves_.empty()) first_ = c;
    }
    const std::vector<Packed>& moves() const { return moves_; }
    const Board& start() const { return start_; }  // the setup position
    Color first_to_move() const { return first_; }
    int passes() const { return passes_; }         // in a row, at the end of the record
    std::span<const std::uint64_t> hashes() const { return hashes_; }

    // Of the setup, who began, and every move.
    std::uint64_t record_hash() const;

    // Starts a new record from the present stones with these changes: history and ko are gone. Returns
    // false, and changes nothing, if a string would stand without liberties.
    bool setup(std::span<const Packed> stones, Color to_move);

    // Whether c may play p (kPass always): the board's rules, then superko if the rules have it.
    Refusal check(Point p, Color c) const;
    bool is_legal(Point p, Color c) const { return check(p, c) == Refusal::kNone; }
    // Plays if allowed; the turn goes to the other side.
    Refusal play(Point p, Color c);
    // Plays without asking: for records that were checked when they were stored.
    void play_unchecked(Point p, Color c);
    // Takes back the last move; false if there is none.
    bool undo();
    // The board as it was n moves ago (of the moves there are).
    Board board_before(std::size_t n) const;
    // The position after the first n moves of the record.
    Position after(std::size_t n) const;

private:
    bool repeats(Point p, Color c) const;
    std::uint64_t situation(std::uint64_t stones, Color next) const;
    void remember(std::uint64_t hash);
    void restart();

    Rules rules_;
    Board start_;
    Board board_;
    Color first_ = kBlack;
    Color to_move_ = kBlack;
    int passes_ = 0;
    std::vector<Packed> moves_;
    // Stones after setup and after each move; `seen_` is a Bloom filter over them that spares the scan.
    std::vector<std::uint64_t> hashes_;
    std::array<std::uint64_t, 64> seen_{};
    // How to take back the last moves, `undoable_` of them, move i at i % kRecent; further back the record is
    // replayed.
    static constexpr std::size_t kRecent = 8;
    std::array<Board::Undo, kRecent> recent_;
    std::size_t undoable_ = 0;
};

// Black's handicap as KataGo counts it: his setup stones and his moves before White's first. A lone White pass
// between them is skipped, as servers that "play" handicap send it; two White moves in a row, then or after,
// mean that a problem is being set up: Black's moves do not count. Fewer than two stones, or White setup
// stones, are no handicap.
int handicap_stones(const Position& position);
// White's points for handicap under these rules.
float handicap_bonus(const Position& position);

}  // namespace tengen
