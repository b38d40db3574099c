/* What can be asked of the processor. */

#ifndef LASTBRACE_PROCESSOR_H
#define LASTBRACE_PROCESSOR_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(LASTBRACE_PORTABLE) && !defined(LASTBRACE_BASELINE)
#define HAS_AVX2
static inline int can_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi"); }
#endif

#endif
