#include "trunk.hpp"

#include "sparse_conv.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <utility>

#include "bindings.hpp"

namespace tengen::bindings {

namespace {

using Vector = nb::ndarray<const float, nb::numpy, nb::shape<-1>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<const float, nb::numpy, nb::shape<-1, -1>, nb::c_contig, nb::device::cpu>;
using Kernel = nb::ndarray<const float, nb::numpy, nb::shape<-1, -1, -1, -1>, nb::c_contig, nb::device::cpu>;
using Stream = nb::ndarray<float, nb::numpy, nb::shape<-1, -1, -1, -1>, nb::c_contig, nb::device::cpu>;

std::vector<float> copied(const Vector& v) { return {v.data(), v.data() + v.shape(0)}; }

Activation activation_of(const std::string& name) {
    if (name == "identity") return Activation::kIdentity;
    if (name == "relu") return Activation::kRelu;
    if (name == "mish") return Activation::kMish;
    throw nb::value_error(("no activation '" + name + "' here: identity, relu or mish").c_str());
}

IntegerConv conv_of(const Kernel& weight, Activation before) {
    if (weight.shape(0) != weight.shape(1)) throw nb::value_error("a kernel must be square");
    return {weight.data(), static_cast<int>(weight.shape(0)), static_cast<int>(weight.shape(2)),
            static_cast<int>(weight.shape(3)), before == Activation::kRelu};
}

TrunkBlock ordinary(Vector scale, Vector bias, const std::string& act, Kernel conv1, Vector bias2, const std::string& act2,
                    Kernel conv2) {
    const Activation first = activation_of(act), second = activation_of(act2);
    return {{copied(scale), copied(bias), first}, conv_of(conv1, first), conv_of(conv2, second), {{}, copied(bias2), second},
            {}, 0, {}, {}};
}

TrunkBlock pooling(Vector scale, Vector bias, const std::string& act, Kernel conv1, Vector pool_bias,
                   const std::string& pool_act, Matrix pool_matrix, Vector bias2, const std::string& act2, Kernel conv2) {
    TrunkBlock block = ordinary(scale, bias, act, conv1, bias2, act2, conv2);
    block.pooled = static_cast<int>(pool_bias.shape(0));
    block.pool = {{}, copied(pool_bias), activation_of(pool_act)};
    block.pool_matrix.assign(pool_matrix.data(), pool_matrix.data() + pool_matrix.size());
    return block;
}

TrunkBlock nested(Vector scale, Vector bias, const std::string& act, Kernel conv1, std::vector<TrunkBlock> blocks,
                  Vector scale2, Vector bias2, const std::string& act2, Kernel conv2) {
    if (blocks.empty()) throw nb::value_error("a nested block has blocks");
    TrunkBlock block = ordinary(scale, bias, act, conv1, bias2, act2, conv2);
    block.second.scale = copied(scale2);
    block.blocks = std::move(blocks);
    return block;
}

PlainLayers plain_layers(Vector bias, const std::vector<Kernel>& convs, const std::vector<Vector>& biases) {
    if (convs.size() != biases.size()) throw nb::value_error("each layer has a convolution and a bias");
    PlainLayers plain{{std::vector<float>(bias.shape(0), 1.0f), copied(bias), Activation::kRelu}, {}};
    for (std::size_t i = 0; i < convs.size(); ++i)
        plain.layers.push_back({conv_of(convs[i], Activation::kRelu), copied(biases[i]), Activation::kRelu});
    return plain;
}

void run(const Trunk& trunk, Stream stream, int threads) {
    if (stream.shape(1) != stream.shape(2) || stream.shape(3) != static_cast<std::size_t>(trunk.channels()))
        throw nb::value_error("the stream must be [count, size, size, channels]");
    nb::gil_scoped_release release;
    trunk.run(stream.data(), static_cast<int>(stream.shape(0)), static_cast<int>(stream.shape(1)), threads);
}

nb::ndarray<nb::numpy, float, nb::ndim<4>> run_sparse(const SparseConv& conv, Stream planes, Matrix bias, int threads) {
    const std::size_t count = planes.shape(0), size = planes.shape(2), channels = conv.channels();
    if (planes.shape(1) != static_cast<std::size_t>(conv.planes()) || planes.shape(3) != size)
        throw nb::value_error("planes must be [count, planes, size, size]");
    if (bias.shape(0) != count || bias.shape(1) != channels) throw nb::value_error("bias must be [count, channels]");
    auto out = std::make_unique<float[]>(count * size * size * channels);
    {
        nb::gil_scoped_release release;
        conv.run(planes.data(), bias.data(), out.get(), static_cast<int>(count), static_cast<int>(size), threads);
    }
    float* data = out.release();
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<float*>(p); });
    return {data, {count, size, size, channels}, owner};
}

}  // namespace

