#include "trunk.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <stdexcept>
#include <thread>
#include <utility>

#include "parallel.hpp"
#include "team.hpp"

namespace tengen {

namespace {

// The greatest magnitude of each board, [count], as far as each member has seen it. Members write side by side, so each
// has cache lines of its own.
struct Greatest {
    std::vector<float> found;
    std::ptrdiff_t stride = 0;

    void make_room(int count, int members) {
        stride = (count + 31) / 16 * 16;
        if (found.size() < static_cast<std::size_t>(stride * members)) found.resize(stride * members);
    }
    float* of(int member) { return found.data() + member * stride; }
};

// What blocks at one depth of nesting need besides the stream; shared by a team.
struct Buffers {
    std::vector<float> in, middle, out;
    Greatest in_greatest, out_greatest;
    std::vector<float> pooled;  // [count][3 * pooled]
};

// What a member of a team has for itself.
struct Member {
    IntegerConv::Workspace workspace;
    std::vector<float> greatest;  // [count], over all members
    std::vector<float> heard;
};

void make_room(std::vector<float>& buffer, std::size_t size) {
    if (buffer.size() < size) buffer.resize(size);
}

}  // namespace

// Takes some boards through all blocks, with as many threads as its team has members. Each member takes its share of the
// tiles through a convolution and what follows it, then they meet: the next convolution reads tiles of other members at
// the borders, and scales by the greatest value of the board.
struct Trunk::Worker {
    std::deque<Buffers> levels;
    std::vector<Member> members;
    std::unique_ptr<Team> team;
    int count = 0, size = 0;

    int points() const { return size * size; }

    // Makes room before the team begins: memory that runs out within a step would leave the others waiting.
    void prepare(const std::vector<TrunkBlock>& blocks, int boards, int board_size, int threads, std::size_t level = 0) {
        if (level == 0) {
            count = boards, size = board_size;
            team = std::make_unique<Team>(threads);
            if (members.size() < static_cast<std::size_t>(threads)) members.resize(threads);
            for (Member& member : members) make_room(member.greatest, count);
        }
        if (levels.size() <= level) levels.resize(level + 1);
        Buffers& b = levels[level];
        const std::size_t all = static_cast<std::size_t>(count) * points();
        b.in_greatest.make_room(count, threads);
        b.out_greatest.make_room(count, threads);
        for (const TrunkBlock& block : blocks) {
            make_room(b.in, all * block.conv1.inputs());
            make_room(b.middle, all * block.conv1.outputs());
            if (block.pooled || !block.blocks.empty()) make_room(b.out, all * block.conv2.inputs());
            make_room(b.pooled, 3 * static_cast<std::size_t>(block.pooled) * count);
            for (Member& member : members) {
                for (const IntegerConv* conv : {&block.conv1, &block.conv2}) conv->make_room(member.workspace);
                if (block.pooled) make_room(member.heard, block.second.bias.size());
            }
            if (!block.blocks.empty()) prepare(block.blocks, boards, board_size, threads, level + 1);
        }
    }

    // A norm that follows a convolution. Null where none does.
    struct Then {
        const Norm* norm = nullptr;
        float* out = nullptr;
        float* greatest = nullptr;  // [count], of this member

        void clear(int count) const {
            if (norm) std::fill_n(greatest, count, 0.0f);
        }
    };

    // The member's share of all blocks of the net.
    void run_all(const std::vector<TrunkBlock>& blocks, float* stream, int member) {
        if (blocks.empty()) return;
        const Then first = before(blocks.front(), member, 0);
        const Share share(count * size, member, team->members());
        first.clear(count);
        for (int line = share.begin; line < share.end; ++line)
            norm(stream, blocks.front().conv1.inputs(), line * size, size, first);
        team->meet();
        run(blocks, stream, member, 0, {});
    }

    Then before(const TrunkBlock& block, int member, std::size_t level) {
        return {&block.first, levels[level].in.data(), levels[level].in_greatest.of(member)};
    }

    // Blocks at one depth. The first norm of the first block has been made; `last` is made of what the last block gives.
    void run(const std::vector<TrunkBlock>& blocks, float* stream, int member, std::size_t level, Then last) {
        for (std::size_t i = 0; i < blocks.size(); ++i)
            run(blocks[i], stream, member, level, i + 1 < blocks.size() ? before(blocks[i + 1], member, level) : last);
    }

