#include "score.hpp"

#include <algorithm>
#include <vector>

namespace tengen {
namespace {

using Label = std::uint16_t;  // of a connected set of points; 0 is none
using Labels = std::array<Label, kMaxCells>;

// The colours of the points, free to be filled without a thought for captures.
struct Grid {
    const Geometry& geometry;
    std::array<Color, kMaxCells> color;

    explicit Grid(const Board& board) : geometry(board.geometry()) {
        for (int p = 0; p < kMaxCells; ++p) color[static_cast<std::size_t>(p)] = board.color(static_cast<Point>(p));
    }
    std::span<const Point> points() const { return geometry.points(); }
    template <typename Visit>
    void beside(Point p, Visit visit) const {
        for (int d : geometry.sides) visit(static_cast<Point>(p + d));
    }
    // Calls visit(p) for every point connected to `from` through its colour, and labels them.
    template <typename Visit>
    void flood(Point from, Label label, Labels& labels, Visit visit) const {
        std::array<Point, kMaxArea> queue;
        std::size_t n = 0;
        queue[n++] = from;
        labels[from] = label;
        for (std::size_t i = 0; i < n; ++i) {
            visit(queue[i]);
            beside(queue[i], [&](Point q) {
                if (color[q] != color[from] || labels[q] != 0) return;
                labels[q] = label;
                queue[n++] = q;
            });
        }
    }
};

// A connected set of empty points.
struct Region {
    int size = 0;
    std::array<bool, 4> touches{};  // by colour
    int left = kMaxSize, right = 0, top = kMaxSize, bottom = 0;

    Color owner() const {
        return touches[kBlack] == touches[kWhite] ? kEmpty : touches[kBlack] ? kBlack : kWhite;
    }
    int eyes() const {
        const bool square = size == 4 && right - left == 1 && bottom - top == 1;
        return size <= 2 || square ? 1 : 2;
    }
};

struct Regions {
    Labels label{};
    std::vector<Region> list;  // list[0] stands for no region

    explicit Regions(const Grid& grid) : list(1) {
        for (Point from : grid.points()) {
            if (grid.color[from] != kEmpty || label[from] != 0) continue;
            Region region;
            grid.flood(from, static_cast<Label>(list.size()), label, [&](Point p) {
                ++region.size;
                const int x = grid.geometry.x(p), y = grid.geometry.y(p);
                region.left = std::min(region.left, x);
                region.right = std::max(region.right, x);
                region.top = std::min(region.top, y);
                region.bottom = std::max(region.bottom, y);
                grid.beside(p, [&](Point q) { region.touches[grid.color[q]] = true; });
            });
            list.push_back(region);
        }
    }
    const Region& at(Point p) const { return list[label[p]]; }
};

// The strings of one colour on a grid.
struct Strings {
    Labels label{};
    std::vector<std::vector<Point>> liberties;  // liberties[0] stands for no string

