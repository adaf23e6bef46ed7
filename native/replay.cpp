#include "replay.hpp"

#include <stdexcept>

namespace tengen {

std::vector<std::uint32_t> replay(std::span<const Packed> moves, std::span<const std::int64_t> offsets, int size,
                                  Rules rules, bool checked) {
    const Position empty(size, rules);
    const Geometry& g = empty.board().geometry();
    Position position = empty;
    std::vector<std::uint32_t> played;
    for (std::size_t game = 0; game + 1 < offsets.size(); ++game) {
        const std::int64_t begin = offsets[game], end = offsets[game + 1];
        if (begin < 0 || end < begin || end > static_cast<std::int64_t>(moves.size()))
            throw std::invalid_argument("offsets must rise from 0 up to the number of moves");
        position = empty;
        for (std::int64_t i = begin; i < end; ++i) {
            const Packed m = moves[static_cast<std::size_t>(i)];
            const Point p = g.from_flat(packed_point(m));
            if (!checked)
                position.play_unchecked(p, packed_color(m));
            else if (position.play(p, packed_color(m)) != Refusal::kNone)
                break;
        }
        played.push_back(static_cast<std::uint32_t>(position.moves().size()));
    }
    return played;
}

}  // namespace tengen
