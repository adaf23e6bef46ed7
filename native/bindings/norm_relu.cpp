#include "norm_relu.hpp"

#include <initializer_list>

#include "bindings.hpp"

namespace tengen::bindings {

namespace {

using In = nb::ndarray<const float, nb::numpy, nb::c_contig, nb::device::cpu>;
using Out = nb::ndarray<float, nb::numpy, nb::c_contig, nb::device::cpu>;
using Sums = nb::ndarray<double, nb::numpy, nb::c_contig, nb::device::cpu>;

norm_relu::Shape shape_of(const In& x, int threads) {
    if (x.ndim() < 2 || x.size() == 0) throw nb::value_error("values must be [..., channels], and some");
    const std::size_t channels = x.shape(x.ndim() - 1);
    return {x.size() / channels, static_cast<int>(channels), threads};
}

void check_size(std::initializer_list<std::size_t> sizes, std::size_t wanted, const char* message) {
    for (const std::size_t size : sizes)
        if (size != wanted) throw nb::value_error(message);
}

constexpr const char* kChannels = "there must be one number for each channel";
constexpr const char* kValues = "all values must have the same shape";

void statistics(In x, Sums mean, Sums variance, int threads) {
    const norm_relu::Shape s = shape_of(x, threads);
    check_size({mean.size(), variance.size()}, s.channels, kChannels);
    nb::gil_scoped_release release;
    norm_relu::statistics(x.data(), mean.data(), variance.data(), s);
}

void values(In x, In scale, In shift, Out y, int threads) {
    const norm_relu::Shape s = shape_of(x, threads);
    check_size({scale.size(), shift.size()}, s.channels, kChannels);
    check_size({y.size()}, x.size(), kValues);
    nb::gil_scoped_release release;
    norm_relu::values(x.data(), scale.data(), shift.data(), y.data(), s);
}

void gradient_sums(In x, In dy, In scale, In shift, In mean, Sums sum, Sums product, int threads) {
    const norm_relu::Shape s = shape_of(x, threads);
    check_size({scale.size(), shift.size(), mean.size(), sum.size(), product.size()}, s.channels, kChannels);
    check_size({dy.size()}, x.size(), kValues);
    nb::gil_scoped_release release;
    norm_relu::gradient_sums(x.data(), dy.data(), scale.data(), shift.data(), mean.data(), sum.data(), product.data(), s);
}

void gradient(In x, In dy, In scale, In shift, In own, In along, In all, Out dx, int threads) {
    const norm_relu::Shape s = shape_of(x, threads);
    check_size({scale.size(), shift.size(), own.size(), along.size(), all.size()}, s.channels, kChannels);
    check_size({dy.size(), dx.size()}, x.size(), kValues);
    nb::gil_scoped_release release;
    norm_relu::gradient(x.data(), dy.data(), scale.data(), shift.data(), own.data(), along.data(), all.data(), dx.data(), s);
}

}  // namespace

void bind_norm_relu(nb::module_& m) {
    m.def("norm_statistics", statistics, nb::arg("x"), nb::arg("mean"), nb::arg("variance"), nb::arg("threads") = 1,
          "Fills mean and variance, float64 [channels], of x float32 [..., channels].");
    m.def("norm_relu", values, nb::arg("x"), nb::arg("scale"), nb::arg("shift"), nb::arg("y"), nb::arg("threads") = 1,
          "Fills y with max(scale * x + shift, 0); x and y float32 [..., channels], the others [channels].");
    m.def("norm_relu_sums", gradient_sums, nb::arg("x"), nb::arg("gradient"), nb::arg("scale"), nb::arg("shift"),
          nb::arg("mean"), nb::arg("sum"), nb::arg("product"), nb::arg("threads") = 1,
          "Fills the sums of g and g * (x - mean), float64 [channels]; g is the gradient where scale * x + shift > 0, else 0.");
    m.def("norm_relu_gradient", gradient, nb::arg("x"), nb::arg("gradient"), nb::arg("scale"), nb::arg("shift"),
          nb::arg("own"), nb::arg("along"), nb::arg("all"), nb::arg("dx"), nb::arg("threads") = 1,
          "Fills dx with g * own + x * along + all; the factors are [channels].");
}

}  // namespace tengen::bindings