    Strings(const Grid& grid, Color c) : liberties(1) {
        for (Point from : grid.points()) {
            if (grid.color[from] != c || label[from] != 0) continue;
            std::vector<Point> free;
            grid.flood(from, static_cast<Label>(liberties.size()), label, [&](Point p) {
                grid.beside(p, [&](Point q) {
                    if (grid.color[q] == kEmpty) free.push_back(q);
                });
            });
            std::sort(free.begin(), free.end());
            free.erase(std::unique(free.begin(), free.end()), free.end());
            liberties.push_back(std::move(free));
        }
    }
    std::size_t count() const { return liberties.size() - 1; }
};

// Sets that grow together.
class Groups {
public:
    explicit Groups(std::size_t n) : parent_(n) {
        for (std::size_t i = 0; i < n; ++i) parent_[i] = i;
    }
    std::size_t find(std::size_t i) const {
        while (parent_[i] != i) i = parent_[i];
        return i;
    }
    void join(std::size_t a, std::size_t b) { parent_[find(a)] = find(b); }

private:
    std::vector<std::size_t> parent_;
};

// Would a stone of c on the empty p stand: take something, or have two liberties?
bool stands(const Grid& grid, Point p, Color c) {
    Grid after = grid;
    after.color[p] = c;
    Labels seen{};
    bool takes = false;
    std::vector<Point> liberties;
    const auto is_new = [&](Point q) {
        return std::find(liberties.begin(), liberties.end(), q) == liberties.end();
    };
    after.flood(p, 1, seen, [&](Point s) {
        after.beside(s, [&](Point q) {
            if (after.color[q] == kEmpty && is_new(q)) liberties.push_back(q);
        });
    });
    const Strings enemies(after, opponent(c));
    after.beside(p, [&](Point q) {
        takes |= after.color[q] == opponent(c) && enemies.liberties[enemies.label[q]].empty();
    });
    return takes || liberties.size() >= 2;
}

// Gives c the dame that join its strings where the enemy has no cut: those where an enemy stone would not
// stand, then one of any two that join a string to the same group.
void keep_connections(Grid& grid, const Regions& regions, Color c) {
    const auto is_dame = [&](Point p) { return grid.color[p] == kEmpty && regions.at(p).owner() == kEmpty; };
    {
        const Grid before = grid;
        const Strings strings(before, c);
        for (Point p : before.points()) {
            if (!is_dame(p)) continue;
            Label one = 0;
            bool joins = false;
            before.beside(p, [&](Point q) {
                if (before.color[q] != c) return;
                joins |= one != 0 && strings.label[q] != one;
                one = strings.label[q];
            });
            if (joins && !stands(before, p, opponent(c))) grid.color[p] = c;
        }
    }
    for (bool again = true; again;) {
        again = false;
        const Strings strings(grid, c);
        Groups groups(strings.count() + 1 + regions.list.size());  // strings, then the regions they touch
        for (std::size_t s = 1; s <= strings.count(); ++s)
            for (Point p : strings.liberties[s])
                if (!is_dame(p)) groups.join(s, strings.count() + 1 + regions.label[p]);
        for (std::size_t s = 1; s <= strings.count() && !again; ++s) {
            std::vector<std::pair<Point, std::size_t>> joints;  // a dame, and the group it joins s to
            for (Point p : strings.liberties[s]) {
                if (!is_dame(p)) continue;
                grid.beside(p, [&](Point q) {
                    if (grid.color[q] == c && strings.label[q] != s)
                        joints.emplace_back(p, groups.find(strings.label[q]));
                });
            }
            for (const auto& [p, group] : joints)
                for (const auto& [other, same] : joints)
                    if (!again && other != p && same == group) {
                        grid.color[p] = c;
                        again = true;
                    }
        }
    }
}

// Fills the last liberty of c's strings wherever that leaves them another.
void fill_false_eyes(Grid& grid, Color c) {
    for (bool again = true; again;) {
        again = false;
        const Strings strings(grid, c);
        for (std::size_t s = 1; s <= strings.count() && !again; ++s) {
            if (strings.liberties[s].size() != 1) continue;
            const Point p = strings.liberties[s][0];
            grid.beside(p, [&](Point q) {
                const auto& theirs = strings.liberties[strings.label[q]];
                again |= grid.color[q] == kEmpty || (grid.color[q] == c && theirs.size() > 1);
            });
            if (again) grid.color[p] = c;
        }
    }
}

// Finds the surrounded points that count for c where false eyes or eyes in seki do not, and the tax.
void count_eyes(const Grid& live, const Regions& regions, Color c, const Rules& rules, Count& result) {
    Grid settled = live;
    keep_connections(settled, regions, c);
    for (Point p : live.points())
        if (settled.color[p] == kEmpty && regions.at(p).owner() == kEmpty) settled.color[p] = opponent(c);
    fill_false_eyes(settled, c);

    const Strings strings(settled, c);
    const Regions eyes(settled);
    Groups groups(eyes.list.size());  // of eyes; strings join them
    std::vector<std::size_t> eye_of_string(strings.count() + 1, 0);
    for (std::size_t s = 1; s <= strings.count(); ++s)
        for (Point p : strings.liberties[s]) {
            if (eye_of_string[s] != 0) groups.join(eye_of_string[s], eyes.label[p]);
            eye_of_string[s] = eyes.label[p];
        }
    std::vector<int> eye_count(eyes.list.size(), 0);
    for (std::size_t e = 1; e < eyes.list.size(); ++e)
        if (eyes.list[e].owner() == c) eye_count[groups.find(e)] += eyes.list[e].eyes();
    std::vector<bool> has_dame(eyes.list.size(), false);
    for (Point p : live.points()) {
        if (live.color[p] != kEmpty || regions.at(p).owner() != kEmpty) continue;
        live.beside(p, [&](Point q) {
            if (live.color[q] == c) has_dame[groups.find(eye_of_string[strings.label[q]])] = true;
        });
    }
    std::vector<int> points(eyes.list.size(), 0);
    for (Point p : live.points()) {
        if (regions.at(p).owner() != c) continue;
        const bool filled = settled.color[p] != kEmpty;
        if (filled && rules.scoring == Scoring::kTerritory) continue;
        const std::size_t group = groups.find(filled ? eye_of_string[strings.label[p]] : eyes.label[p]);
        const bool seki = eye_count[group] < 2 && has_dame[group];
        if (seki && rules.tax != Tax::kNone) continue;
        result.owner[live.geometry.flat[p]] = c;
        if (!seki) ++points[group];
    }
    if (rules.tax == Tax::kAll)
        for (int n : points) result.tax[c] += std::min(n, 2);
}

}  // namespace

Count count(const Board& board, const Rules& rules, std::span<const Point> dead) {
    Count result;
    Grid grid(board);
    for (Color c : {kBlack, kWhite}) result.lost[c] = board.captured(c);
    for (Point stone : dead) {
        if (grid.color[stone] != kBlack && grid.color[stone] != kWhite) continue;
        Point s = stone;
        do {
            ++result.lost[grid.color[s]];
            grid.color[s] = kEmpty;
            s = board.next(s);
        } while (s != stone);
    }
    const Regions regions(grid);
    for (Point p : grid.points()) result.owner[grid.geometry.flat[p]] = grid.color[p];
    if (rules.scoring == Scoring::kArea && rules.tax == Tax::kNone)
        for (Point p : grid.points()) {
            if (grid.color[p] == kEmpty) result.owner[grid.geometry.flat[p]] = regions.at(p).owner();
        }
    else
        for (Color c : {kBlack, kWhite}) count_eyes(grid, regions, c, rules, result);
    for (Point p : grid.points()) {
        if (grid.color[p] != kEmpty)
            ++result.stones[grid.color[p]];
        else
            ++result.territory[result.owner[grid.geometry.flat[p]]];
    }
    return result;
}

}  // namespace tengen
