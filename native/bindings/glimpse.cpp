#include "glimpse.hpp"

#include "bindings.hpp"

namespace tengen::bindings {

void bind_glimpse(nb::module_& m) {
    m.def(
        "glimpses",
        [](const std::string& encoding, const std::vector<const Position*>& positions, Column<std::int32_t> points,
           Column<std::uint8_t> near_planes, Column<std::uint8_t> far_planes, int near, int cells, int cell, int threads) {
            const Sensor sensor{find_encoding(encoding), span_of(near_planes), span_of(far_planes), near, cells, cell};
            sensor.check();
            const std::size_t count = positions.size();
            const std::size_t close = near_planes.shape(0) + 1, wide = far_planes.shape(0) + 1;
            const auto side = static_cast<std::size_t>(near), squares = static_cast<std::size_t>(cells);
            std::vector<float> seen_near(count * close * side * side), seen_far(count * wide * squares * squares);
            {
                nb::gil_scoped_release release;
                glimpses(sensor, positions, span_of(points), threads, seen_near.data(), seen_far.data());
            }
            return std::make_tuple(to_numpy(std::move(seen_near), count, close, side, side),
                                   to_numpy(std::move(seen_far), count, wide, squares, squares));
        },
        nb::arg("encoding"), nb::arg("positions"), nb::arg("points"), nb::arg("near_planes"), nb::arg("far_planes"),
        nb::arg("near"), nb::arg("cells"), nb::arg("cell"), nb::arg("threads") = 1,
        "What is seen around a point (int32 [n]) of each position: the near planes (uint8, indices of the encoding's)\n"
        "at near x near points, float32 [n, near planes + 1, near, near]; the far planes as means over cells x cells squares\n"
        "of cell x cell points, float32 [n, far planes + 1, cells, cells]. The last plane of each is 1 off the board.");
}

}  // namespace tengen::bindings
