// Many games at once: on several threads, into columns.
#include <algorithm>
#include <atomic>
#include <deque>
#include <thread>
#include <unordered_map>

#include "sgf.hpp"

namespace tengen {

namespace {

constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// The simple text of a root property, trimmed; its values, where it has several, joined by "; ".
void root_text(const SgfGame& game, std::string_view name, std::string& out) {
    thread_local std::string part;
    out.clear();
    bool first = true;
    for (const SgfValue& v : game.root) {
        if (!is_property(v.name, name)) continue;
        unescape(v.value, false, part);
        std::size_t begin = 0, end = part.size();
        while (begin < end && is_space(part[begin])) ++begin;
        while (end > begin && is_space(part[end - 1])) --end;
        if (!first) out += "; ";
        out.append(part, begin, end - begin);
        first = false;
    }
}

// Two lanes of multiply and rotate over 64-bit words, each finished by splitmix64. The same on every
// machine and in every version: pools store what it gives.
class Hasher {
public:
    void word(std::uint64_t w) {
        a_ = rotate(a_ ^ w * 0x9E3779B97F4A7C15u, 29) * 0xBF58476D1CE4E5B9u;
        b_ = (rotate(b_, 31) + w) * 0xD6E8FEB86659FD93u;
    }
    void text(std::string_view s) {
        word(s.size());
        for (std::size_t i = 0; i < s.size(); i += 8) {
            std::uint64_t w = 0;
            for (std::size_t j = i; j < std::min(i + 8, s.size()); ++j)
                w |= static_cast<std::uint64_t>(static_cast<unsigned char>(s[j])) << (8 * (j - i));
            word(w);
        }
    }
    void packed(std::span<const Packed> moves) {
        word(moves.size());
        std::size_t i = 0;
        for (; i + 4 <= moves.size(); i += 4)
            word(moves[i] | static_cast<std::uint64_t>(moves[i + 1]) << 16 |
                 static_cast<std::uint64_t>(moves[i + 2]) << 32 | static_cast<std::uint64_t>(moves[i + 3]) << 48);
        for (; i < moves.size(); ++i) word(moves[i]);
    }
    GameId id() const { return {finish(a_ ^ rotate(b_, 17)), finish(b_ + 0x9E3779B97F4A7C15u)}; }

private:
    static std::uint64_t rotate(std::uint64_t x, int n) { return x << n | x >> (64 - n); }
    static std::uint64_t finish(std::uint64_t z) {
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
        z = (z ^ z >> 27) * 0x94D049BB133111EBu;
        return z ^ z >> 31;
    }
    std::uint64_t a_ = 0x6A09E667F3BCC908u, b_ = 0xBB67AE8584CAA73Bu;
};

// One thread's share: a batch whose text columns are still being numbered.
class Share {
public:
    void add(const SgfGame& game, std::size_t entry, std::int32_t line) {
        batch.entry.push_back(static_cast<std::int32_t>(entry));
        batch.line.push_back(line);
        batch.fault.push_back(static_cast<std::uint8_t>(game.fault));
        batch.fault_move.push_back(game.fault_move);
        batch.suicide.push_back(game.suicide);
        batch.out_of_turn.push_back(game.out_of_turn);
        batch.size.push_back(static_cast<std::uint8_t>(game.size));
        batch.first_to_move.push_back(game.first_to_move);
        if (game.fault == SgfFault::kNone) {
            batch.moves.insert(batch.moves.end(), game.moves.begin(), game.moves.end());
            batch.setup.insert(batch.setup.end(), game.setup.begin(), game.setup.end());
        }
        batch.move_offsets.push_back(static_cast<std::int64_t>(batch.moves.size()));
        batch.setup_offsets.push_back(static_cast<std::int64_t>(batch.setup.size()));
        batch.ids.push_back(game.fault == SgfFault::kNone ? game_id(game) : GameId{0, 0});
        for (std::size_t k = 0; k < kTextProperties.size(); ++k) {
            root_text(game, kTextProperties[k], text_);
            const auto [it, is_new] =
                numbers_[k].try_emplace(text_, static_cast<std::int32_t>(numbers_[k].size()));
            if (is_new) batch.texts[k].texts.push_back(text_);
            batch.texts[k].codes.push_back(it->second);
        }
    }

    SgfBatch batch;

private:
    std::string text_;
    std::array<std::unordered_map<std::string, std::int32_t>, kTextProperties.size()> numbers_;
};

void read_entry(std::string_view text, std::size_t entry, SgfGame& game, Share& share) {
    SgfReader reader(text);
    std::size_t counted = 0, games = 0;
    std::int32_t line = 1;
    while (reader.next(game)) {
        line += static_cast<std::int32_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(counted),
                                                     text.begin() + static_cast<std::ptrdiff_t>(game.begin), '\n'));
        counted = game.begin;
        if (game.fault == SgfFault::kNone) check_moves(game);
        share.add(game, entry, line);
        ++games;
    }
    if (games > 0 || std::all_of(text.begin(), text.end(), is_space)) return;
    game = SgfGame{};
    game.fault = SgfFault::kNoGame;
    share.add(game, entry, 1);
}

