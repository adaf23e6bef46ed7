#include "trunk.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <stdexcept>
#include <utility>

#include "parallel.hpp"

namespace tengen {

namespace {

// What one thread needs besides the stream, for blocks at one depth of nesting.
struct Buffers {
    std::vector<float> in, middle, out;
    std::vector<float> in_greatest, out_greatest;
    std::vector<float> pooled, heard;
};

}  // namespace

struct Trunk::Worker {
    std::deque<Buffers> levels;
    IntegerConv::Workspace workspace;
    int count = 0, size = 0;

    int points() const { return size * size; }

    void run(const std::vector<TrunkBlock>& blocks, float* stream, std::size_t level) {
        if (levels.size() <= level) levels.resize(level + 1);
        for (const TrunkBlock& block : blocks) run(block, stream, level);
    }

    void run(const TrunkBlock& block, float* stream, std::size_t level) {
        Buffers& b = levels[level];
        const std::size_t boards = static_cast<std::size_t>(count) * points();
        const int between = block.conv1.outputs();
        b.in.resize(std::max(b.in.size(), boards * block.conv1.inputs()));
        b.middle.resize(std::max(b.middle.size(), boards * between));
        b.in_greatest.assign(count, 0.0f);
        b.out_greatest.assign(count, 0.0f);
        norm_activate(stream, b.in.data(), count, points(), block.conv1.inputs(), block.first.scale.data(),
                      block.first.bias.data(), block.first.activation, b.in_greatest.data());
        const auto conv1 = [&](Finish finish) {
            block.conv1.run(b.in.data(), b.in_greatest.data(), count, size, finish, workspace);
        };
        const float* z = b.middle.data();
        if (!block.blocks.empty()) {
            b.out.resize(std::max(b.out.size(), boards * between));
            conv1({Finish::Kind::kStore, b.middle.data()});
            run(block.blocks, b.middle.data(), level + 1);
            norm_activate(b.middle.data(), b.out.data(), count, points(), between, block.second.scale.data(),
                          block.second.bias.data(), block.second.activation, b.out_greatest.data());
            z = b.out.data();
        } else if (block.pooled) {
            b.out.resize(std::max(b.out.size(), boards * (between - block.pooled)));
            conv1({Finish::Kind::kStore, b.middle.data()});
            for (int n = 0; n < count; ++n) pool(block, b, n);
            z = b.out.data();
        } else {
            conv1({Finish::Kind::kActivate, b.middle.data(), block.second.bias.data(), block.second.activation,
                   b.out_greatest.data()});
        }
        block.conv2.run(z, b.out_greatest.data(), count, size, {Finish::Kind::kAdd, stream}, workspace);
    }

    void pool(const TrunkBlock& block, Buffers& b, int n) {
        const int channels = block.conv1.outputs(), pooled = block.pooled, kept = channels - pooled;
        const float* board = b.middle.data() + static_cast<std::size_t>(n) * points() * channels;
        b.pooled.resize(3 * static_cast<std::size_t>(pooled));
        float* mean = b.pooled.data();
        mean_and_greatest(board + kept, points(), pooled, channels, block.pool.bias.data(), block.pool.activation, mean,
                          mean + 2 * pooled);
        for (int c = 0; c < pooled; ++c) mean[pooled + c] = mean[c] * (static_cast<float>(size) - 14.0f) * 0.1f;
        b.heard = block.second.bias;
        const float* row = block.pool_matrix.data();
        for (int c = 0; c < 3 * pooled; ++c, row += kept)
            for (int k = 0; k < kept; ++k) b.heard[k] += mean[c] * row[k];
        b.out_greatest[n] = add_activate(board, b.out.data() + static_cast<std::size_t>(n) * points() * kept, points(),
                                         channels, kept, b.heard.data(), block.second.activation);
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

void Trunk::run(float* stream, int count, int size, int threads) const {
    if (threads < 1) throw std::invalid_argument("the number of threads must be positive");
    // Each thread takes its boards through all blocks.
    const int parts = std::clamp(threads, 1, std::max(1, count));
    const std::size_t board = static_cast<std::size_t>(size) * size * channels_;
    in_parallel(static_cast<std::size_t>(parts), parts, [&](std::size_t begin, std::size_t end) {
        for (std::size_t part = begin; part < end; ++part) {
            const int from = static_cast<int>(count * part / parts), to = static_cast<int>(count * (part + 1) / parts);
            if (from == to) continue;
            std::unique_ptr<Worker> worker;
            {
                const std::lock_guard lock(mutex_);
                if (!idle_.empty()) {
                    worker = std::move(idle_.back());
                    idle_.pop_back();
                }
            }
            if (!worker) worker = std::make_unique<Worker>();
            worker->count = to - from;
            worker->size = size;
            worker->run(blocks_, stream + from * board, 0);
            const std::lock_guard lock(mutex_);
            idle_.push_back(std::move(worker));
        }
    });
}

}  // namespace tengen
