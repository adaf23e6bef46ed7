// The SGF reader on arbitrary bytes, under the address and undefined-behaviour sanitizers.
// With libFuzzer it is a target; without, main() mutates the files it is given for a number of seconds.
// See scripts/fuzz-sgf.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "sgf.hpp"

using namespace tengen;

namespace {

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "does not hold: %s\n", what);
    std::abort();
}

void check(const SgfBatch& batch) {
    for (std::size_t i = 0; i < batch.count(); ++i) {
        const int area = batch.size[i] * batch.size[i];
        for (auto k = batch.move_offsets[i]; k < batch.move_offsets[i + 1]; ++k)
            require(packed_point(batch.moves[static_cast<std::size_t>(k)]) <= area, "moves are on the board");
        for (auto k = batch.setup_offsets[i]; k < batch.setup_offsets[i + 1]; ++k)
            require(packed_point(batch.setup[static_cast<std::size_t>(k)]) < area, "stones are on the board");
        require(batch.line[i] >= 1 && batch.fault_move[i] >= 0, "places are places");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    // A copy of exactly that size, so that reading past its end is seen.
    const std::vector<char> copy(bytes, bytes + size);
    const std::string_view data(copy.data(), copy.size());
    const std::int64_t whole[] = {0, static_cast<std::int64_t>(size)};
    const SgfBatch one = read_sgf(data, whole, 1);
    check(one);
    const SgfBatch lines = read_sgf(data, line_bounds(data), 1);
    check(lines);
    const SgfBatch threaded = read_sgf(data, line_bounds(data), 2);
    require(lines.moves == threaded.moves && lines.fault == threaded.fault, "threads change nothing");

    SgfReader reader(data);
    SgfGame game;
    std::string text;
    std::size_t end = 0;
    while (reader.next(game)) {
        require(game.begin >= end || game.fault != SgfFault::kNone, "games follow each other");
        require(game.end <= size && game.fault_at <= size, "games are in the data");
        end = game.begin;
        for (const SgfValue& v : game.root) {
            unescape(v.value, true, text);
            require(text.size() <= v.value.size(), "unescaping only shortens");
        }
    }
    std::vector<SgfNode> nodes;
    read_main_line(data, nodes);
    return 0;
}

#ifndef TENGEN_LIBFUZZER
int main(int argc, char** argv) {
    if (argc < 3) return std::fprintf(stderr, "usage: fuzz_sgf SECONDS FILE...\n"), 2;
    std::vector<std::string> corpus;
    for (int i = 2; i < argc; ++i) {
        std::ifstream file(argv[i], std::ios::binary);
        corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    const std::vector<std::string> tokens{"(;", ")", "(", ";", "[", "]", "\\", "B[", "W[", "SZ[", "AB[", "AE[",
                                          "PL[", "GM[", ":", "tt", "aa", "\n", "\r", "\n(;GM[1]", "\xEF\xBB\xBF"};
    std::mt19937_64 rng(std::random_device{}());
    const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(rng() % (n ? n : 1)); };
    const auto stop = std::chrono::steady_clock::now() + std::chrono::seconds(std::atoi(argv[1]));
    std::size_t runs = 0;
    for (; std::chrono::steady_clock::now() < stop; ++runs) {
        std::string data = corpus[pick(corpus.size())];
        for (std::size_t n = 1 + pick(8); n > 0; --n) {
            const std::size_t at = pick(data.size() + 1);
            switch (pick(6)) {
                case 0: data.insert(at, tokens[pick(tokens.size())]); break;
                case 1: data.erase(at, 1 + pick(8)); break;
                case 2: data.insert(at, data.substr(pick(data.size()), pick(64))); break;
                case 3: data.insert(at, corpus[pick(corpus.size())]); break;
                case 4: data.resize(at); break;
                default:
                    if (at < data.size()) data[at] = static_cast<char>(rng());
            }
        }
        if (data.size() < 100'000)
            LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(data.data()), data.size());
    }
    std::printf("%zu inputs, nothing found\n", runs);
}
#endif
