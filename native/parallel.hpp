// Work shared by threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace tengen {

// Calls work(begin, end) for pieces of 0 .. count until all are done; rethrows the first exception.
template <typename Work>
void in_parallel(std::size_t count, int threads, Work work) {
    if (threads < 1) throw std::invalid_argument("the number of threads must be positive");
    // Small enough to share the work evenly, large enough that examples of a game stay together.
    const std::size_t piece = std::clamp<std::size_t>(count / (8 * static_cast<std::size_t>(threads)), 1, 64);
    std::atomic<std::size_t> next = 0;
    std::exception_ptr error;
    std::mutex mutex;
    const auto run = [&] {
        try {
            for (std::size_t begin; (begin = next.fetch_add(piece)) < count;) work(begin, std::min(begin + piece, count));
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!error) error = std::current_exception();
            next = count;
        }
    };
    {
        std::vector<std::jthread> others;
        for (int t = 1; t < threads && static_cast<std::size_t>(t) < count; ++t) others.emplace_back(run);
        run();
    }
    if (error) std::rethrow_exception(error);
}

}  // namespace tengen
