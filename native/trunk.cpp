#include "trunk.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include "parallel.hpp"
#include "team.hpp"

namespace tengen {

namespace {

// What blocks at one depth of nesting need besides the stream; shared by a team.
struct Buffers {
    std::vector<float> in, middle, out;
    std::vector<float> pooled;  // [count][3 * pooled]
};

// What a member of a team has for itself.
struct Member {
    IntegerConv::Workspace workspace;
    std::vector<float> greatest;  // [count], over all parts of a step
    std::vector<float> heard;
};

void make_room(std::vector<float>& buffer, std::size_t size) {
    if (buffer.size() < size) buffer.resize(size);
}

int steps_of(const std::vector<TrunkBlock>& blocks) {
    int steps = 0;
    for (const TrunkBlock& block : blocks) steps += 2 + (block.pooled ? 2 : 0) + steps_of(block.blocks);
    return steps;
}

}  // namespace

// Takes some boards through all blocks or layers, with as many threads as its team has members. A part of a step takes its share of
// the tiles through a convolution and what follows it. The next step reads tiles of other parts at the borders, and scales
// by the greatest value of each board.
struct Trunk::Worker {
    std::deque<Buffers> levels;
    std::vector<Member> members;
    std::vector<float> greatest;  // [steps][members][stride]: of each board, what each part of a step found
    std::ptrdiff_t stride = 0;    // parts are written side by side, so each has cache lines of its own
    std::unique_ptr<Team> team;
    int count = 0, size = 0;

    // Where a member is.
    struct Turn {
        int member, step = 0;
    };

    int points() const { return size * size; }

    // Makes room before the team begins: memory that runs out within a step would leave the others waiting.
    void prepare(const Parts& parts, int boards, int board_size, int threads) {
        const int steps = 1 + steps_of(parts.blocks) + static_cast<int>(parts.plain.layers.size());
        count = boards, size = board_size;
        stride = (count + 31) / 16 * 16;
        team = std::make_unique<Team>(threads, steps);
        if (members.size() < static_cast<std::size_t>(threads)) members.resize(threads);
        for (Member& member : members) make_room(member.greatest, count);
        make_room(greatest, static_cast<std::size_t>(steps) * threads * stride);
        prepare(parts.plain);
        prepare(parts.blocks, 0);
    }

    void prepare(const PlainLayers& plain) {
        levels.resize(std::max<std::size_t>(levels.size(), 1));
        for (const PlainLayer& layer : plain.layers) {
            const std::size_t all = static_cast<std::size_t>(count) * points() * layer.conv.outputs();
            for (std::vector<float>* buffer : {&levels[0].in, &levels[0].middle}) make_room(*buffer, all);
            for (Member& member : members) layer.conv.make_room(member.workspace);
        }
    }

    void prepare(const std::vector<TrunkBlock>& blocks, std::size_t level) {
        if (levels.size() <= level) levels.resize(level + 1);
        Buffers& b = levels[level];
        const std::size_t all = static_cast<std::size_t>(count) * points();
        for (const TrunkBlock& block : blocks) {
            make_room(b.in, all * block.conv1.inputs());
            make_room(b.middle, all * block.conv1.outputs());
            if (block.pooled || !block.blocks.empty()) make_room(b.out, all * block.conv2.inputs());
            make_room(b.pooled, 3 * static_cast<std::size_t>(block.pooled) * count);
            for (Member& member : members) {
                for (const IntegerConv* conv : {&block.conv1, &block.conv2}) conv->make_room(member.workspace);
                if (block.pooled) make_room(member.heard, block.second.bias.size());
            }
            if (!block.blocks.empty()) prepare(block.blocks, level + 1);
        }
    }

    // A norm that follows a convolution. Null where none does.
    struct Then {
        const Norm* norm = nullptr;
        float* out = nullptr;
    };

    // The member's share of the whole net.
    void run_all(const Parts& parts, float* stream, int member) {
        Turn turn{member};
        if (!parts.plain.layers.empty()) {
            begin(stream, {&parts.plain.first, stream}, turn);
            run(parts.plain.layers, stream, turn);
        } else if (!parts.blocks.empty()) {
            begin(stream, before(parts.blocks.front(), 0), turn);
            run(parts.blocks, stream, turn, 0, {});
        }
    }

    // The norm that the first convolution reads.
    void begin(const float* stream, const Then& first, Turn& turn) {
        step(turn, [&](int part, float* found) {
            const Share share(count * size, part, team->members());
            const int channels = static_cast<int>(first.norm->bias.size());
            for (int line = share.begin; line < share.end; ++line) norm(stream, channels, line * size, size, first, found);
        });
    }

    // Layers from the stream to the stream, by way of two buffers in turn: a layer cannot write where it reads.
    void run(const std::vector<PlainLayer>& layers, float* stream, Turn& turn) {
        const float* x = stream;
        for (std::size_t i = 0; i < layers.size(); ++i) {
            const PlainLayer& layer = layers[i];
            float* out = i + 1 == layers.size() ? stream : i % 2 ? levels[0].middle.data() : levels[0].in.data();
            convolve(layer.conv, x, {Finish::Kind::kActivate, out, layer.bias.data(), layer.activation}, turn, {});
            x = out;
        }
    }

