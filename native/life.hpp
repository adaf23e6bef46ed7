// Which stones and points live whatever the enemy does (Benson, 1976), and who owns what on KataGo's maps.
#pragma once

#include <array>
#include <cstdint>

#include "board.hpp"

namespace tengen {

// Owner of every point, row-major; kEmpty where nobody is.
using Owners = std::array<Color, kMaxArea>;

// The pass-alive strings of one colour: those that no sequence of enemy moves can take while the colour
// always passes. A region is a 4-connected component of points without the colour's stones; it is vital to a
// string if each of its empty points is a liberty of that string. A set of strings is pass-alive if each has
// two vital regions that touch no string outside the set. Where suicide is allowed the enemy may empty a
// point by dying on it, so there every point of a vital region must touch the string, stones or not.
class PassAlive {
public:
    PassAlive(const Board& board, Color c, bool suicide);

    bool alive(Point stone) const { return alive_[stone]; }
    // A point of a region with only pass-alive strings around it in which the enemy can never live: it is
    // vital to one of them, or it has at most one point that touches none of the colour's stones.
    bool territory(Point p) const {
        const Region& r = regions_[region_[p]];
        return region_[p] != 0 && r.safe && (r.vital_count > 0 || r.interior < 2);
    }

private:
    friend void katago_area(const Board& board, bool suicide, Owners& owner);

    struct Region {
        bool safe = true;   // every string that touches it is pass-alive
        bool enemy = false;  // holds an enemy stone
        std::uint16_t interior = 0;  // points that touch no stone of the colour
        std::uint8_t vital_count = 0;
        std::array<Point, 4> vital;  // heads of the strings it is vital to; none once it is not safe
    };

    void find_region(const Board& board, Point from, Color c, bool suicide);
    void kill_strings(const Board& board, Color c);

    bool any_stone_ = false;
    int region_count_ = 0;  // regions are numbered from 1; 0 is the frame and the colour's own stones
    std::array<std::uint16_t, kMaxCells> region_{};
    std::array<bool, kMaxCells> alive_{};
    std::array<Region, kMaxArea + 1> regions_;
};

// KataGo's area map, the owners behind its input planes 18 and 19 under area scoring without tax: pass-alive
// stones and regions, then empty regions that touch one colour only, then stones where they stand.
void katago_area(const Board& board, bool suicide, Owners& owner);

// The map under area scoring with a tax on eyes in seki or on all eyes: parts of the area map that hold an
// owner's stone in atari or touch a neutral point (seki) count for their standing stones only.
void katago_taxed_area(const Board& board, bool suicide, Owners& owner);

// The map under territory scoring in KataGo's second clean-up phase, which began with the stones of `start`:
// with `tax`, parts in seki count for nothing but the stones that stood there already; without, also for the
// points in them that the owner has surrounded.
void katago_territory(const Board& board, bool suicide, bool tax, const Board& start, Owners& owner);

}  // namespace tengen
