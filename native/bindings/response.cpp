#include "response.hpp"

#include "bindings.hpp"

namespace tengen::bindings {

namespace {

using In = nb::ndarray<const float, nb::numpy, nb::c_contig, nb::device::cpu>;
using Out = nb::ndarray<float, nb::numpy, nb::c_contig, nb::device::cpu>;

response::Shape shape_of(const In& x, std::initializer_list<std::size_t> others, int reach, float factor, int threads) {
    if (x.ndim() < 2 || x.size() == 0) throw nb::value_error("values must be [..., channels], and some");
    for (const std::size_t size : others)
        if (size != x.size()) throw nb::value_error("all values must have the same shape");
    if (reach < 0) throw nb::value_error("the reach must not be negative");
    const std::size_t channels = x.shape(x.ndim() - 1);
    return {x.size() / channels, static_cast<int>(channels), reach, factor, threads};
}

void values(In x, Out y, int reach, float factor, int threads) {
    const response::Shape s = shape_of(x, {y.size()}, reach, factor, threads);
    nb::gil_scoped_release release;
    response::values(x.data(), y.data(), s);
}

void gradient(In x, In dy, Out dx, int reach, float factor, int threads) {
    const response::Shape s = shape_of(x, {dy.size(), dx.size()}, reach, factor, threads);
    nb::gil_scoped_release release;
    response::gradient(x.data(), dy.data(), dx.data(), s);
}

}  // namespace

void bind_response(nb::module_& m) {
    m.def("response_norm", values, nb::arg("x"), nb::arg("y"), nb::arg("reach"), nb::arg("factor"), nb::arg("threads") = 1,
          "Fills y with r / (1 + factor * sum of r^2 over channels within reach)^(3/4), r = max(x, 0); float32 [..., channels].");
    m.def("response_norm_gradient", gradient, nb::arg("x"), nb::arg("gradient"), nb::arg("dx"), nb::arg("reach"),
          nb::arg("factor"), nb::arg("threads") = 1, "Fills dx from x and the gradient of y.");
}

}  // namespace tengen::bindings
