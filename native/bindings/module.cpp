#include "bindings.hpp"

NB_MODULE(_native, m) {
    // A thread that still waits for input when Python ends keeps its objects: nothing that a user should read about.
    nanobind::set_leak_warnings(false);
    m.doc() = "The native core of Tengen. Points are row-major from the top left; size*size is pass.";
    tengen::bindings::bind_position(m);
    tengen::bindings::bind_ratings(m);
    tengen::bindings::bind_playout(m);
    tengen::bindings::bind_tree(m);
    tengen::bindings::bind_ladder(m);
    tengen::bindings::bind_life(m);
    tengen::bindings::bind_sgf(m);
    tengen::bindings::bind_replay(m);
    tengen::bindings::bind_planes(m);
    tengen::bindings::bind_falling(m);
    tengen::bindings::bind_find(m);
    tengen::bindings::bind_trunk(m);
    tengen::bindings::bind_winograd(m);
    tengen::bindings::bind_norm_relu(m);
    tengen::bindings::bind_response(m);
    tengen::bindings::bind_selfplay(m);
    tengen::bindings::bind_glimpse(m);
}
