#include "winograd.hpp"

#include <optional>

#include "bindings.hpp"

namespace tengen::bindings {

namespace {

using In = nb::ndarray<const float, nb::numpy, nb::c_contig, nb::device::cpu>;
using Out = nb::ndarray<float, nb::numpy, nb::c_contig, nb::device::cpu>;

template <typename X, typename Y>
winograd::Shape shape_of(const X& x, const Y& y, int threads) {
    if (x.ndim() != 4 || x.shape(1) != x.shape(2) || x.shape(3) % winograd::kLanes || x.shape(3) == 0)
        throw nb::value_error("boards must be [count, size, size, channels], channels a multiple of 8");
    if (y.ndim() != 4 || y.shape(0) != x.shape(0) || y.shape(1) != x.shape(1) || y.shape(2) != x.shape(2) ||
        y.shape(3) % winograd::kLanes || y.shape(3) == 0)
        throw nb::value_error("outputs must be as many boards of the same size, channels a multiple of 8");
    return {static_cast<int>(x.shape(0)), static_cast<int>(x.shape(1)), static_cast<int>(x.shape(3)),
            static_cast<int>(y.shape(3)), threads};
}

void convolve(In x, In kernels, Out y, std::optional<In> bias, int threads) {
    const winograd::Shape s = shape_of(x, y, threads);
    if (kernels.ndim() != 4 || kernels.shape(0) != 36 || kernels.shape(1) != std::size_t(winograd::panels(s.outputs)) ||
        kernels.shape(2) != std::size_t(s.inputs) || kernels.shape(3) != winograd::kColumns)
        throw nb::value_error("kernels must be [36, panels, inputs, 16]");
    if (bias && (bias->ndim() != 1 || bias->shape(0) != std::size_t(s.outputs)))
        throw nb::value_error("bias must be [outputs]");
    nb::gil_scoped_release release;
    winograd::convolve(x.data(), kernels.data(), bias ? bias->data() : nullptr, y.data(), s);
}

void kernel_gradient(In x, In gradient, Out kernels, int threads) {
    const winograd::Shape s = shape_of(x, gradient, threads);
    if (kernels.ndim() != 3 || kernels.shape(0) != 36 || kernels.shape(1) != std::size_t(s.inputs) ||
        kernels.shape(2) != std::size_t(winograd::panels(s.outputs) * winograd::kColumns))
        throw nb::value_error("kernels must be [36, inputs, 16 * panels]");
    nb::gil_scoped_release release;
    winograd::kernel_gradient(x.data(), gradient.data(), kernels.data(), s);
}

}  // namespace

void bind_winograd(nb::module_& m) {
    m.def("winograd_convolve", convolve, nb::arg("x"), nb::arg("kernels"), nb::arg("y"), nb::arg("bias") = nb::none(),
          nb::arg("threads") = 1,
          "Fills y float32 [count, size, size, outputs] from x and transformed kernels [36, panels, inputs, 16].");
    m.def("winograd_kernel_gradient", kernel_gradient, nb::arg("x"), nb::arg("gradient"), nb::arg("kernels"),
          nb::arg("threads") = 1, "Fills the gradient [36, inputs, 16 * panels] of the transformed kernels.");
}

}  // namespace tengen::bindings
