#include "glimpse.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "parallel.hpp"

namespace tengen {
namespace {

// One position's planes, row-major, and the side of its board.
struct Planes {
    const float* values;
    int size;

    bool inside(int x, int y) const { return x >= 0 && y >= 0 && x < size && y < size; }
    float at(std::uint8_t plane, int x, int y) const { return values[plane * size * size + y * size + x]; }
};

// The mean over the square of side `cell` around (x, y) of each plane named, to out[0], out[stride], ... ; last, the share
// of the square that is off the board.
void write_square(const Planes& planes, std::span<const std::uint8_t> named, int x, int y, int cell, float* out,
                  std::size_t stride) {
    const int reach = cell / 2;
    int off = 0;
    for (int v = y - reach; v <= y + reach; ++v)
        for (int u = x - reach; u <= x + reach; ++u) {
            if (!planes.inside(u, v)) {
                ++off;
                continue;
            }
            for (std::size_t k = 0; k < named.size(); ++k) out[k * stride] += planes.at(named[k], u, v);
        }
    const float share = 1.0f / static_cast<float>(cell * cell);
    for (std::size_t k = 0; k < named.size(); ++k) out[k * stride] *= share;
    out[named.size() * stride] = static_cast<float>(off) * share;
}

// Squares of side `cell`, `count` of them each way, around (x, y); `out` is zero at first.
void write_grid(const Planes& planes, std::span<const std::uint8_t> named, int x, int y, int count, int cell, float* out) {
    const auto stride = static_cast<std::size_t>(count * count);
    const int reach = count / 2;
    for (int row = -reach; row <= reach; ++row)
        for (int column = -reach; column <= reach; ++column)
            write_square(planes, named, x + column * cell, y + row * cell, cell,
                         out + (row + reach) * count + column + reach, stride);
}

}  // namespace

void Sensor::check() const {
    for (const int side : {near, cells, cell})
        if (side < 1 || side % 2 == 0) throw std::invalid_argument("a sensor's sides are odd numbers from 1");
    for (const auto planes : {near_planes, far_planes})
        for (const std::uint8_t plane : planes)
            if (plane >= encoding.planes.size()) throw std::invalid_argument("the encoding has no such plane");
}

void glimpses(const Sensor& sensor, std::span<const Position* const> positions, std::span<const std::int32_t> points,
              int threads, float* near, float* far) {
    sensor.check();
    if (points.size() != positions.size()) throw std::invalid_argument("there must be one point for each position");
    if (positions.empty()) return;
    const int size = positions[0]->size();
    const int area = size * size;
    for (const Position* position : positions)
        if (position->size() != size) throw std::invalid_argument("the positions of a batch must have one board size");
    for (const std::int32_t point : points)
        if (point < 0 || point >= area) throw std::invalid_argument("a sensor is directed at a point of the board");
    const std::size_t near_length = (sensor.near_planes.size() + 1) * static_cast<std::size_t>(sensor.near * sensor.near);
    const std::size_t far_length = (sensor.far_planes.size() + 1) * static_cast<std::size_t>(sensor.cells * sensor.cells);
    in_parallel(positions.size(), threads, [&](std::size_t begin, std::size_t end) {
        std::vector<float> values(sensor.encoding.planes.size() * static_cast<std::size_t>(area));
        std::vector<float> globals(sensor.encoding.globals.size());
        for (std::size_t k = begin; k < end; ++k) {
            std::fill(values.begin(), values.end(), 0.0f);
            sensor.encoding.write(*positions[k], Canvas(values.data(), positions[k]->board().geometry(), 0), globals.data());
            const Planes planes{values.data(), size};
            const int x = points[k] % size, y = points[k] / size;
            float* close = near + k * near_length;
            float* wide = far + k * far_length;
            std::fill_n(close, near_length, 0.0f);
            std::fill_n(wide, far_length, 0.0f);
            write_grid(planes, sensor.near_planes, x, y, sensor.near, 1, close);
            write_grid(planes, sensor.far_planes, x, y, sensor.cells, sensor.cell, wide);
        }
    });
}

}  // namespace tengen
