/* Counts which branches of the compiled core ran, for libFuzzer: gcc calls this at each basic block.
 * Compiled without instrumentation itself, and linked with the instrumented _core.c. */
#include <stdint.h>

#define PLACES 4096 /* the core has some 600 blocks */

uint8_t counters[PLACES];
uintptr_t places[PLACES][2]; /* address and flags, which libFuzzer wants beside each counter */

void __sanitizer_cov_trace_pc(void) {
    uintptr_t place = (uintptr_t)__builtin_return_address(0);
    counters[(place ^ place >> 12) % PLACES]++;
}
