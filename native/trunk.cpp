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

// What blocks at one depth of nesting need besides the stream; shared by a team.
struct Buffers {
    std::vector<float> in, middle, out;
    std::vector<float> in_greatest, out_greatest;  // [members][count], each member's own
    std::vector<float> pooled;                     // [count][3 * pooled]
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

// Takes some boards through all blocks, with as many threads as its team has members. A step reads what other members
// wrote in the step before, so they meet between steps; none of them writes where another one does.
struct Trunk::Worker {
    std::deque<Buffers> levels;
    std::vector<Member> members;
    IntegerConv::Workspace shared;
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
        const std::size_t all = static_cast<std::size_t>(count) * points(), shares = static_cast<std::size_t>(count) * threads;
        make_room(b.in_greatest, shares);
        make_room(b.out_greatest, shares);
        for (const TrunkBlock& block : blocks) {
            make_room(b.in, all * block.conv1.inputs());
            make_room(b.middle, all * block.conv1.outputs());
            if (block.pooled || !block.blocks.empty()) make_room(b.out, all * block.conv2.inputs());
            make_room(b.pooled, 3 * static_cast<std::size_t>(block.pooled) * count);
            for (const IntegerConv* conv : {&block.conv1, &block.conv2}) {
                if (threads == 1) break;
                conv->make_room(shared, conv->all_rows(count, size));
                for (Member& member : members) conv->make_room(member.workspace, conv->all_rows(count, size));
            }
            for (Member& member : members)
                if (block.pooled) make_room(member.heard, block.second.bias.size());
            if (!block.blocks.empty()) prepare(block.blocks, boards, board_size, threads, level + 1);
        }
    }

    void run(const std::vector<TrunkBlock>& blocks, float* stream, int member, std::size_t level = 0) {
        for (const TrunkBlock& block : blocks) run(block, stream, member, level);
    }

    void run(const TrunkBlock& block, float* stream, int member, std::size_t level) {
        Buffers& b = levels[level];
        Member& own = members[member];
        const int between = block.conv1.outputs();
        float* const in_greatest = b.in_greatest.data() + static_cast<std::ptrdiff_t>(member) * count;
        float* const out_greatest = b.out_greatest.data() + static_cast<std::ptrdiff_t>(member) * count;
        std::fill_n(out_greatest, count, 0.0f);
        norm(stream, b.in.data(), block.conv1.inputs(), block.first, in_greatest, member);
        team->meet();
        const auto conv1 = [&](Finish finish) {
            convolve(block.conv1, b.in.data(), over_members(b.in_greatest, own), finish, member);
        };
        const float* z = b.middle.data();
        if (!block.blocks.empty()) {
            conv1({Finish::Kind::kStore, b.middle.data()});
            run(block.blocks, b.middle.data(), member, level + 1);
            norm(b.middle.data(), b.out.data(), between, block.second, out_greatest, member);
            team->meet();
            z = b.out.data();
        } else if (block.pooled) {
            conv1({Finish::Kind::kStore, b.middle.data()});
            pool(block, b, member, out_greatest);
            z = b.out.data();
        } else {
            conv1({Finish::Kind::kActivate, b.middle.data(), block.second.bias.data(), block.second.activation, out_greatest});
        }
        convolve(block.conv2, z, over_members(b.out_greatest, own), {Finish::Kind::kAdd, stream}, member);
    }

    void convolve(const IntegerConv& conv, const float* x, const float* greatest, const Finish& finish, int member) {
        if (team->members() == 1) return conv.run(x, greatest, count, size, finish, members[0].workspace);
        conv.run_together(x, greatest, count, size, finish, shared, members[member].workspace, *team, member);
        team->meet();
    }

    // The greatest of each board, over what all members found.
    const float* over_members(const std::vector<float>& found, Member& own) const {
        std::copy_n(found.begin(), count, own.greatest.begin());
        for (int member = 1; member < team->members(); ++member)
            for (int n = 0; n < count; ++n)
                own.greatest[n] = std::max(own.greatest[n], found[static_cast<std::size_t>(member) * count + n]);
        return own.greatest.data();
    }

    // A member's share of the points of each board.
    void norm(const float* x, float* out, int channels, const Norm& norm, float* greatest, int member) const {
        const Share share(points(), member, team->members());
        for (int n = 0; n < count; ++n) {
            const std::ptrdiff_t first = (static_cast<std::ptrdiff_t>(n) * points() + share.begin) * channels;
            norm_activate(x + first, out + first, 1, share.end - share.begin, channels, norm.scale.data(), norm.bias.data(),
                          norm.activation, greatest + n);
        }
    }

    void pool(const TrunkBlock& block, Buffers& b, int member, float* out_greatest) {
        const int channels = block.conv1.outputs(), pooled = block.pooled, kept = channels - pooled;
        const Share columns(pooled, member, team->members(), 8);
        for (int n = 0; n < count && columns.begin < columns.end; ++n) {
            const float* board = b.middle.data() + static_cast<std::ptrdiff_t>(n) * points() * channels;
            float* mean = b.pooled.data() + static_cast<std::ptrdiff_t>(n) * 3 * pooled + columns.begin;
            mean_and_greatest(board + kept + columns.begin, points(), columns.end - columns.begin, channels,
                              block.pool.bias.data() + columns.begin, block.pool.activation, mean, mean + 2 * pooled);
            for (int c = 0; c < columns.end - columns.begin; ++c)
                mean[pooled + c] = mean[c] * (static_cast<float>(size) - 14.0f) * 0.1f;
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
                worker->run(blocks_, stream + part * each * board, 0);
                give_back(std::move(worker));
            }
        });
    if (left > 0) {
        std::unique_ptr<Worker> worker = take();
        worker->prepare(blocks_, left, size, threads);
        {
            std::vector<std::jthread> others;
            for (int member = 1; member < threads; ++member)
                others.emplace_back([&, member] { worker->run(blocks_, stream + static_cast<std::size_t>(count - left) * board, member); });
            worker->run(blocks_, stream + static_cast<std::size_t>(count - left) * board, 0);
        }
        give_back(std::move(worker));
    }
}

}  // namespace tengen
