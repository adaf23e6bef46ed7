#include "selfplay.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "guided.hpp"
#include "life.hpp"
#include "parallel.hpp"
#include "random.hpp"

namespace tengen {
namespace {

// Fewer stones than this are never pass-alive: two eyes in a corner need six.
constexpr int kFewestAlive = 6;

// The point drawn from the softmax of the row's logits over the playable ones, as an index of the row.
int draw(std::span<const float> row, std::span<const std::uint8_t> playable, double temperature, Random random) {
    float highest = -std::numeric_limits<float>::infinity();
    for (std::size_t i = 0; i < playable.size(); ++i)
        if (playable[i]) {
            if (std::isnan(row[i])) throw std::invalid_argument("the net's policy is not a number");
            highest = std::max(highest, row[i]);
        }
    std::array<double, kMaxArea> weight;
    double total = 0;
    for (std::size_t i = 0; i < playable.size(); ++i) {
        weight[i] = playable[i] ? std::exp((static_cast<double>(row[i]) - highest) / temperature) : 0;
        total += weight[i];
    }
    double left = random.uniform() * total;
    int last = -1;
    for (std::size_t i = 0; i < playable.size(); ++i)
        if (weight[i] > 0) {
            last = static_cast<int>(i);
            if (left < weight[i]) break;
            left -= weight[i];
        }
    return last;
}

}  // namespace

bool playable_moves(const Position& position, std::uint8_t* playable) {
    const Board& board = position.board();
    const Geometry& g = board.geometry();
    const Color c = position.to_move();
    for (std::size_t i = 0; i < static_cast<std::size_t>(g.area); ++i) {
        const Point p = g.framed[i];
        playable[i] = board.empty(p) && !board.is_eye(p, c) && position.is_legal(p, c);
    }
    if (g.area - board.empty_count() >= kFewestAlive)
        for (Color owner : {kBlack, kWhite}) {
            const PassAlive life(board, owner, position.rules().suicide);
            for (std::size_t i = 0; i < static_cast<std::size_t>(g.area); ++i)
                if (playable[i] && life.territory(g.framed[i])) playable[i] = 0;
        }
    for (std::size_t i = 0; i < static_cast<std::size_t>(g.area); ++i)
        if (playable[i] && !wastes_stones(board, g.framed[i], c)) return true;
    return false;
}

void draw_moves(std::span<Position* const> positions, std::span<const float> logits, std::span<const std::uint8_t> symmetries,
                std::span<const std::uint64_t> seeds, std::span<const float> temperatures, int threads, std::int32_t* drawn,
                std::uint8_t* playable) {
    const std::size_t count = positions.size();
    if (count == 0) return;
    const int size = positions[0]->size();
    const auto area = static_cast<std::size_t>(size * size);
    const std::size_t moves = logits.size() / count;
    if (logits.size() != count * moves || (moves != area && moves != area + 1) || symmetries.size() != count ||
        seeds.size() != count || temperatures.size() != count)
        throw std::invalid_argument("logits, symmetries, seeds and temperatures must be given for each position");
    for (const Position* position : positions)
        if (position->size() != size) throw std::invalid_argument("positions of one batch must have one board size");
    for (const float temperature : temperatures)
        if (!(temperature > 0)) throw std::invalid_argument("a temperature must be above 0");
    for (const std::uint8_t symmetry : symmetries)
        if (symmetry >= kSymmetries) throw std::invalid_argument("a symmetry is a number from 0 to 7");
    in_parallel(count, threads, [&](std::size_t begin, std::size_t end) {
        std::array<std::uint8_t, kMaxArea> seen;
        for (std::size_t k = begin; k < end; ++k) {
            Position& position = *positions[k];
            const std::span<std::uint8_t> row(playable + k * area, area);
            int move = static_cast<int>(area);
            if (playable_moves(position, seen.data())) {
                for (std::size_t i = 0; i < area; ++i)
                    row[static_cast<std::size_t>(transform(static_cast<int>(i), size, symmetries[k]))] = seen[i];
                const int at = draw(logits.subspan(k * moves, area), row, temperatures[k],
                                    Random(seeds[k], position.moves().size()));
                move = transform(at, size, inverse(symmetries[k]));
            } else {
                std::fill(row.begin(), row.end(), std::uint8_t{0});
            }
            drawn[k] = move;
            position.play_unchecked(position.board().geometry().from_flat(move), position.to_move());
        }
    });
}

}  // namespace tengen