    void run(const TrunkBlock& block, float* stream, int member, std::size_t level, Then then) {
        using enum Finish::Kind;
        Buffers& b = levels[level];
        const Then second{&block.second, b.out.data(), b.out_greatest.of(member)};
        second.clear(count);
        const float* z = b.out.data();
        if (!block.blocks.empty()) {
            const Then inner = before(block.blocks.front(), member, level + 1);
            inner.clear(count);
            convolve(block.conv1, b.in.data(), b.in_greatest, {kStore, b.middle.data()}, member, inner);
            run(block.blocks, b.middle.data(), member, level + 1, second);
        } else if (block.pooled) {
            convolve(block.conv1, b.in.data(), b.in_greatest, {kStore, b.middle.data()}, member, {});
            pool(block, b, member, second.greatest);
        } else {
            convolve(block.conv1, b.in.data(), b.in_greatest,
                     {kActivate, b.middle.data(), block.second.bias.data(), block.second.activation, second.greatest}, member, {});
            z = b.middle.data();
        }
        then.clear(count);
        convolve(block.conv2, z, b.out_greatest, {kAdd, stream}, member, then);
    }

    void convolve(const IntegerConv& conv, const float* x, Greatest& greatest, const Finish& finish, int member, Then then) {
        const Share rows(conv.all_rows(count, size), member, team->members());
        conv.run(x, over_members(greatest, members[member]), {rows.begin, rows.end, size}, finish, members[member].workspace,
                 [&](int point, int run) { norm(finish.out, conv.outputs(), point, run, then); });
        team->meet();
    }

    // The greatest of each board, over what all members found.
    const float* over_members(Greatest& greatest, Member& own) const {
        std::copy_n(greatest.of(0), count, own.greatest.begin());
        for (int member = 1; member < team->members(); ++member)
            for (int n = 0; n < count; ++n) own.greatest[n] = std::max(own.greatest[n], greatest.of(member)[n]);
        return own.greatest.data();
    }

    // Of a run of points of one board.
    void norm(const float* x, int channels, int point, int run, const Then& then) const {
        if (!then.norm) return;
        const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(point) * channels;
        const float most = norm_activate(x + at, then.out + at, run, channels, then.norm->scale.data(), then.norm->bias.data(),
                                         then.norm->activation);
        float& greatest = then.greatest[point / points()];
        greatest = std::max(greatest, most);
    }

    void pool(const TrunkBlock& block, Buffers& b, int member, float* out_greatest) {
        constexpr int kEight = 8;  // channels come in eights
        const int channels = block.conv1.outputs(), pooled = block.pooled, kept = channels - pooled;
        const Share eights(pooled / kEight, member, team->members());
        const int begin = eights.begin * kEight, length = eights.end * kEight - begin;
        for (int n = 0; n < count && length > 0; ++n) {
            const float* board = b.middle.data() + static_cast<std::ptrdiff_t>(n) * points() * channels;
            float* mean = b.pooled.data() + static_cast<std::ptrdiff_t>(n) * 3 * pooled + begin;
            mean_and_greatest(board + kept + begin, points(), length, channels, block.pool.bias.data() + begin,
                              block.pool.activation, mean, mean + 2 * pooled);
            for (int c = 0; c < length; ++c) mean[pooled + c] = mean[c] * (static_cast<float>(size) - 14.0f) * 0.1f;
        }
        team->meet();
        const Share share(points(), member, team->members());
        std::vector<float>& heard = members[member].heard;
        for (int n = 0; n < count; ++n) {
            const float* mean = b.pooled.data() + static_cast<std::ptrdiff_t>(n) * 3 * pooled;
            std::copy(block.second.bias.begin(), block.second.bias.end(), heard.begin());
            const float* row = block.pool_matrix.data();
            for (int c = 0; c < 3 * pooled; ++c, row += kept)
                for (int k = 0; k < kept; ++k) heard[k] += mean[c] * row[k];
            const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(n) * points() + share.begin;
            out_greatest[n] = add_activate(b.middle.data() + first * channels, b.out.data() + first * kept,
                                           share.end - share.begin, channels, kept, heard.data(), block.second.activation);
        }
        team->meet();
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

Trunk::~Trunk() = default;

void Trunk::add(TrunkBlock block) {
    check_block(block, channels_);
    blocks_.push_back(std::move(block));
}

std::unique_ptr<Trunk::Worker> Trunk::take() const {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return std::make_unique<Worker>();
    std::unique_ptr<Worker> worker = std::move(idle_.back());
    idle_.pop_back();
    return worker;
}

void Trunk::give_back(std::unique_ptr<Worker> worker) const {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(worker));
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
                std::unique_ptr<Worker> worker = take();
                worker->prepare(blocks_, each, size, 1);
                worker->run_all(blocks_, stream + part * each * board, 0);
                give_back(std::move(worker));
            }
        });
    if (left > 0) {
        std::unique_ptr<Worker> worker = take();
        worker->prepare(blocks_, left, size, threads);
        {
            float* const rest = stream + static_cast<std::size_t>(count - left) * board;
            std::vector<std::jthread> others;
            for (int member = 1; member < threads; ++member)
                others.emplace_back([&, member] { worker->run_all(blocks_, rest, member); });
            worker->run_all(blocks_, rest, 0);
        }
        give_back(std::move(worker));
    }
}

}  // namespace tengen
