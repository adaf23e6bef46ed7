// Random numbers: SplitMix64 (Steele, Lea & Flood 2014), a counter that is hashed.
//
// Its state advances by one addition, so a draw waits for no earlier one, and any number makes a good seed.
#pragma once

#include <cstdint>

namespace tengen {

constexpr std::uint64_t splitmix64(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15ULL;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
}

class Random {
public:
    // Streams of one seed are independent of each other: one a playout, whichever thread runs it.
    explicit Random(std::uint64_t seed, std::uint64_t stream = 0)
        : state_(splitmix64(seed ^ splitmix64(stream))), ready_(splitmix64(state_)) {}

    // The number handed out was made a call ago, so that the caller need not wait for it.
    std::uint64_t next() {
        const std::uint64_t number = ready_;
        ready_ = splitmix64(state_ += 0x9E3779B97F4A7C15ULL);
        return number;
    }
    // 0 .. n-1, for n up to 2^32; the bias of less than n / 2^32 is of no account here.
    int below(int n) { return static_cast<int>((next() >> 32) * static_cast<std::uint64_t>(n) >> 32); }
    // Above 0, below 1.
    double uniform() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53; }
    // True with a chance of n in 256.
    bool chance(int n) { return static_cast<int>(next() >> 56) < n; }

private:
    std::uint64_t state_;
    std::uint64_t ready_;
};

}  // namespace tengen
