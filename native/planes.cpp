#include "planes.hpp"

#include <algorithm>
#include <stdexcept>

#include "parallel.hpp"

namespace tengen {
namespace {

// Framed point -> row-major index after a symmetry, for every size and symmetry.
using Where = std::array<std::uint16_t, kMaxCells>;

const Where& where(const Geometry& geometry, int symmetry) {
    static const auto all = [] {
        std::vector<std::array<Where, kSymmetries>> tables(kMaxSize + 1);
        for (int size = kMinSize; size <= kMaxSize; ++size) {
            const Geometry& g = Geometry::of(size);
            for (int s = 0; s < kSymmetries; ++s)
                for (int i = 0; i < g.area; ++i)
                    tables[static_cast<std::size_t>(size)][static_cast<std::size_t>(s)]
                          [g.framed[static_cast<std::size_t>(i)]] =
                              static_cast<std::uint16_t>(transform(i, size, s));
        }
        return tables;
    }();
    return all[static_cast<std::size_t>(geometry.size)][static_cast<std::size_t>(symmetry)];
}

void check_symmetries(std::span<const std::uint8_t> symmetries, std::size_t count) {
    if (symmetries.size() != count) throw std::invalid_argument("there must be one symmetry for each position");
    for (const std::uint8_t s : symmetries)
        if (s >= kSymmetries) throw std::invalid_argument("a symmetry is a number from 0 to 7");
}

// The arrays that a batch is written to.
struct Output {
    const Encoding& encoding;
    float* planes;
    float* globals;

    void write(std::size_t k, const Position& position, int symmetry) const {
        const Geometry& g = position.board().geometry();
        const std::size_t length = encoding.planes.size() * static_cast<std::size_t>(g.area);
        float* first = planes + k * length;
        float* values = globals + k * encoding.globals.size();
        // Here and not in one go before: what is set next is then in the cache.
        std::fill_n(first, length, 0.0f);
        std::fill_n(values, encoding.globals.size(), 0.0f);
        encoding.write(position, Canvas(first, g, symmetry), values);
    }
};

// Replays records; going on within a game costs only the moves between.
class Player {
public:
    Player(const Records& records, int size) : records_(records), empty_(size, Rules{}), position_(empty_) {}

    const Position& at(std::size_t game, std::size_t move) {
        if (!started_ || game != game_ || move < position_.moves().size()) start(game);
        const auto begin = static_cast<std::size_t>(records_.move_offsets[game]);
        for (std::size_t i = position_.moves().size(); i < move; ++i) play(records_.moves[begin + i], i);
        return position_;
    }

private:
    void start(std::size_t game) {
        Rules rules = records_.rules_table[records_.rules[game]];
        rules.komi = records_.komi[game];
        position_ = empty_;  // its vectors keep their room
        position_.set_rules(rules);
        game_ = game;
        started_ = true;
        const auto begin = static_cast<std::size_t>(records_.setup_offsets[game]);
        const auto end = static_cast<std::size_t>(records_.setup_offsets[game + 1]);
        const auto stones = records_.setup.subspan(begin, end - begin);
        for (const Packed s : stones) check_point(s, "setup");
        const Color first = records_.first_to_move[game] == kWhite ? kWhite : kBlack;
        if (stones.empty())
            position_.set_to_move(first);
        else if (!position_.setup(stones, first))
            throw broken("the setup leaves a string without liberties");
    }

    void play(Packed m, std::size_t i) {
        const Geometry& g = position_.board().geometry();
        Point p = kPass;
        if (const int flat = packed_point(m); flat != g.area) {
            if (flat > g.area) throw broken("move " + std::to_string(i + 1) + " is not on the board");
            p = g.framed[static_cast<std::size_t>(flat)];
            if (!position_.board().empty(p)) throw broken("move " + std::to_string(i + 1) + " is played on a stone");
        }
        position_.play_unchecked(p, packed_color(m));
    }

    void check_point(Packed m, const char* where) const {
        if (packed_point(m) >= position_.board().geometry().area) throw broken(std::string(where) + " is not on the board");
    }

    std::invalid_argument broken(const std::string& what) const {
        return std::invalid_argument("game " + std::to_string(game_) + ": " + what);
    }