    // work(part, found): found [count] is to become the greatest of each board.
    template <typename Work>
    void step(Turn& turn, Work work) {
        const int number = turn.step++;
        team->step(turn.member, number, [&](int part) {
            float* found = found_by(number, part);
            std::fill_n(found, count, 0.0f);
            work(part, found);
        });
    }

    float* found_by(int step, int part) {
        return greatest.data() + (static_cast<std::ptrdiff_t>(step) * team->members() + part) * stride;
    }

    Then before(const TrunkBlock& block, std::size_t level) { return {&block.first, levels[level].in.data()}; }

    // Blocks at one depth. The first norm of the first block has been made; `last` is made of what the last block gives.
    void run(const std::vector<TrunkBlock>& blocks, float* stream, Turn& turn, std::size_t level, Then last) {
        for (std::size_t i = 0; i < blocks.size(); ++i)
            run(blocks[i], stream, turn, level, i + 1 < blocks.size() ? before(blocks[i + 1], level) : last);
    }

    void run(const TrunkBlock& block, float* stream, Turn& turn, std::size_t level, Then then) {
        using enum Finish::Kind;
        Buffers& b = levels[level];
        const float* z = b.out.data();
        if (!block.blocks.empty()) {
            convolve(block.conv1, b.in.data(), {kStore, b.middle.data()}, turn, before(block.blocks.front(), level + 1));
            run(block.blocks, b.middle.data(), turn, level + 1, {&block.second, b.out.data()});
        } else if (block.pooled) {
            convolve(block.conv1, b.in.data(), {kStore, b.middle.data()}, turn, {});
            pool(block, b, turn);
        } else {
            convolve(block.conv1, b.in.data(), {kActivate, b.middle.data(), block.second.bias.data(), block.second.activation},
                     turn, {});
            z = b.middle.data();
        }
        convolve(block.conv2, z, {kAdd, stream}, turn, then);
    }

    // The step before made x, and found its greatest.
    void convolve(const IntegerConv& conv, const float* x, Finish finish, Turn& turn, Then then) {
        const int before = turn.step - 1;
        Member& own = members[turn.member];
        step(turn, [&](int part, float* found) {
            const Share rows(conv.all_rows(count, size), part, team->members());
            finish.greatest = found;
            conv.run(x, over_parts(before, own), {rows.begin, rows.end, size}, finish, own.workspace,
                     [&](int point, int run) { norm(finish.out, conv.outputs(), point, run, then, found); });
        });
    }

    // The greatest of each board, over all parts of a step.
    const float* over_parts(int step, Member& own) {
        std::copy_n(found_by(step, 0), count, own.greatest.begin());
        for (int part = 1; part < team->members(); ++part)
            for (int n = 0; n < count; ++n) own.greatest[n] = std::max(own.greatest[n], found_by(step, part)[n]);
        return own.greatest.data();
    }

    // Of a run of points of one board.
    void norm(const float* x, int channels, int point, int run, const Then& then, float* found) const {
        if (!then.norm) return;
        const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(point) * channels;
        const float most = norm_activate(x + at, then.out + at, run, channels, then.norm->scale.data(), then.norm->bias.data(),
                                         then.norm->activation);
        found[point / points()] = std::max(found[point / points()], most);
    }

