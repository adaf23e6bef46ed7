#include "winograd.hpp"

#include "bindings.hpp"

namespace tengen::bindings {

namespace {

using In = nb::ndarray<const float, nb::numpy, nb::c_contig, nb::device::cpu>;
using Out = nb::ndarray<float, nb::numpy, nb::c_contig, nb::device::cpu>;
using Transform = void (*)(const float*, float*, winograd::Shape);

// `boards` is whichever of the two arrays holds boards, `tiles` the other.
template <typename Boards, typename Tiles>
winograd::Shape shape_of(const Boards& boards, const Tiles& tiles, int threads) {
    if (boards.ndim() != 4 || boards.shape(1) != boards.shape(2) || boards.shape(3) % winograd::kLanes)
        throw nb::value_error("boards must be [count, size, size, channels], channels a multiple of 8");
    const winograd::Shape s{static_cast<int>(boards.shape(0)), static_cast<int>(boards.shape(1)),
                            static_cast<int>(boards.shape(3)), threads};
    const int across = winograd::tiles_across(s.size);
    if (tiles.ndim() != 3 || tiles.shape(0) != 36 || tiles.shape(2) != boards.shape(3) ||
        tiles.shape(1) != boards.shape(0) * static_cast<std::size_t>(across * across))
        throw nb::value_error("tiles must be [36, count * ceil(size / 4)^2, channels]");
    return s;
}

template <Transform transform>
void to_tiles(In boards, Out tiles, int threads) {
    const winograd::Shape shape = shape_of(boards, tiles, threads);
    nb::gil_scoped_release release;
    transform(boards.data(), tiles.data(), shape);
}

template <Transform transform>
void to_boards(In tiles, Out boards, int threads) {
    const winograd::Shape shape = shape_of(boards, tiles, threads);
    nb::gil_scoped_release release;
    transform(tiles.data(), boards.data(), shape);
}

}  // namespace

void bind_winograd(nb::module_& m) {
    m.def("winograd_input", to_tiles<winograd::input_transform>, nb::arg("boards"), nb::arg("tiles"),
          nb::arg("threads") = 1, "Fills tiles float32 [36, n, channels] from boards [count, size, size, channels].");
    m.def("winograd_input_adjoint", to_boards<winograd::input_adjoint>, nb::arg("tiles"), nb::arg("boards"),
          nb::arg("threads") = 1, "Fills the gradient of winograd_input's boards from that of its tiles.");
    m.def("winograd_output", to_boards<winograd::output_transform>, nb::arg("tiles"), nb::arg("boards"),
          nb::arg("threads") = 1, "Fills boards from the products of tiles and filters.");
    m.def("winograd_output_adjoint", to_tiles<winograd::output_adjoint>, nb::arg("boards"), nb::arg("tiles"),
          nb::arg("threads") = 1, "Fills the gradient of winograd_output's tiles from that of its boards.");
}

}  // namespace tengen::bindings