    const Records& records_;
    const Position empty_;
    Position position_;
    bool started_ = false;
    std::size_t game_ = 0;
};

}  // namespace

Canvas::Canvas(float* planes, const Geometry& geometry, int symmetry)
    : planes_(planes), area_(geometry.area), where_(where(geometry, symmetry).data()) {}

std::vector<Channel> channel_classes(const std::string& name, const std::string& meaning, int first, int last) {
    std::vector<Channel> channels;
    for (int i = first; i <= last; ++i)
        channels.push_back({name + " " + std::to_string(i), meaning});
    return channels;
}

std::vector<Channel> join_channels(std::initializer_list<std::vector<Channel>> parts) {
    std::vector<Channel> all;
    for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

std::span<const Encoding> encodings() {
    static const std::vector<Encoding> all = [] {
        std::vector<Encoding> list;
        for (const auto& part : {golois_encodings(), alphago_encodings(), katago_encodings()})
            list.insert(list.end(), part.begin(), part.end());
        return list;
    }();
    return all;
}

const Encoding& find_encoding(std::string_view name) {
    std::string known;
    for (const Encoding& e : encodings()) {
        if (e.name == name) return e;
        known += (known.empty() ? "" : ", ") + e.name;
    }
    throw std::invalid_argument("unknown encoding '" + std::string(name) + "': known are " + known);
}

void Records::check() const {
    const std::size_t n = count();
    if (move_offsets.size() != n + 1 || setup_offsets.size() != n + 1 || komi.size() != n ||
        first_to_move.size() != n || rules.size() != n)
        throw std::invalid_argument("the columns of the records are of different lengths");
}

void Records::check(std::int64_t game) const {
    if (game < 0 || static_cast<std::size_t>(game) >= count())
        throw std::invalid_argument("there is no game " + std::to_string(game) + " in the records");
    const auto check_offsets = [i = static_cast<std::size_t>(game)](std::span<const std::int64_t> offsets, std::size_t end) {
        if (offsets[i] < 0 || offsets[i] > offsets[i + 1])
            throw std::invalid_argument("the offsets of the records do not rise");
        if (static_cast<std::size_t>(offsets[i + 1]) > end)
            throw std::invalid_argument("the offsets of the records end beyond their moves or stones");
    };
    check_offsets(move_offsets, moves.size());
    check_offsets(setup_offsets, setup.size());
    if (rules[static_cast<std::size_t>(game)] >= rules_table.size())
        throw std::invalid_argument("the records name rules that are not in their table");
}

void encode_positions(const Encoding& encoding, std::span<const Position* const> positions,
                      std::span<const std::uint8_t> symmetries, int threads, float* planes, float* globals) {
    if (positions.empty()) throw std::invalid_argument("there is no position to encode");
    check_symmetries(symmetries, positions.size());
    for (const Position* p : positions)
        if (p->size() != positions[0]->size())
            throw std::invalid_argument("the positions of a batch must have one board size");
    const Output output{encoding, planes, globals};
    in_parallel(positions.size(), threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) output.write(k, *positions[k], symmetries[k]);
    });
}

void encode_records(const Encoding& encoding, const Records& records, std::span<const std::int64_t> games,
                    std::span<const std::int32_t> moves, std::span<const std::uint8_t> symmetries, int threads, int size,
                    float* planes, float* globals, std::int32_t* targets) {
    records.check();
    if (games.empty()) throw std::invalid_argument("there is no position to encode");
    check_symmetries(symmetries, games.size());
    if (moves.size() != games.size()) throw std::invalid_argument("there must be one move number for each game");
    const auto length = [&](std::size_t game) { return records.move_offsets[game + 1] - records.move_offsets[game]; };
    for (std::size_t k = 0; k < games.size(); ++k) {
        records.check(games[k]);
        const auto game = static_cast<std::size_t>(games[k]);
        if (moves[k] < 0 || moves[k] > length(game))
            throw std::invalid_argument("game " + std::to_string(games[k]) + " has no move " + std::to_string(moves[k]));
        if (records.sizes[game] != size)
            throw std::invalid_argument("the positions of a batch must have one board size");
    }
    const Output output{encoding, planes, globals};
    in_parallel(games.size(), threads, [&](std::size_t begin, std::size_t end) {
        Player player(records, size);
        for (std::size_t k = begin; k < end; ++k) {
            const auto game = static_cast<std::size_t>(games[k]);
            const auto move = static_cast<std::size_t>(moves[k]);
            const Position& position = player.at(game, move);
            output.write(k, position, symmetries[k]);
            targets[k] = -1;
            if (moves[k] == length(game)) continue;
            const int played = packed_point(records.moves[static_cast<std::size_t>(records.move_offsets[game]) + move]);
            targets[k] = played == size * size ? played : transform(played, size, symmetries[k]);
        }
    });
}

}  // namespace tengen
