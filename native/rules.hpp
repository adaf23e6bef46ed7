// The rules as the core needs them; the presets and their names live in tengen.go.rules.
#pragma once

#include <cstdint>

namespace tengen {

enum class Ko : std::uint8_t { kSimple, kPositional, kSituational };
enum class Scoring : std::uint8_t { kArea, kTerritory };
// Points that do not count: the eyes of strings in seki; two eyes of every living group as well.
enum class Tax : std::uint8_t { kNone, kSeki, kAll };
// Points White gets for Black's handicap stones under area scoring.
enum class HandicapBonus : std::uint8_t { kNone, kStones, kStonesLessOne };

struct Rules {
    Ko ko = Ko::kSimple;
    Scoring scoring = Scoring::kArea;
    Tax tax = Tax::kNone;
    HandicapBonus handicap_bonus = HandicapBonus::kNone;
    bool suicide = false;        // of several stones; a lone stone may never kill itself
    bool friendly_pass = false;  // stones left on the board at the end may still be agreed dead
    float komi = 7.5f;

    // Two passes end the game at once, and every stone on the board counts as alive: there is no agreement on dead ones.
    bool stones_stand() const { return scoring == Scoring::kArea && tax == Tax::kNone && !friendly_pass; }

    friend bool operator==(const Rules&, const Rules&) = default;
};

}  // namespace tengen
