#include "planes.hpp"

#include "bindings.hpp"

namespace tengen::bindings {
namespace {

template <typename T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename T>
std::span<const T> span_of(const Column<T>& column) {
    return {column.data(), column.shape(0)};
}

using FloatArray = nb::ndarray<nb::numpy, float>;

// An array without initial values: every one of them is written.
FloatArray new_array(std::initializer_list<std::size_t> shape) {
    std::size_t length = 1;
    for (const std::size_t n : shape) length *= n;
    auto* data = new float[length];
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<float*>(p); });
    return FloatArray(data, shape, owner);
}

std::pair<FloatArray, FloatArray> new_batch(const Encoding& encoding, std::size_t count, int size) {
    const auto n = static_cast<std::size_t>(size);
    return {new_array({count, encoding.planes.size(), n, n}), new_array({count, encoding.globals.size()})};
}

std::vector<std::tuple<std::string, std::string>> table(const std::vector<Channel>& channels) {
    std::vector<std::tuple<std::string, std::string>> rows;
    for (const Channel& c : channels) rows.emplace_back(c.name, c.meaning);
    return rows;
}

}  // namespace

void bind_planes(nb::module_& m) {
    m.def(
        "encodings",
        [] {
            std::vector<std::string> names;
            for (const Encoding& e : encodings()) names.push_back(e.name);
            return names;
        },
        "The names of all encodings.");
    m.def(
        "encoding_tables",
        [](const std::string& name) {
            const Encoding& e = find_encoding(name);
            return std::make_tuple(e.source, table(e.planes), table(e.globals));
        },
        nb::arg("name"), "Source, planes and globals of an encoding; each channel is (name, meaning).");
    m.def(
        "encode_positions",
        [](const std::string& name, const std::vector<const Position*>& positions, Column<std::uint8_t> symmetries,
           int threads) {
            const Encoding& encoding = find_encoding(name);
            if (positions.empty()) throw std::invalid_argument("there is no position to encode");
            auto [planes, globals] = new_batch(encoding, positions.size(), positions[0]->size());
            {
                nb::gil_scoped_release release;
                encode_positions(encoding, positions, span_of(symmetries), threads, planes.data(), globals.data());
            }
            return std::make_tuple(planes, globals);
        },
        nb::arg("name"), nb::arg("positions"), nb::arg("symmetries"), nb::arg("threads"),
        "float32 [batch, planes, size, size] and [batch, globals].");
    m.def(
        "encode_records",
        [](const std::string& name, Column<std::uint8_t> sizes, Column<Packed> moves, Column<std::int64_t> move_offsets,
           Column<Packed> setup, Column<std::int64_t> setup_offsets, Column<float> komi,
           Column<std::uint8_t> first_to_move, Column<std::uint8_t> rules, const std::vector<Rules>& rules_table,
           Column<std::int64_t> games, Column<std::int32_t> move_numbers, Column<std::uint8_t> symmetries,
           int threads) {
            const Encoding& encoding = find_encoding(name);
            const Records records{span_of(sizes), span_of(moves), span_of(setup), span_of(move_offsets),
                                  span_of(setup_offsets), span_of(komi), span_of(first_to_move), span_of(rules),
                                  rules_table};
            if (games.shape(0) == 0) throw std::invalid_argument("there is no position to encode");
            const auto first = games.data()[0];
            if (first < 0 || static_cast<std::size_t>(first) >= records.count())
                throw std::invalid_argument("there is no game " + std::to_string(first) + " in the records");
            const int size = Geometry::of(records.sizes[static_cast<std::size_t>(first)]).size;
            auto [planes, globals] = new_batch(encoding, games.shape(0), size);
            std::vector<std::int32_t> targets(games.shape(0));
            {
                nb::gil_scoped_release release;
                encode_records(encoding, records, span_of(games), span_of(move_numbers), span_of(symmetries),
                               threads, planes.data(), globals.data(), targets.data());
            }
            return std::make_tuple(planes, globals, to_numpy(std::move(targets), games.shape(0)));
        },
        nb::arg("name"), nb::arg("sizes"), nb::arg("moves"), nb::arg("move_offsets"), nb::arg("setup"),
        nb::arg("setup_offsets"), nb::arg("komi"), nb::arg("first_to_move"), nb::arg("rules"), nb::arg("rules_table"), nb::arg("games"),
        nb::arg("move_numbers"), nb::arg("symmetries"), nb::arg("threads"),
        "Planes and globals as encode_positions, and int32 [batch]: the move played, after the symmetry.");
}

}  // namespace tengen::bindings
