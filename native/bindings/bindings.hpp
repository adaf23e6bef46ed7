// One function a room adds that room's types and functions to the Python module tengen._native.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <span>

namespace tengen::bindings {

namespace nb = nanobind;

void bind_ladder(nb::module_& m);
void bind_position(nb::module_& m);
void bind_ratings(nb::module_& m);
void bind_playout(nb::module_& m);
void bind_tree(nb::module_& m);
void bind_life(nb::module_& m);
void bind_sgf(nb::module_& m);
void bind_replay(nb::module_& m);
void bind_planes(nb::module_& m);
void bind_falling(nb::module_& m);
void bind_find(nb::module_& m);
void bind_trunk(nb::module_& m);
void bind_winograd(nb::module_& m);
void bind_norm_relu(nb::module_& m);
void bind_response(nb::module_& m);
void bind_selfplay(nb::module_& m);
void bind_glimpse(nb::module_& m);

// A column of numbers that Python hands over, and how native code reads it.
template <typename T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename T>
std::span<const T> span_of(const Column<T>& column) {
    return {column.data(), column.shape(0)};
}

// A new numpy array that owns `data`, which is moved in.
template <typename T, typename... Dims>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T>&& data, Dims... dims) {
    auto* heap = new std::vector<T>(std::move(data));
    nb::capsule owner(heap, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T>(heap->data(), {static_cast<std::size_t>(dims)...}, owner);
}

}  // namespace tengen::bindings
