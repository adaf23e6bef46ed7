#include "falling.hpp"

#include "bindings.hpp"

namespace tengen::bindings {

void bind_falling(nb::module_& m) {
    m.def(
        "make_falling",
        [](nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu> curves) {
            const std::size_t length = curves.shape(1);
            for (std::size_t i = 0; i < curves.shape(0); ++i) make_falling({curves.data() + i * length, length});
        },
        nb::arg("curves").noconvert(),
        "Replaces each row of float64 [n, labels] by the nearest one, by least squares, that never rises.");
}

}  // namespace tengen::bindings
