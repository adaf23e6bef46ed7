// Winograd's minimal filtering F(4x4, 3x3): the transforms around the 36 matrix products that replace a 3x3
// convolution with zero padding, and their adjoints for its gradient. On a 19x19 board they need 3.6 times
// fewer multiplications than the convolution itself, which is most of what training a net costs.
//
//     V = B' d B      of each 6x6 patch d of the input          [36, tiles, channels]
//     M = V x U       36 products, U = G g G' of the filters     [36, tiles, outputs]
//     Y = A' M A      4x4 points of the output
//
// Boards are channels-last: [count, size, size, channels]; a board has ceil(size / 4)^2 tiles, row-major.
// Channels are a multiple of 8. Every call splits the boards between `threads` threads.
#pragma once

namespace tengen::winograd {

inline constexpr int kLanes = 8;

constexpr int tiles_across(int size) { return (size + 3) / 4; }

struct Shape {
    int count;
    int size;
    int channels;
    int threads;
};

void input_transform(const float* boards, float* v, Shape shape);          // boards -> V
void input_adjoint(const float* dv, float* dboards, Shape shape);          // dV -> dboards
void output_transform(const float* m, float* boards, Shape shape);         // M -> boards
void output_adjoint(const float* dboards, float* dm, Shape shape);         // dboards -> dM

}  // namespace tengen::winograd
