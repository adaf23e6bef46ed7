// What nets see: named sets of input planes, and batches of them written by several threads.
//
// All planes are the view of the side to move: "friend" is the side to move, "enemy" the other. Arrays are
// float32, [batch, plane, row, column], the top row first, each position seen through a symmetry of its own.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "position.hpp"

namespace tengen {

// The planes of one position, all zero at first, seen through a symmetry.
class Canvas {
public:
    Canvas(float* planes, const Geometry& geometry, int symmetry);

    void set(int plane, Point p, float value = 1) { planes_[plane * area_ + where_[p]] = value; }
    void fill(int plane, float value = 1) {
        float* first = planes_ + plane * area_;
        for (int i = 0; i < area_; ++i) first[i] = value;
    }

private:
    float* planes_;
    int area_;
    const std::uint16_t* where_;  // framed point -> index in a plane
};

struct Channel {
    std::string name;
    std::string meaning;
};

// Channels named for a number from `first` to `last`, which stands for more as well.
std::vector<Channel> channel_classes(const std::string& name, const std::string& meaning, int first, int last);
std::vector<Channel> join_channels(std::initializer_list<std::vector<Channel>> parts);

struct Encoding {
    std::string name;
    std::string source;
    std::vector<Channel> planes;
    std::vector<Channel> globals;  // values of the whole position, beside the planes
    // Writes one position; `globals` has a place for each of them, zero at first.
    void (*write)(const Position& position, Canvas canvas, float* globals);
};

// Every encoding; each is declared by the file that writes it.
std::span<const Encoding> encodings();
// The one of that name; throws std::invalid_argument, naming those there are.
const Encoding& find_encoding(std::string_view name);

std::vector<Encoding> golois_encodings();
std::vector<Encoding> alphago_encodings();
std::vector<Encoding> katago_encodings();

// Games as pools keep them, one flat array a column; game i has moves[move_offsets[i] .. move_offsets[i+1]).
struct Records {
    std::span<const std::uint8_t> sizes;
    std::span<const Packed> moves, setup;
    std::span<const std::int64_t> move_offsets, setup_offsets;
    std::span<const float> komi;
    std::span<const std::uint8_t> first_to_move;
    std::span<const std::uint8_t> rules;  // index into rules_table, whose komi does not count
    std::vector<Rules> rules_table;

    std::size_t count() const { return sizes.size(); }
    // Throws std::invalid_argument if the columns are of different lengths.
    void check() const;
    // Throws std::invalid_argument if there is no such game, or its offsets do not rise or its rules are missing.
    void check(std::int64_t game) const;
};

// Writes positions.size() times the encoding's planes to `planes` and its globals to `globals`. All positions
// have one size. Throws std::invalid_argument for a wrong symmetry or size.
void encode_positions(const Encoding& encoding, std::span<const Position* const> positions,
                      std::span<const std::uint8_t> symmetries, int threads, float* planes, float* globals);

// The same for positions of records, on boards of this size: example k is game games[k] after its first moves[k] moves. targets[k] is the move that was played there, as an index after the symmetry (pass is
// size*size), or -1 at the end of the record. Throws std::invalid_argument for what is not in the records, and
// for a record that plays on a stone.
void encode_records(const Encoding& encoding, const Records& records, std::span<const std::int64_t> games,
                    std::span<const std::int32_t> moves, std::span<const std::uint8_t> symmetries, int threads, int size,
                    float* planes, float* globals, std::int32_t* targets);

}  // namespace tengen
