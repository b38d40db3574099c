/* Reading with AVX2, which most x86 processors since 2013 have: module.c looks before it calls. */

#include "processor.h"

#ifdef HAS_AVX2
#define LASTBRACE_AVX2
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,bmi"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi")
#endif

#include "containers.h"
#include "reading.h"

int read_avx2(Automaton *a, Py_ssize_t index) { return read_all(a, index); }
const uint8_t *decode_avx2(Decoding *d, const uint8_t *at) { return read_whole(d, at); }

#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
