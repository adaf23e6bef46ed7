// A rectifier followed by local response normalisation (DANN paper, equation 2), on boards that are channels-last:
// x [rows, channels], a row a point.
//
//     r = max(x, 0)
//     y_k = r_k / s_k^(3/4),   s_k = 1 + factor * sum of r_j^2 over the channels j within `reach` of k
//
// In torch it is six passes over memory, and the power takes longer than a small convolution.
#pragma once

#include <cstddef>

namespace tengen::response {

struct Shape {
    std::size_t rows;
    int channels;
    int reach;  // channels on each side
    float factor;
    int threads;
};

void values(const float* x, float* y, const Shape& shape);

// dx from x and dy.
void gradient(const float* x, const float* dy, float* dx, const Shape& shape);

}  // namespace tengen::response
