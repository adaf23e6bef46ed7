#include "playout.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <thread>

#include "draw.hpp"
#include "guided.hpp"

namespace tengen {
namespace {

// Plays moves of `choose` until both pass; tells `played` of each.
template <typename Choose, typename Played>
void play_until_over(Board& board, Color c, PlayoutRecord& record, const Choose& choose, const Played& played) {
    const int cap = kPlayoutCap * board.geometry().area;
    int length = 0;
    for (int passes = 0; passes < 2 && length < cap; c = opponent(c)) {
        const Point p = choose(c);
        board.play(p, c);
        played(p, c);
        record.moves[static_cast<std::size_t>(length++)] = p;
        passes = p == kPass ? passes + 1 : 0;
    }
    record.length = length;
}

// Integer sums over playouts, one set a thread. Wins are counted in halves, for draws.
struct Sums {
    using Counts = std::array<std::uint64_t, kMaxArea>;

    std::uint64_t black_half_wins = 0;
    std::int64_t margin = 0;
    std::uint64_t margin_squares = 0;
    std::vector<std::uint32_t> margins;
    std::array<Counts, 3> owned{};
    std::array<Counts, 3> owned_half_wins{};  // ... by a colour that wins
    std::array<Counts, 3> first{};
    std::array<Counts, 3> first_half_wins{};

    explicit Sums(int area) : margins(static_cast<std::size_t>(2 * area + 1)) {}

    void add(const Board& end, Color to_move, const PlayoutRecord& record, float komi) {
        const Geometry& g = end.geometry();
        const auto area = static_cast<std::size_t>(g.area);
        std::array<std::uint8_t, kMaxArea> owners;
        const int lead = area_owners(end, owners.data());
        const float net = static_cast<float>(lead) - komi;
        std::array<std::uint64_t, 3> half_wins{};
        half_wins[kBlack] = net > 0 ? 2 : net < 0 ? 0 : 1;
        half_wins[kWhite] = 2 - half_wins[kBlack];

        black_half_wins += half_wins[kBlack];
        margin += lead;
        margin_squares += static_cast<std::uint64_t>(lead * lead);
        ++margins[static_cast<std::size_t>(lead + g.area)];
        for (std::size_t i = 0; i < area; ++i) {
            ++owned[owners[i]][i];
            owned_half_wins[owners[i]][i] += half_wins[owners[i]];
        }
        std::array<bool, kMaxArea + 1> played{};
        played[area] = true;  // passes are not counted
        Color c = to_move;
        for (int m = 0; m < record.length; ++m, c = opponent(c)) {
            const auto i = static_cast<std::size_t>(g.to_flat(record.moves[static_cast<std::size_t>(m)]));
            if (played[i]) continue;
            played[i] = true;
            ++first[c][i];
            first_half_wins[c][i] += half_wins[c];
        }
    }

