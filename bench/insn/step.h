// SPDX-License-Identifier: BSD-3-Clause
/*
 * Counts instructions exactly, without hardware counters: the processor's trap flag raises SIGTRAP
 * after every instruction of this thread, the handler records the address of the next one. Works
 * under any launcher; other threads are not stopped.
 *
 * Use, in a function marked STEP_CALLER:
 *     STEP_CALL(api, args);
 * which calls through a function pointer, so that no PLT stub is in between.
 * Instructions of STEP_CALLER functions are not counted: what remains lies between the API's entry
 * and its return. A string instruction (rep …) counts once. x86-64 only: see STEP_WORKS.
 */
#ifndef BENCH_STEP_H
#define BENCH_STEP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { STEP_MAX = 4000 }; // a call that waits for the network is cut off here

struct step_log {
    size_t n;
    uintptr_t ip[STEP_MAX];
};

extern struct step_log *step_log; // of the last step_begin … step_end

void step_init(void);
void step_clear(void);
/** The next calls are not counted, and take hardly longer than without a count. */
void step_skip(void);
/** Steps before the first one in a library whose name begins with one of these; -1: none. */
long step_first_in(const char *const *libraries, size_t n);

/** The log as annotate.py reads it, under a line "# name which". */
void step_write(FILE *file, const char *name, const char *which);

static inline int step_truncated(void)
{
    return step_log->n == STEP_MAX;
}

#define STEP_CALLER __attribute__((noinline, section("step_callers")))
extern const char __start_step_callers[], __stop_step_callers[];

#if defined __x86_64__ && defined __linux__
#define STEP_WORKS 1
#define STEP_FLAG(change)                                                            \
    __asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\t" change "\n\tpopfq\n\t"     \
                     "lea 128(%%rsp), %%rsp" ::: "cc", "memory")
#define step_begin() STEP_FLAG("orq $0x100, (%%rsp)")
#define step_end() STEP_FLAG("andq $~0x100, (%%rsp)")
#else
#define STEP_WORKS 0
#define step_begin() ((void)0)
#define step_end() ((void)0)
#endif

/** One call, in a STEP_CALLER function. */
#define STEP_CALL(fn, ...)                     \
    do {                                       \
        __typeof__(&fn) volatile through = fn; \
        __typeof__(&fn) call = through;        \
        step_begin();                          \
        call(__VA_ARGS__);                     \
        step_end();                            \
    } while (0)

#endif
