// What an agent sees of a board that never sees the whole of it: planes of an encoding around a point, at two scales.
#pragma once

#include <cstdint>
#include <span>

#include "planes.hpp"

namespace tengen {

// Near the point, `near` x `near` points (an odd number) with their planes. Farther away, `cells` x `cells` squares of
// `cell` x `cell` points (odd numbers both), with the mean of each plane over the square. Both have one plane more than
// they name: 1 off the board, where all the others are 0.
struct Sensor {
    const Encoding& encoding;
    std::span<const std::uint8_t> near_planes, far_planes;  // indices into the encoding's planes
    int near, cells, cell;

    // Throws std::invalid_argument for even sizes and for planes that the encoding does not have.
    void check() const;
};

// Writes to `near` [n, near_planes + 1, sensor.near, sensor.near] and `far` [n, far_planes + 1, cells, cells] what there is to
// see around the row-major `points`, one for each of the positions, which have one size. The view is that of the side to
// move. Throws std::invalid_argument for a point that is not on the board.
void glimpses(const Sensor& sensor, std::span<const Position* const> positions, std::span<const std::int32_t> points,
              int threads, float* near, float* far);

}  // namespace tengen