    void pool(const TrunkBlock& block, Buffers& b, Turn& turn) {
        constexpr int kEight = 8;  // channels come in eights
        const int channels = block.conv1.outputs(), pooled = block.pooled, kept = channels - pooled;
        step(turn, [&](int part, float*) {
            const Share eights(pooled / kEight, part, team->members());
            const int begin = eights.begin * kEight, length = eights.end * kEight - begin;
            for (int n = 0; n < count && length > 0; ++n) {
                const float* board = b.middle.data() + static_cast<std::ptrdiff_t>(n) * points() * channels;
                float* mean = b.pooled.data() + static_cast<std::ptrdiff_t>(n) * 3 * pooled + begin;
                mean_and_greatest(board + kept + begin, points(), length, channels, block.pool.bias.data() + begin,
                                  block.pool.activation, mean, mean + 2 * pooled);
                for (int c = 0; c < length; ++c) mean[pooled + c] = mean[c] * (static_cast<float>(size) - 14.0f) * 0.1f;
            }
        });
        std::vector<float>& heard = members[turn.member].heard;
        step(turn, [&](int part, float* found) {
            const Share share(points(), part, team->members());
            for (int n = 0; n < count; ++n) {
                const float* mean = b.pooled.data() + static_cast<std::ptrdiff_t>(n) * 3 * pooled;
                std::copy(block.second.bias.begin(), block.second.bias.end(), heard.begin());
                const float* row = block.pool_matrix.data();
                for (int c = 0; c < 3 * pooled; ++c, row += kept)
                    for (int k = 0; k < kept; ++k) heard[k] += mean[c] * row[k];
                const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(n) * points() + share.begin;
                found[n] = add_activate(b.middle.data() + first * channels, b.out.data() + first * kept,
                                        share.end - share.begin, channels, kept, heard.data(), block.second.activation);
            }
        });
    }
};

namespace {

void check(bool fits, const char* what) {
    if (!fits) throw std::invalid_argument(what);
}

}  // namespace

void check_block(const TrunkBlock& block, int channels) {
    const auto length = static_cast<std::size_t>(channels);
    check(block.first.scale.size() == length && block.first.bias.size() == length, "a block's first norm does not fit");
    check(block.conv1.inputs() == channels && block.conv2.outputs() == channels, "a block's convolutions do not fit");
    const int kept = block.conv1.outputs() - block.pooled;
    check(block.pooled >= 0 && block.pooled % 8 == 0 && kept > 0 && kept % 8 == 0, "pooled channels must be a multiple of 8");
    check(block.conv2.inputs() == kept, "a block's convolutions do not fit each other");
    const auto between = static_cast<std::size_t>(kept);
    check(block.second.bias.size() == between, "a block's second norm does not fit");
    check(block.pool.bias.size() == static_cast<std::size_t>(block.pooled) &&
              block.pool_matrix.size() == 3 * between * block.pooled,
          "a block's pooling does not fit");
    if (block.blocks.empty()) return;
    check(block.pooled == 0 && block.second.scale.size() == between, "a nested block's second norm does not fit");
    for (const TrunkBlock& inner : block.blocks) check_block(inner, kept);
}

Trunk::Trunk(int channels) : channels_(channels) {}

Trunk::Trunk(int channels, PlainLayers plain) : channels_(channels), parts_{{}, std::move(plain)} {
    const auto length = static_cast<std::size_t>(channels);
    const Norm& first = parts_.plain.first;
    check(parts_.plain.layers.size() >= 2, "a plain net has two layers or more here");
    check(first.scale.size() == length && first.bias.size() == length, "the first layer's norm does not fit");
    for (const PlainLayer& layer : parts_.plain.layers)
        check(layer.conv.inputs() == channels && layer.conv.outputs() == channels && layer.bias.size() == length,
              "a layer does not fit");
}

Trunk::~Trunk() {
    for (int helpers; (helpers = helpers_.load()) > 0;) helpers_.wait(helpers);
}

void Trunk::add(TrunkBlock block) {
    check(parts_.plain.layers.empty(), "a plain net has no blocks");
    check_block(block, channels_);
    parts_.blocks.push_back(std::move(block));
}

std::shared_ptr<Trunk::Worker> Trunk::take() const {
    std::unique_ptr<Worker> worker;
    {
        const std::lock_guard lock(mutex_);
        if (!idle_.empty()) {
            worker = std::move(idle_.back());
            idle_.pop_back();
        }
    }
    if (!worker) worker = std::make_unique<Worker>();
    return {worker.release(), [this](Worker* done) {
                const std::lock_guard lock(mutex_);
                idle_.emplace_back(done);
            }};
}

void Trunk::run(float* stream, int count, int size, int threads) const {
    if (threads < 1) throw std::invalid_argument("the number of threads must be positive");
    // As many boards as can be shared out evenly go whole, each thread taking its own through all blocks; the boards
    // that are left over go through the blocks one step at a time, all threads together.
    const int each = count / threads, left = count - each * threads;
    const std::size_t board = static_cast<std::size_t>(size) * size * channels_;
    if (each > 0)
        in_parallel(static_cast<std::size_t>(threads), threads, [&](std::size_t begin, std::size_t end) {
            for (std::size_t part = begin; part < end; ++part) {
                const std::shared_ptr<Worker> worker = take();
                worker->prepare(parts_, each, size, 1);
                worker->run_all(parts_, stream + part * each * board, 0);
            }
        });
    if (left > 0) {
        const std::shared_ptr<Worker> worker = take();
        worker->prepare(parts_, left, size, threads);
        float* const rest = stream + static_cast<std::size_t>(count - left) * board;
        for (int member = 1; member < threads; ++member) help(worker, rest, member);
        worker->run_all(parts_, rest, 0);
    }
}

// Nobody waits for the helper to end: if it gets a core only after all is done, it finds nothing to do.
void Trunk::help(std::shared_ptr<Worker> worker, float* stream, int member) const {
    helpers_.fetch_add(1);
    try {
        std::thread([this, worker = std::move(worker), stream, member]() mutable {
            worker->run_all(parts_, stream, member);
            worker.reset();
            if (helpers_.fetch_sub(1) == 1) helpers_.notify_all();
        }).detach();
    } catch (const std::system_error&) {  // no thread to be had: the others do its part
        helpers_.fetch_sub(1);
    }
}

}  // namespace tengen
