// 3x3 convolutions with zero padding and their gradients by Winograd's minimal filtering F(4x4, 3x3). On a 19x19 board
// they need 3.6 times fewer multiplications than the plain way, which is most of what training a net costs.
//
//     V = B' d B      of each 6x6 patch d of the input          [36, tiles, inputs]
//     M = V x U       36 products, U = G g G' of the filters     [36, tiles, outputs]
//     Y = A' M A      4x4 points of the output
//
// Boards are channels-last: [count, size, size, channels]; a board has ceil(size / 4)^2 tiles, row-major. Channels are
// a multiple of 8. Some tiles go all the way at a time, so that V and M never leave the processor's caches. The
// gradient of the input is the convolution of the output's gradient with the filters turned round.
#pragma once

#include <cstddef>

namespace tengen::winograd {

inline constexpr int kLanes = 8;
inline constexpr int kColumns = 16;  // outputs of a panel

constexpr int tiles_across(int size) { return (size + 3) / 4; }
constexpr int panels(int outputs) { return (outputs + kColumns - 1) / kColumns; }

struct Shape {
    int count;
    int size;
    int inputs;
    int outputs;
    int threads;
};

// u: U as panels [36, panels, inputs, 16], zeros beyond the last output. bias: [outputs] or null.
void convolve(const float* x, const float* u, const float* bias, float* y, const Shape& shape);

// du: the gradient of U, [36, inputs, 16 * panels], from the input and the gradient of the output.
void kernel_gradient(const float* x, const float* dy, float* du, const Shape& shape);

}  // namespace tengen::winograd
