#include "sgf.hpp"

#include <algorithm>
#include <cstring>

namespace tengen {

namespace {

constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_letter(char c) { return is_upper(c) || is_lower(c); }

constexpr std::size_t kLongestName = 64;  // sgfmill's bound; no known property has more than nine letters

std::string_view trim(std::string_view s) {
    while (!s.empty() && is_space(s.front())) s.remove_prefix(1);
    while (!s.empty() && is_space(s.back())) s.remove_suffix(1);
    return s;
}

// A board size as SZ has it: "19" or "19:19"; 0 if it is none we play on.
int parse_size(std::string_view s) {
    const auto number = [](std::string_view t) {
        t = trim(t);
        if (t.size() > 1 && t.front() == '+') t.remove_prefix(1);
        int n = 0;
        for (char c : t) {
            if (c < '0' || c > '9') return 0;
            n = std::min(n * 10 + (c - '0'), 10000);
        }
        return n;
    };
    const std::size_t colon = s.find(':');
    const int n = number(s.substr(0, colon));
    if (colon != s.npos && number(s.substr(colon + 1)) != n) return 0;
    return n >= kMinSize && n <= kMaxSize ? n : 0;
}

// "pd" to a row-major point; -1 if it is none of the board.
int parse_point(std::string_view s, int size) {
    if (s.size() != 2) s = trim(s);
    if (s.size() != 2) return -1;
    const int x = s[0] - 'a', y = s[1] - 'a';
    return x >= 0 && y >= 0 && x < size && y < size ? y * size + x : -1;
}

// The same for a move: "" and "tt" (which no board of 19 or less has) pass.
int parse_move(std::string_view s, int size) {
    if (const int p = parse_point(s, size); p >= 0) return p;
    s = trim(s);
    return s.empty() || s == "tt" ? size * size : -1;
}

// Where the ";" of a "(;" at `at` is, white space between allowed; npos if there is no "(;".
std::size_t tree_at(std::string_view data, std::size_t at) {
    if (at >= data.size() || data[at] != '(') return data.npos;
    do ++at;
    while (at < data.size() && is_space(data[at]));
    return at < data.size() && data[at] == ';' ? at : data.npos;
}

// Where the next "(;" is; npos if nowhere.
std::size_t find_start(std::string_view data, std::size_t at) {
    while ((at = data.find('(', at)) != data.npos && tree_at(data, at) == data.npos) ++at;
    return at;
}

// After broken text: the next line that starts a game for certain, for a variation must not pass for one.
std::size_t find_restart(std::string_view data, std::size_t at) {
    for (;;) {
        at = data.find('\n', at);
        if (at == data.npos) return data.size();
        const std::size_t node = tree_at(data, ++at);
        if (node == data.npos) continue;
        const std::string_view name = trim(data.substr(node + 1, 16));
        if (name.starts_with("GM[") || name.starts_with("FF[")) return at;
    }
}

// Whether the data starts with a node that belongs to no tree: its "(" is lost, and the first "(;" that
// follows would be a variation.
bool starts_with_node(std::string_view data) {
    if (data.starts_with("\xEF\xBB\xBF")) data.remove_prefix(3);
    data = trim(data.substr(0, 64));
    if (data.empty() || data[0] != ';') return false;
    data = trim(data.substr(1));
    return !data.empty() && is_letter(data[0]);
}

}  // namespace

// Walks the main line of one game tree and tells `Visitor` about it:
//   node(), value(name, raw), end_node()
// `Visitor::end_node` returns false to hear no more, as after a fault.
class SgfParser {
public:
    SgfParser(std::string_view data, std::size_t begin)
        : start_(data.data()), p_(start_ + begin), end_(start_ + data.size()) {}

    SgfFault fault() const { return fault_; }
    std::size_t at() const { return static_cast<std::size_t>(p_ - start_); }