template <typename T>
void append(std::vector<T>& to, const std::vector<T>& from) {
    to.insert(to.end(), from.begin(), from.end());
}

void append_offsets(std::vector<std::int64_t>& to, const std::vector<std::int64_t>& from) {
    const std::int64_t base = to.back();
    for (std::size_t i = 1; i < from.size(); ++i) to.push_back(base + from[i]);
}

// Joins the shares in order; texts are numbered as they first appear.
SgfBatch join(std::vector<Share>& shares) {
    if (shares.size() == 1) return std::move(shares.front().batch);
    SgfBatch all;
    std::array<std::unordered_map<std::string, std::int32_t>, kTextProperties.size()> numbers;
    for (Share& share : shares) {
        SgfBatch& b = share.batch;
        append(all.entry, b.entry);
        append(all.line, b.line);
        append(all.fault, b.fault);
        append(all.fault_move, b.fault_move);
        append(all.suicide, b.suicide);
        append(all.out_of_turn, b.out_of_turn);
        append(all.size, b.size);
        append(all.first_to_move, b.first_to_move);
        append(all.moves, b.moves);
        append(all.setup, b.setup);
        append(all.ids, b.ids);
        append_offsets(all.move_offsets, b.move_offsets);
        append_offsets(all.setup_offsets, b.setup_offsets);
        for (std::size_t k = 0; k < kTextProperties.size(); ++k) {
            std::vector<std::int32_t> renumbered;
            for (std::string& text : b.texts[k].texts) {
                const auto [it, is_new] =
                    numbers[k].try_emplace(text, static_cast<std::int32_t>(numbers[k].size()));
                if (is_new) all.texts[k].texts.push_back(std::move(text));
                renumbered.push_back(it->second);
            }
            for (const std::int32_t code : b.texts[k].codes)
                all.texts[k].codes.push_back(renumbered[static_cast<std::size_t>(code)]);
        }
        b = SgfBatch{};
    }
    return all;
}

}  // namespace

GameId game_id(const SgfGame& game) {
    thread_local std::string text;
    Hasher hasher;
    hasher.word(static_cast<std::uint64_t>(game.size) << 8 | game.first_to_move);
    hasher.packed(game.setup);
    hasher.packed(game.moves);
    for (const char* name : {"PB", "PW"}) {
        root_text(game, name, text);
        hasher.text(text);
    }
    if (game.moves.size() < kShortGame)
        for (const char* name : {"DT", "RE"}) {
            root_text(game, name, text);
            hasher.text(text);
        }
    return hasher.id();
}

std::vector<std::int64_t> line_bounds(std::string_view data) {
    std::vector<std::int64_t> bounds{0};
    std::size_t at = 0;
    while (at < data.size()) {
        const std::size_t end = data.find('\n', at);
        at = end == data.npos ? data.size() : end + 1;
        bounds.push_back(static_cast<std::int64_t>(at));
    }
    return bounds;
}

SgfBatch read_sgf(std::string_view data, std::span<const std::int64_t> bounds, int threads) {
    const std::size_t entries = bounds.empty() ? 0 : bounds.size() - 1;
    // More shares than threads, so that no thread waits long for another; their number must not depend on
    // `threads` only for the order of work, since join() makes the same batch of any division.
    const std::size_t wanted = threads <= 1 ? 1 : static_cast<std::size_t>(threads) * 4;
    std::vector<std::size_t> cuts{0};
    for (std::size_t k = 1; k < wanted; ++k) {
        const auto target = static_cast<std::int64_t>(data.size() * k / wanted);
        const auto at = static_cast<std::size_t>(std::lower_bound(bounds.begin(), bounds.end(), target) - bounds.begin());
        cuts.push_back(std::clamp(at, cuts.back(), entries));
    }
    cuts.push_back(entries);

    std::vector<Share> shares(cuts.size() - 1);
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        SgfGame game;
        for (std::size_t k; (k = next++) < shares.size();)
            for (std::size_t i = cuts[k]; i < cuts[k + 1]; ++i)
                read_entry(data.substr(static_cast<std::size_t>(bounds[i]),
                                       static_cast<std::size_t>(bounds[i + 1] - bounds[i])),
                           i, game, shares[k]);
    };
    std::vector<std::thread> helpers;
    for (int t = 1; t < threads; ++t) helpers.emplace_back(work);
    work();
    for (std::thread& helper : helpers) helper.join();
    return join(shares);
}

}  // namespace tengen