    void add(const Sums& other) {
        black_half_wins += other.black_half_wins;
        margin += other.margin;
        margin_squares += other.margin_squares;
        for (std::size_t i = 0; i < margins.size(); ++i) margins[i] += other.margins[i];
        for (std::size_t c = 0; c < 3; ++c)
            for (std::size_t i = 0; i < kMaxArea; ++i) {
                owned[c][i] += other.owned[c][i];
                owned_half_wins[c][i] += other.owned_half_wins[c][i];
                first[c][i] += other.first[c][i];
                first_half_wins[c][i] += other.first_half_wins[c][i];
            }
    }
};

PlayoutStatistics summarise(Sums&& sums, int n, int area) {
    const double total = n;
    PlayoutStatistics s;
    s.playouts = n;
    s.black_wins = static_cast<double>(sums.black_half_wins) / 2;
    s.margin_mean = static_cast<double>(sums.margin) / total;
    s.margin_deviation =
        std::sqrt(std::max(0.0, static_cast<double>(sums.margin_squares) / total - s.margin_mean * s.margin_mean));
    s.margins = std::move(sums.margins);
    const auto points = static_cast<std::size_t>(area);
    s.ownership.resize(points);
    s.criticality.resize(points);
    const std::array<double, 3> win_share{0, s.black_wins / total, 1 - s.black_wins / total};
    for (std::size_t i = 0; i < points; ++i) {
        double ownership = 0, criticality = 0;
        for (Color c : {kBlack, kWhite}) {
            const double owned = static_cast<double>(sums.owned[c][i]) / total;
            const double owned_and_won = static_cast<double>(sums.owned_half_wins[c][i]) / (2 * total);
            ownership += c == kBlack ? owned : -owned;
            criticality += owned_and_won - owned * win_share[c];
        }
        s.ownership[i] = static_cast<float>(ownership);
        s.criticality[i] = static_cast<float>(criticality);
    }
    for (Color c : {kBlack, kWhite}) {
        s.amaf[c].resize(points);
        s.amaf_playouts[c].resize(points);
        for (std::size_t i = 0; i < points; ++i) {
            const double played = static_cast<double>(sums.first[c][i]);
            s.amaf_playouts[c][i] = static_cast<std::uint32_t>(sums.first[c][i]);
            s.amaf[c][i] = static_cast<float>(
                played > 0 ? static_cast<double>(sums.first_half_wins[c][i]) / (2 * played) : win_share[c]);
        }
    }
    return s;
}

}  // namespace

void play_out(Board& board, Color to_move, Random& random, Policy policy, PlayoutRecord& record, Point last) {
    if (policy == Policy::kUniform) {
        play_until_over(
            board, to_move, record,
            [&](Color c) { return draw_move(board, c, random, [&](Point p) { return board.is_legal(p, c); }); },
            [](Point, Color) {});
    } else {
        Guide guide(board, last);
        play_until_over(
            board, to_move, record, [&](Color c) { return guide.choose(board, c, random); },
            [&](Point p, Color c) { guide.played(board, p, c); });
    }
}

int area_owners(const Board& board, std::uint8_t* owners) {
    const Geometry& g = board.geometry();
    std::array<bool, kMaxCells> seen{};
    std::array<Point, kMaxArea> region;
    for (int i = 0; i < g.area; ++i) owners[i] = board.color(g.framed[static_cast<std::size_t>(i)]);
    for (int e = 0; e < board.empty_count(); ++e) {
        if (seen[board.empty_at(e)]) continue;
        int found = 0, touched = 0;
        seen[region[static_cast<std::size_t>(found++)] = board.empty_at(e)] = true;
        for (int i = 0; i < found; ++i)
            for (int d : g.sides) {
                const Point q = static_cast<Point>(region[static_cast<std::size_t>(i)] + d);
                if (!board.empty(q)) {
                    if (board.color(q) != kFrame) touched |= board.color(q);
                } else if (!seen[q]) {
                    seen[region[static_cast<std::size_t>(found++)] = q] = true;
                }
            }
        if (touched != kBlack && touched != kWhite) continue;
        for (int i = 0; i < found; ++i)
            owners[g.flat[region[static_cast<std::size_t>(i)]]] = static_cast<std::uint8_t>(touched);
    }
    int lead = 0;
    for (int i = 0; i < g.area; ++i) lead += (owners[i] == kBlack) - (owners[i] == kWhite);
    return lead;
}

PlayoutStatistics playout_statistics(const Board& board, Color to_move, int n, std::uint64_t seed,
                                     Policy policy, float komi, int threads, Point last) {
    if (n < 1) throw std::invalid_argument("the number of playouts must be positive, not " + std::to_string(n));
    if (threads < 1) throw std::invalid_argument("the number of threads must be positive");
    threads = std::min(threads, n);
    const int area = board.geometry().area;
    std::vector<Sums> sums(static_cast<std::size_t>(threads), Sums(area));
    const auto work = [&](int thread) {
        PlayoutRecord record;
        for (int i = thread; i < n; i += threads) {
            Board end = board;
            Random random(seed, static_cast<std::uint64_t>(i));
            play_out(end, to_move, random, policy, record, last);
            sums[static_cast<std::size_t>(thread)].add(end, to_move, record, komi);
        }
    };
    {
        std::vector<std::jthread> others;
        for (int t = 1; t < threads; ++t) others.emplace_back(work, t);
        work(0);
    }
    for (int t = 1; t < threads; ++t) sums[0].add(sums[static_cast<std::size_t>(t)]);
    return summarise(std::move(sums[0]), n, area);
}

}  // namespace tengen