    template <typename Visitor>
    void parse(Visitor& visitor) {
        ++p_;  // the "(" that find_start found
        std::size_t depth = 1;
        bool in_node = false, listening = true;
        const auto end_node = [&] {
            if (in_node && listening) listening = visitor.end_node();
            in_node = false;
        };
        for (;;) {
            if (p_ == end_) return fail(SgfFault::kCutShort);
            const char c = *p_;
            if (c == ';') {
                end_node();
                in_node = true;
                ++p_;
                if (listening) visitor.node();
            } else if (is_letter(c)) {
                if (!in_node) return fail(SgfFault::kSyntax);
                const char* name = p_;
                while (p_ != end_ && is_letter(*p_)) ++p_;
                const std::string_view written(name, static_cast<std::size_t>(p_ - name));
                if (written.size() > kLongestName) return fail(SgfFault::kSyntax);
                skip_space();
                if (p_ == end_) return fail(SgfFault::kCutShort);
                if (*p_ != '[') return fail(SgfFault::kSyntax);
                do {
                    std::string_view raw;
                    if (!value(raw)) return fail(SgfFault::kCutShort);
                    if (listening) visitor.value(written, raw);
                    skip_space();
                } while (p_ != end_ && *p_ == '[');
            } else if (is_space(c)) {
                ++p_;
            } else if (c == '(') {
                if (!in_node) return fail(SgfFault::kSyntax);  // a tree with no node
                end_node();
                ++depth;
                ++p_;
            } else if (c == ')') {
                // The first ")" ends the main line: whatever follows is a later variation.
                if (!in_node) return fail(SgfFault::kSyntax);
                end_node();
                return skip_variations(depth);
            } else {
                return fail(SgfFault::kSyntax);
            }
        }
    }

private:
    void fail(SgfFault fault) { fault_ = fault; }

    void skip_space() {
        while (p_ != end_ && is_space(*p_)) ++p_;
    }

    // At "[": the raw value, leaving p_ after "]"; false if the data ends first.
    bool value(std::string_view& raw) {
        const char* begin = ++p_;
        for (; p_ != end_; ++p_) {
            if (*p_ == ']') {
                raw = {begin, static_cast<std::size_t>(p_ - begin)};
                ++p_;
                return true;
            }
            if (*p_ == '\\' && ++p_ == end_) return false;
        }
        return false;
    }

    // At a ")" of the main line, with `depth` trees open: to the end of the game.
    void skip_variations(std::size_t depth) {
        std::string_view unused;
        while (p_ != end_) {
            switch (*p_) {
                case '[':
                    if (!value(unused)) return fail(SgfFault::kCutShort);
                    continue;
                case '(': ++depth; break;
                case ')':
                    if (--depth == 0) {
                        ++p_;
                        return;
                    }
                    break;
            }
            ++p_;
        }
        fail(SgfFault::kCutShort);
    }

    const char *start_, *p_, *end_;
    SgfFault fault_ = SgfFault::kNone;
};

namespace {

// Builds an SgfGame from what the parser tells. The root is read when it ends, for SZ may come last in it.
class GameBuilder {
public:
    GameBuilder(SgfGame& game, const char* start) : game_(game), start_(start) { stones_.fill(kEmpty); }

    void node() {
        moves_ = 0;
        has_setup_ = false;
        if (!in_root_) values_.clear();
    }

    void value(std::string_view name, std::string_view raw) {
        if (in_root_) {
            if (game_.root.size() < kMostRootValues)
                game_.root.push_back({name, raw});
            else if (game_.fault == SgfFault::kNone)
                fail(SgfFault::kManyValues, raw);
            return;
        }
        // The common case first: a move, two letters.
        if (name.size() == 1 && (name[0] == 'B' || name[0] == 'W')) {
            move(name[0] == 'B' ? kBlack : kWhite, raw);
        } else if (is_property(name, "B")) {
            move(kBlack, raw);
        } else if (is_property(name, "W")) {
            move(kWhite, raw);
        } else {
            setup_value(name, raw);
        }
    }

    bool end_node() {
        if (in_root_) {
            in_root_ = false;
            if (game_.fault != SgfFault::kNone || !root()) return false;
        }
        if (has_setup_ && game_.fault == SgfFault::kNone) apply_setup();
        if (moves_ > 0 && game_.fault == SgfFault::kNone) apply_move();
        return game_.fault == SgfFault::kNone;
    }

    void finish() {
        const int area = game_.size * game_.size;
        bool white = false;
        for (int i = 0; i < area; ++i) {
            const Color c = stones_[static_cast<std::size_t>(i)];
            if (c == kEmpty) continue;
            white |= c == kWhite;
            game_.setup.push_back(pack(i, c));
        }
        if (game_.has_first_to_move) return;
        if (!game_.moves.empty())
            game_.first_to_move = packed_color(game_.moves.front());
        else
            game_.first_to_move = !game_.setup.empty() && !white ? kWhite : kBlack;
    }

private:
    bool root() {
        std::vector<SgfValue>& root = game_.root;
        if (const std::string_view gm = trim(game_.find("GM")); !gm.empty() && gm != "1")
            return fail(SgfFault::kNotGo, gm);
        const auto sz = std::find_if(root.begin(), root.end(),
                                     [](const SgfValue& v) { return is_property(v.name, "SZ"); });
        if (sz != root.end()) {
            game_.size = parse_size(sz->value);
            if (game_.size == 0) {
                game_.size = kMaxSize;
                return fail(SgfFault::kBadSize, sz->value);
            }
        }
        for (const SgfValue& v : root) value(v.name, v.value);
        return true;
    }

