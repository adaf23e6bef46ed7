#include "falling.hpp"

#include <algorithm>
#include <vector>

namespace tengen {

void make_falling(std::span<double> curve) {
    if (std::is_sorted(curve.rbegin(), curve.rend())) return;
    struct Pool {
        double mean;
        std::size_t length;
    };
    std::vector<Pool> pools;
    pools.reserve(curve.size());
    for (const double value : curve) {
        Pool last{value, 1};
        while (!pools.empty() && pools.back().mean < last.mean) {
            const Pool& before = pools.back();
            const std::size_t length = before.length + last.length;
            last.mean = (before.mean * static_cast<double>(before.length) + last.mean * static_cast<double>(last.length)) /
                        static_cast<double>(length);
            last.length = length;
            pools.pop_back();
        }
        pools.push_back(last);
    }
    auto place = curve.begin();
    for (const Pool& pool : pools) place = std::fill_n(place, pool.length, pool.mean);
}

}  // namespace tengen
