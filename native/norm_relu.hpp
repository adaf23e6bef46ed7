// Batch norms followed by a rectifier, and their gradient, on boards that are channels-last: x [rows, channels], a row a
// point. In training they take as long as a third of the convolutions if every operation is a pass over memory of its
// own; here the norm and its rectifier are one pass for the statistics and one for the values.
//
//     z = scale * x + shift        scale = weight * inverse, shift = bias - mean * scale, inverse = 1 / sqrt(variance + eps)
//     y = max(z, 0)
//     g = dy where z > 0, else 0
//
// Sums are of single precision within some rows and of double precision over these. They do not depend on the number of
// threads.
#pragma once

#include <cstddef>

namespace tengen::norm_relu {

struct Shape {
    std::size_t rows;
    int channels;
    int threads;
};

// Mean and variance (that of the rows, not an estimate from them) of each channel.
void statistics(const float* x, double* mean, double* variance, const Shape& shape);

void values(const float* x, const float* scale, const float* shift, float* y, const Shape& shape);

// The sums of g and of g * (x - mean) of each channel.
void gradient_sums(const float* x, const float* dy, const float* scale, const float* shift, const float* mean, double* sum,
                   double* product, const Shape& shape);

// dx = g * own + x * along + all: a factor of each channel for what comes back to the point itself, and two for what goes
// through the statistics.
void gradient(const float* x, const float* dy, const float* scale, const float* shift, const float* own,
              const float* along, const float* all, float* dx, const Shape& shape);

}  // namespace tengen::norm_relu