    void move(Color c, std::string_view raw) {
        ++moves_;
        color_ = c;
        move_ = raw;
    }

    void setup_value(std::string_view name, std::string_view raw) {
        if (is_property(name, "PL")) {
            if (!game_.moves.empty()) return;  // the colours of moves are written anyway
            const std::string_view who = trim(raw);
            if (who.empty()) return;
            const char letter = static_cast<char>(who[0] | 32);
            if (letter != 'b' && letter != 'w' && who[0] != '1' && who[0] != '2') return;
            game_.has_first_to_move = true;
            game_.first_to_move = letter == 'b' || who[0] == '1' ? kBlack : kWhite;
            return;
        }
        if (name.size() < 2 || name[0] != 'A' || trim(raw).empty()) return;
        if (is_property(name, "AB"))
            values_.push_back({kBlack, raw});
        else if (is_property(name, "AW"))
            values_.push_back({kWhite, raw});
        else if (is_property(name, "AE"))
            values_.push_back({kEmpty, raw});
        else
            return;
        has_setup_ = true;
    }

    void apply_setup() {
        if (!game_.moves.empty()) {
            fail(SgfFault::kLateSetup, values_.front().raw);
            return;
        }
        // Black, then White, then empty, in whatever order they are written.
        for (const Color c : {kBlack, kWhite, kEmpty})
            for (const SetupValue& v : values_)
                if (v.color == c && !put(v.raw, c)) {
                    fail(SgfFault::kBadSetup, v.raw);
                    return;
                }
        values_.clear();
    }

    // "dd", or the rectangle "aa:cc" from its top left to its bottom right.
    bool put(std::string_view raw, Color c) {
        const std::size_t colon = raw.find(':');
        const int first = parse_point(raw.substr(0, colon), game_.size);
        const int last = colon == raw.npos ? first : parse_point(raw.substr(colon + 1), game_.size);
        if (first < 0 || last < 0) return false;
        const int size = game_.size;
        if (first % size > last % size || first / size > last / size) return false;
        for (int y = first / size; y <= last / size; ++y)
            for (int x = first % size; x <= last % size; ++x)
                stones_[static_cast<std::size_t>(y * size + x)] = c;
        return true;
    }

    void apply_move() {
        const int p = moves_ == 1 ? parse_move(move_, game_.size) : 0;
        if (moves_ > 1)
            fail(SgfFault::kSeveralMoves, move_);
        else if (p < 0)
            fail(SgfFault::kOffBoard, move_);
        else
            game_.moves.push_back(pack(p, color_));
    }

    bool fail(SgfFault fault, std::string_view where) {
        game_.fault = fault;
        game_.fault_at = static_cast<std::size_t>(where.data() - start_);
        game_.fault_move = static_cast<int>(game_.moves.size()) + (moves_ > 0);
        return false;
    }

    struct SetupValue {
        Color color;
        std::string_view raw;
    };