void bind_trunk(nb::module_& m) {
    nb::class_<TrunkBlock>(m, "TrunkBlock", "A block of a residual net, its convolutions in 16-bit integers.")
        .def_static("ordinary", ordinary, nb::arg("scale"), nb::arg("bias"), nb::arg("act"), nb::arg("conv1"),
                    nb::arg("bias2"), nb::arg("act2"), nb::arg("conv2"),
                    "conv2(act2(conv1(act(scale * x + bias)) + bias2)); kernels [ky, kx, in, out], 1x1 or 3x3.")
        .def_static("pooling", pooling, nb::arg("scale"), nb::arg("bias"), nb::arg("act"), nb::arg("conv1"),
                    nb::arg("pool_bias"), nb::arg("pool_act"), nb::arg("pool_matrix"), nb::arg("bias2"), nb::arg("act2"),
                    nb::arg("conv2"),
                    "As ordinary, but the last outputs of conv1, of which pool_bias tells how many, only give a bias for "
                    "the others: pool_matrix [3 * pooled, others] of their mean, mean * (size - 14) / 10 and maximum.")
        .def_static("nested", nested, nb::arg("scale"), nb::arg("bias"), nb::arg("act"), nb::arg("conv1"), nb::arg("blocks"),
                    nb::arg("scale2"), nb::arg("bias2"), nb::arg("act2"), nb::arg("conv2"),
                    "Blocks on the outputs of conv1, between it and conv2(act2(scale2 * x + bias2)).");
    nb::class_<SparseConv>(m, "SparseConv", "The first convolution of a net, which multiplies only what is not zero.")
        .def(
            "__init__",
            [](SparseConv* self, Kernel weight) {
                if (weight.shape(0) != weight.shape(1)) throw nb::value_error("a kernel must be square");
                new (self) SparseConv(weight.data(), static_cast<int>(weight.shape(0)), static_cast<int>(weight.shape(2)),
                                      static_cast<int>(weight.shape(3)));
            },
            nb::arg("weight"), "weight: float32 [ky, kx, planes, channels].")
        .def("run", run_sparse, nb::arg("planes"), nb::arg("bias"), nb::arg("threads") = 1,
             "float32 [count, size, size, channels] from planes [count, planes, size, size], bias [count, channels] added.");
    nb::class_<Trunk>(m, "Trunk", "The blocks of a residual net or the layers of a plain one, one after the other.")
        .def(
            "__init__",
            [](Trunk* self, int channels, const std::vector<TrunkBlock>& blocks) {
                new (self) Trunk(channels);
                for (const TrunkBlock& block : blocks) self->add(block);
            },
            nb::arg("channels"), nb::arg("blocks"))
        .def_static(
            "plain",
            [](Vector bias, const std::vector<Kernel>& convs, const std::vector<Vector>& biases) {
                return new Trunk(static_cast<int>(bias.shape(0)), plain_layers(bias, convs, biases));
            },
            nb::rv_policy::take_ownership, nb::arg("bias"), nb::arg("convs"), nb::arg("biases"),
            "Of a net without blocks: relu(x + bias) of the first convolution x, then relu(conv(z) + bias) for each layer.")
        .def_prop_ro("channels", &Trunk::channels)
        .def("run", run, nb::arg("stream"), nb::arg("threads") = 1,
             "Runs all of it over the stream float32 [count, size, size, channels], in place.");
}

}  // namespace tengen::bindings
