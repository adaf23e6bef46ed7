// The main line of SGF files, for reading games by the million: size, setup, moves, root properties,
// and whether the moves keep the rules.
//
// The reader works on bytes in an encoding where brackets and backslash are never part of another
// character (UTF-8, Latin-1; others are turned into UTF-8 first). It follows the first variation at each
// branch, keeps one counter in place of a stack, and so reads files of any depth.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "position.hpp"

namespace tengen {

// Why a game is not usable; the first thing that went wrong.
enum class SgfFault : std::uint8_t {
    kNone,
    kNoGame,        // no "(;" in the data
    kCutShort,      // the data ends inside the game
    kSyntax,        // not SGF at that place
    kNotGo,         // GM names another game
    kBadSize,       // not a square board of 2 to 19
    kBadSetup,      // a setup value is not a point of the board
    kDeadSetup,     // setup leaves a string without liberties
    kLateSetup,     // stones are put or removed after the first move
    kSeveralMoves,  // more than one move in a node
    kManyValues,    // more values in the root than kMostRootValues
    kOffBoard,      // from here on: a move, as Refusal has them
    kOccupied,
    kSuicide,
    kKo,
};
const char* describe(SgfFault f);

// A root with setup, labels and marks on every point has about two thousand.
inline constexpr std::size_t kMostRootValues = 100'000;

// One value of a property of the root. Names may hold lower-case letters (FF[3]), which do not count.
struct SgfValue {
    std::string_view name;
    std::string_view value;  // between the brackets, escapes as written
};

// Whether a written property name is `name`, lower-case letters aside: "AddBlack" is "AB".
bool is_property(std::string_view written, std::string_view name);

// The text a raw value stands for: escapes resolved, white space made spaces; `lines` keeps line breaks
// (SGF's Text, as in C and GC) instead of turning them into spaces (SimpleText).
void unescape(std::string_view raw, bool lines, std::string& out);

struct SgfGame {
    std::size_t begin = 0, end = 0;  // where it stands in the data
    int size = kMaxSize;
    Color first_to_move = kBlack;    // PL, or the first move's, or White after Black stones only
    bool has_first_to_move = false;  // PL is written
    std::vector<Packed> setup;       // stones before the first move, in order of points
    std::vector<Packed> moves;
    std::vector<SgfValue> root;
    SgfFault fault = SgfFault::kNone;
    std::size_t fault_at = 0;  // offset in the data
    int fault_move = 0;        // its number, from 1; 0 before the first
    // The first move, from 1, by which several stones took their own life; 0 if none. Rules differ on it,
    // so it is the caller's to refuse.
    int suicide = 0;
    // The first move, from 1, by the side that made the move before it too, Black's moves before White's
    // first aside (they may be handicap stones); 0 if none. Usually a sign that a move was lost.
    int out_of_turn = 0;

    // The first value of that property in the root, as written.
    std::string_view find(std::string_view name) const;
};

// Plays the moves under simple ko, suicide of several stones allowed; sets fault, fault_move, suicide and
// out_of_turn.
void check_moves(SgfGame& game);

// Reads the games of one file (or line) one after another.
class SgfReader {
public:
    explicit SgfReader(std::string_view data) : data_(data), patience_(8 * data.size()) {}
    // The next game, into `game`, whose memory is reused; false when there is none. A fault inside a game
    // is told in game.fault; reading goes on after its end, or, if that cannot be known, at the next line
    // that clearly starts a game.
    bool next(SgfGame& game);

private:
    std::string_view data_;
    std::size_t at_ = 0;
    std::size_t patience_;  // bytes that may be looked at again after faults
};

// All nodes of the first game's main line, every property with its raw values: for tools and tests.
struct SgfNode {
    std::vector<SgfValue> values;
};
SgfFault read_main_line(std::string_view data, std::vector<SgfNode>& nodes);

// A 128-bit name of a game that depends only on what was played and by whom: board, setup, moves, players;
// for games shorter than kShortGame moves, which may well be alike, on date and result as well.
inline constexpr std::size_t kShortGame = 40;
struct GameId {
    std::uint64_t high, low;
};
GameId game_id(const SgfGame& game);

// Text properties that pools keep, in the order of SgfBatch::texts.
inline constexpr std::array<const char*, 18> kTextProperties{"PB", "PW", "BR", "WR", "DT", "KM",
                                                             "HA", "RU", "RE", "TM", "OT", "TC",
                                                             "TT", "AP", "EV", "PC", "GN", "GC"};

// A column of texts of which many are alike.
struct TextColumn {
    std::vector<std::int32_t> codes;  // one a game, an index into `texts`
    std::vector<std::string> texts;   // trimmed, repeated values joined by "; "; "" for none
};

struct SgfBatch {
    std::vector<std::int32_t> entry, line;  // line: from 1, within the entry
    std::vector<std::int32_t> fault_move, suicide, out_of_turn;
    std::vector<std::uint8_t> size, first_to_move, fault;
    std::vector<Packed> moves, setup;
    std::vector<std::int64_t> move_offsets{0}, setup_offsets{0};
    std::vector<GameId> ids;
    std::array<TextColumn, kTextProperties.size()> texts;

    std::size_t count() const { return entry.size(); }
};

// Reads every game of the entries data[bounds[i] .. bounds[i+1]) and checks its moves. An entry with no
// game in it, unless blank, counts as one game with the fault kNoGame. The result does not depend on
// `threads`. A game with a fault has no moves and no setup in the batch.
SgfBatch read_sgf(std::string_view data, std::span<const std::int64_t> bounds, int threads);

// Bounds of the lines of `data`, for files with one game a line.
std::vector<std::int64_t> line_bounds(std::string_view data);

}  // namespace tengen