    SgfGame& game_;
    const char* start_;
    bool in_root_ = true;
    bool has_setup_ = false;
    int moves_ = 0;  // in this node
    Color color_ = kBlack;
    std::string_view move_;
    std::vector<SetupValue> values_;
    std::array<Color, kMaxArea> stones_;
};

// Why c may not play p after `last` played; kNone for what only Board::is_legal refuses: suicide of several
// stones, and filling a ko by the side that took it.
SgfFault refusal(const Board& board, Point p, Color c, Color last) {
    if (!board.empty(p)) return SgfFault::kOccupied;
    if (p == board.ko() && c != last) return SgfFault::kKo;
    return board.is_single_suicide(p, c) ? SgfFault::kSuicide : SgfFault::kNone;
}

}  // namespace

const char* describe(SgfFault f) {
    switch (f) {
        case SgfFault::kNone: return "no fault";
        case SgfFault::kNoGame: return "no game found";
        case SgfFault::kCutShort: return "ends inside the game";
        case SgfFault::kSyntax: return "not SGF";
        case SgfFault::kNotGo: return "not a game of Go";
        case SgfFault::kBadSize: return "board size";
        case SgfFault::kBadSetup: return "setup off the board";
        case SgfFault::kDeadSetup: return "setup without liberties";
        case SgfFault::kLateSetup: return "setup after the first move";
        case SgfFault::kSeveralMoves: return "several moves in a node";
        case SgfFault::kManyValues: return "too many values in the root";
        case SgfFault::kOffBoard: return describe(Refusal::kOffBoard);
        case SgfFault::kOccupied: return describe(Refusal::kOccupied);
        case SgfFault::kSuicide: return describe(Refusal::kSuicide);
        case SgfFault::kKo: return describe(Refusal::kKo);
    }
    return "?";
}

bool is_property(std::string_view written, std::string_view name) {
    if (written.size() <= name.size()) {  // by hand: names are one or two letters
        if (written.size() != name.size()) return false;
        for (std::size_t i = 0; i < name.size(); ++i)
            if (written[i] != name[i]) return false;
        return true;
    }
    std::size_t n = 0;
    for (const char c : written) {
        if (is_lower(c)) continue;
        if (n == name.size() || c != name[n]) return false;
        ++n;
    }
    return n == name.size();
}

void unescape(std::string_view raw, bool lines, std::string& out) {
    out.clear();
    for (std::size_t i = 0; i < raw.size(); ++i) {
        char c = raw[i];
        const bool escaped = c == '\\';
        if (escaped) {
            if (++i == raw.size()) break;
            c = raw[i];
        }
        if (c == '\n' || c == '\r') {
            // LF, CR, and each of them followed by the other, are one line break.
            if (i + 1 < raw.size() && (raw[i + 1] == '\n' || raw[i + 1] == '\r') && raw[i + 1] != c) ++i;
            if (!escaped) out += lines ? '\n' : ' ';
        } else {
            out += c == '\t' || c == '\v' || c == '\f' ? ' ' : c;
        }
    }
}

std::string_view SgfGame::find(std::string_view name) const {
    for (const SgfValue& v : root)
        if (is_property(v.name, name)) return v.value;
    return {};
}

void check_moves(SgfGame& game) {
    Board board(game.size);
    const Geometry& g = board.geometry();
    for (const Packed s : game.setup)
        board.put(g.framed[static_cast<std::size_t>(packed_point(s))], packed_color(s));
    if (!game.setup.empty() && board.has_dead_string()) {
        game.fault = SgfFault::kDeadSetup;
        return;
    }
    bool white_played = false;
    Color last = kEmpty;
    for (std::size_t i = 0; i < game.moves.size(); ++i) {
        const Point p = g.from_flat(packed_point(game.moves[i]));
        const Color c = packed_color(game.moves[i]);
        const int number = static_cast<int>(i) + 1;
        if (p != kPass && !board.is_legal(p, c)) {
            const SgfFault fault = refusal(board, p, c, last);
            if (fault != SgfFault::kNone) {
                game.fault = fault;
                game.fault_move = number;
                return;
            }
            if (p != board.ko() && game.suicide == 0) game.suicide = number;
        }
        if (white_played && c == last && game.out_of_turn == 0) game.out_of_turn = number;
        white_played |= c == kWhite;
        last = c;
        board.play(p, c);
    }
}

bool SgfReader::next(SgfGame& game) {
    const bool headless = at_ == 0 && starts_with_node(data_);
    if (!headless) at_ = find_start(data_, at_);
    if (at_ == data_.npos) {
        at_ = data_.size();
        return false;
    }
    game.begin = at_;
    game.size = kMaxSize;
    game.first_to_move = kBlack;
    game.has_first_to_move = false;
    game.setup.clear();
    game.moves.clear();
    game.root.clear();
    game.fault = SgfFault::kNone;
    game.fault_at = at_;
    game.fault_move = 0;
    game.suicide = 0;
    game.out_of_turn = 0;
    if (headless) {
        game.fault = SgfFault::kSyntax;
        game.end = at_ = find_restart(data_, at_);
        return true;
    }

    SgfParser parser(data_, at_);
    GameBuilder builder(game, data_.data());
    parser.parse(builder);
    builder.finish();
    game.end = parser.at();
    at_ = game.end;
    if (parser.fault() != SgfFault::kNone) {
        game.fault = parser.fault();
        game.fault_at = game.end;
        game.fault_move = static_cast<int>(game.moves.size());
        // The next game may stand inside what was taken for this one, if this one was cut short. Looking
        // there again is bounded, or a file of openings without ends would take quadratic time.
        const std::size_t looked = game.end - game.begin;
        at_ = find_restart(data_, looked <= patience_ ? game.begin : game.end);
        patience_ -= std::min(looked, patience_);
    }
    return true;
}

SgfFault read_main_line(std::string_view data, std::vector<SgfNode>& nodes) {
    struct Collector {
        std::vector<SgfNode>& nodes;
        void node() { nodes.emplace_back(); }
        void value(std::string_view name, std::string_view raw) { nodes.back().values.push_back({name, raw}); }
        bool end_node() { return true; }
    };
    const std::size_t begin = find_start(data, 0);
    if (begin == data.npos) return SgfFault::kNoGame;
    SgfParser parser(data, begin);
    Collector collector{nodes};
    parser.parse(collector);
    return parser.fault();
}

}  // namespace tengen
