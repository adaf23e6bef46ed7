// Loops that compilers turn into vector instructions, compiled for registers of 64, 32 and 16 bytes: which version is
// called is decided when the library is loaded.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define TENGEN_WIDE_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TENGEN_WIDE_CLONES
#endif
