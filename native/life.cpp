#include "life.hpp"

#include <algorithm>

namespace tengen {
namespace {

// Up to four strings of c beside p.
int strings_beside(const Board& board, Point p, Color c, std::array<Point, 4>& heads) {
    int n = 0;
    for (int d : board.geometry().sides) {
        const Point q = static_cast<Point>(p + d);
        if (board.color(q) != c) continue;
        const Point head = board.head(q);
        if (std::find(heads.begin(), heads.begin() + n, head) == heads.begin() + n)
            heads[static_cast<std::size_t>(n++)] = head;
    }
    return n;
}

}  // namespace

PassAlive::PassAlive(const Board& board, Color c, bool suicide) {
    const Geometry& g = board.geometry();
    for (int i = 0; i < g.area; ++i) {
        const Point p = g.framed[static_cast<std::size_t>(i)];
        if (board.color(p) == c)
            alive_[p] = any_stone_ = true;
        else if (region_[p] == 0)
            find_region(board, p, c, suicide);
    }
    if (any_stone_) kill_strings(board, c);
}

void PassAlive::find_region(const Board& board, Point from, Color c, bool suicide) {
    const auto id = static_cast<std::uint16_t>(++region_count_);
    Region& region = regions_[id];
    region = Region{};
    std::array<Point, kMaxArea> stack;
    int top = 0;
    bool first = true;
    stack[static_cast<std::size_t>(top++)] = from;
    region_[from] = id;
    while (top > 0) {
        const Point p = stack[static_cast<std::size_t>(--top)];
        std::array<Point, 4> heads;
        const int n = strings_beside(board, p, c, heads);
        const auto end = heads.begin() + n;
        region.interior += n == 0;
        region.enemy |= board.stone(p);
        if (suicide || board.empty(p)) {
            if (first) {
                region.vital = heads;
                region.vital_count = static_cast<std::uint8_t>(n);
                first = false;
            } else {
                const auto vital_end = region.vital.begin() + region.vital_count;
                const auto kept = std::remove_if(region.vital.begin(), vital_end, [&](Point head) {
                    return std::find(heads.begin(), end, head) == end;
                });
                region.vital_count = static_cast<std::uint8_t>(kept - region.vital.begin());
            }
        }
        for (int d : board.geometry().sides) {
            const Point q = static_cast<Point>(p + d);
            if (board.color(q) == c || board.color(q) == kFrame || region_[q] != 0) continue;
            region_[q] = id;
            stack[static_cast<std::size_t>(top++)] = q;
        }
    }
}

// Takes away strings with fewer than two vital regions, and the regions they touch, until none is left to take.
void PassAlive::kill_strings(const Board& board, Color c) {
    const Geometry& g = board.geometry();
    std::array<std::uint16_t, kMaxCells> vital_regions{};  // by head
    for (int r = 1; r <= region_count_; ++r) {
        const Region& region = regions_[static_cast<std::size_t>(r)];
        for (int i = 0; i < region.vital_count; ++i) ++vital_regions[region.vital[static_cast<std::size_t>(i)]];
    }
    std::array<Point, kMaxArea> doomed;
    int top = 0;
    for (int i = 0; i < g.area; ++i) {
        const Point p = g.framed[static_cast<std::size_t>(i)];
        if (board.color(p) == c && board.head(p) == p && vital_regions[p] < 2)
            doomed[static_cast<std::size_t>(top++)] = p;
    }
    while (top > 0) {
        const Point head = doomed[static_cast<std::size_t>(--top)];
        Point s = head;
        do {
            alive_[s] = false;
            for (int d : g.sides) {
                const std::uint16_t id = region_[static_cast<Point>(s + d)];
                Region& region = regions_[id];
                if (id == 0 || !region.safe) continue;
                region.safe = false;
                for (int i = 0; i < region.vital_count; ++i) {
                    const Point other = region.vital[static_cast<std::size_t>(i)];
                    if (vital_regions[other]-- == 2) doomed[static_cast<std::size_t>(top++)] = other;
                }
                region.vital_count = 0;
            }
            s = board.next(s);
        } while (s != head);
    }
}

void katago_area(const Board& board, bool suicide, Owners& owner) {
    const Geometry& g = board.geometry();
    std::fill_n(owner.begin(), g.area, kEmpty);
    for (Color c : {kBlack, kWhite}) {
        const PassAlive life(board, c, suicide);
        if (!life.any_stone_) continue;
        for (int i = 0; i < g.area; ++i) {
            const Point p = g.framed[static_cast<std::size_t>(i)];
            Color& here = owner[static_cast<std::size_t>(i)];
            if (life.region_[p] == 0) {
                if (life.alive_[p]) here = c;
                continue;
            }
            const PassAlive::Region& region = life.regions_[life.region_[p]];
            if (region.safe && (region.interior < 2 || !region.enemy))
                here = c;
            else if (!region.enemy && here == kEmpty)
                here = c;
        }
    }
    for (int i = 0; i < g.area; ++i) {
        const Point p = g.framed[static_cast<std::size_t>(i)];
        if (owner[static_cast<std::size_t>(i)] == kEmpty) owner[static_cast<std::size_t>(i)] = board.color(p);
    }
}

namespace {

// Erases from the area map the connected parts of one owner that are in seki.
void erase_seki(const Board& board, const Owners& basic, Owners& owner) {
    const Geometry& g = board.geometry();
    std::array<bool, kMaxCells> seen{};
    std::array<Point, kMaxArea> part;
    const auto basic_at = [&](Point p) { return basic[g.flat[p]]; };
    for (int i = 0; i < g.area; ++i) {
        const Point from = g.framed[static_cast<std::size_t>(i)];
        const Color c = basic_at(from);
        if (c == kEmpty || seen[from]) continue;
        int n = 0;
        bool seki = false;
        part[static_cast<std::size_t>(n++)] = from;
        seen[from] = true;
        for (int k = 0; k < n; ++k) {
            const Point p = part[static_cast<std::size_t>(k)];
            seki |= board.color(p) == c && board.in_atari(p);
            for (int d : g.sides) {
                const Point q = static_cast<Point>(p + d);
                if (board.color(q) == kFrame) continue;
                seki |= board.empty(q) && basic_at(q) == kEmpty;
                if (basic_at(q) != c || seen[q]) continue;
                seen[q] = true;
                part[static_cast<std::size_t>(n++)] = q;
            }
        }
        if (!seki) continue;
        for (int k = 0; k < n; ++k) owner[g.flat[part[static_cast<std::size_t>(k)]]] = kEmpty;
    }
}

}  // namespace

void katago_taxed_area(const Board& board, bool suicide, Owners& owner) {
    const Geometry& g = board.geometry();
    katago_area(board, suicide, owner);
    const Owners basic = owner;
    erase_seki(board, basic, owner);
    for (std::size_t i = 0; i < static_cast<std::size_t>(g.area); ++i)
        if (board.color(g.framed[i]) == basic[i]) owner[i] = basic[i];
}

void katago_territory(const Board& board, bool suicide, bool tax, const Board& start, Owners& owner) {
    const Geometry& g = board.geometry();
    katago_area(board, suicide, owner);
    const Owners basic = owner;
    erase_seki(board, basic, owner);
    for (std::size_t i = 0; i < static_cast<std::size_t>(g.area); ++i) {
        const Color here = board.color(g.framed[i]);
        if (!tax && here != basic[i]) owner[i] = basic[i];
        if (owner[i] == kEmpty && board.stone(g.framed[i]) && here == start.color(g.framed[i])) owner[i] = here;
    }
}

}  // namespace tengen
