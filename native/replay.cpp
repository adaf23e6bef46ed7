#include "replay.hpp"

#include <stdexcept>

namespace tengen {

std::vector<std::uint32_t> replay(std::span<const Packed> moves, std::span<const std::uint64_t> ends, int size,
                                  Rules rules, bool checked) {
    const Position empty(size, rules);
    const Geometry& g = empty.board().geometry();
    std::vector<std::uint32_t> played;
    played.reserve(ends.size());
    Position position = empty;
    std::uint64_t begin = 0;
    for (const std::uint64_t end : ends) {
        if (end < begin || end > moves.size())
            throw std::invalid_argument("the ends of games must rise, up to the number of moves");
        position = empty;
        for (const Packed m : moves.subspan(begin, end - begin)) {
            const Point p = g.from_flat(packed_point(m));
            if (!checked)
                position.play_unchecked(p, packed_color(m));
            else if (position.play(p, packed_color(m)) != Refusal::kNone)
                break;
        }
        played.push_back(static_cast<std::uint32_t>(position.moves().size()));
        begin = end;
    }
    return played;
}

}  // namespace tengen
