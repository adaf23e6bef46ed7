#include "planes.hpp"

#include "bindings.hpp"

namespace tengen::bindings {
namespace {

template <typename T, std::size_t N>
using Result = nb::ndarray<T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;

void check_shapes(const Encoding& encoding, std::size_t count, int size, const Result<float, 4>& planes,
                  const Result<float, 2>& globals) {
    const auto n = static_cast<std::size_t>(size);
    if (planes.shape(0) != count || planes.shape(1) != encoding.planes.size() || planes.shape(2) != n ||
        planes.shape(3) != n || globals.shape(0) != count || globals.shape(1) != encoding.globals.size())
        throw std::invalid_argument("the arrays to write to do not have the shape of the batch");
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
           int threads, Result<float, 4> planes, Result<float, 2> globals) {
            const Encoding& encoding = find_encoding(name);
            check_shapes(encoding, positions.size(), positions.empty() ? 0 : positions[0]->size(), planes, globals);
            nb::gil_scoped_release release;
            encode_positions(encoding, positions, span_of(symmetries), threads, planes.data(), globals.data());
        },
        nb::arg("name"), nb::arg("positions"), nb::arg("symmetries"), nb::arg("threads"), nb::arg("planes"),
        nb::arg("globals"), "Writes to planes [batch, planes, size, size] and globals [batch, globals].");
    m.def(
        "encode_records",
        [](const std::string& name, Column<std::uint8_t> sizes, Column<Packed> moves, Column<std::int64_t> move_offsets,
           Column<Packed> setup, Column<std::int64_t> setup_offsets, Column<float> komi,
           Column<std::uint8_t> first_to_move, Column<std::uint8_t> rules, const std::vector<Rules>& rules_table,
           Column<std::int64_t> games, Column<std::int32_t> move_numbers, Column<std::uint8_t> symmetries, int threads,
           Result<float, 4> planes, Result<float, 2> globals, Result<std::int32_t, 1> targets) {
            const Encoding& encoding = find_encoding(name);
            const Records records{span_of(sizes), span_of(moves), span_of(setup), span_of(move_offsets),
                                  span_of(setup_offsets), span_of(komi), span_of(first_to_move), span_of(rules),
                                  rules_table};
            check_shapes(encoding, games.shape(0), static_cast<int>(planes.shape(2)), planes, globals);
            if (targets.shape(0) != games.shape(0))
                throw std::invalid_argument("the arrays to write to do not have the shape of the batch");
            nb::gil_scoped_release release;
            encode_records(encoding, records, span_of(games), span_of(move_numbers), span_of(symmetries), threads,
                           static_cast<int>(planes.shape(2)), planes.data(), globals.data(), targets.data());
        },
        nb::arg("name"), nb::arg("sizes"), nb::arg("moves"), nb::arg("move_offsets"), nb::arg("setup"),
        nb::arg("setup_offsets"), nb::arg("komi"), nb::arg("first_to_move"), nb::arg("rules"), nb::arg("rules_table"),
        nb::arg("games"), nb::arg("move_numbers"), nb::arg("symmetries"), nb::arg("threads"), nb::arg("planes"),
        nb::arg("globals"), nb::arg("targets"),
        "Writes planes and globals as encode_positions, and targets [batch]: the moves played, after the symmetry.");
}

}  // namespace tengen::bindings
