/* Tells libFuzzer which code of the C scanner ran: it counts each place that the compiler marks (-fsanitize-coverage=
   trace-pc, which gcc has too). Put in front of each file with -include; weak, so that all of them count together. */

#include <stdint.h>

#if defined(__clang__)
#define UNCOUNTED __attribute__((no_sanitize("coverage")))
#else
#define UNCOUNTED __attribute__((no_sanitize_coverage))
#endif
#define SHARED __attribute__((weak, visibility("hidden")))

enum { PLACES = 1 << 17 }; /* about as many as the scanner's code has bytes */

typedef struct {
    uintptr_t place, flags;
} Place;

extern void __sanitizer_cov_8bit_counters_init(uint8_t *begin, uint8_t *end);
extern void __sanitizer_cov_pcs_init(const uintptr_t *begin, const uintptr_t *end);

SHARED uint8_t fuzz_counters[PLACES];
SHARED Place fuzz_places[PLACES];
SHARED int fuzz_is_counting;

/* Hidden, or the call would go to libFuzzer's own, which does nothing. */
UNCOUNTED SHARED void __sanitizer_cov_trace_pc(void)
{
    uintptr_t place = (uintptr_t)__builtin_return_address(0);
    fuzz_counters[(place - (uintptr_t)&__sanitizer_cov_trace_pc) % PLACES]++;
}

UNCOUNTED __attribute__((constructor)) static void begin_counting(void)
{
    if (fuzz_is_counting)
        return;
    fuzz_is_counting = 1;
    for (int i = 0; i < PLACES; i++)
        fuzz_places[i].place = (uintptr_t)&__sanitizer_cov_trace_pc + i;
    __sanitizer_cov_8bit_counters_init(fuzz_counters, fuzz_counters + PLACES);
    __sanitizer_cov_pcs_init((uintptr_t *)fuzz_places, (uintptr_t *)(fuzz_places + PLACES));
}
