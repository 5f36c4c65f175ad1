// SPDX-License-Identifier: BSD-3-Clause
// The single-step harness counts functions of known length exactly: nothing is lost, and no
// instruction of the caller is counted.
#include "step.h"

#include <stdio.h>

void five(void);
void loop_of(long rounds);
void copies(void *dst, const void *src, long n);
long system_call(void);

#if STEP_WORKS
__asm__(".text\n"
        "five: nop\n nop\n nop\n nop\n ret\n"            // 5
        "loop_of: dec %rdi\n jnz loop_of\n ret\n"        // 2n + 1
        "copies: mov %rdx, %rcx\n rep movsb\n ret\n"     // 3: a string instruction is one
        "system_call: mov $39, %eax\n syscall\n ret\n"); // 3: getpid

static void (*volatile p_five)(void) = five;
static void (*volatile p_loop_of)(long) = loop_of;
static void (*volatile p_copies)(void *, const void *, long) = copies;
static long (*volatile p_system_call)(void) = system_call;

STEP_CALLER static void do_five(void)
{
    void (*fn)(void) = p_five;
    step_begin();
    fn();
    step_end();
}

STEP_CALLER static void do_loop(long rounds)
{
    void (*fn)(long) = p_loop_of;
    step_begin();
    fn(rounds);
    step_end();
}

STEP_CALLER static void do_copies(void *dst, const void *src)
{
    void (*fn)(void *, const void *, long) = p_copies;
    step_begin();
    fn(dst, src, 16);
    step_end();
}

STEP_CALLER static void do_system_call(void)
{
    long (*fn)(void) = p_system_call;
    step_begin();
    fn();
    step_end();
}

static int expect(const char *what, size_t wanted)
{
    size_t counted = step_log->n;
    step_clear();
    if (counted == wanted)
        return 0;
    printf("FAIL: %s: counted %zu instructions, they are %zu\n", what, counted, wanted);
    return 1;
}

int main(void)
{
    char from[16] = "fifteen letters", to[16];
    int bad = 0;
    step_init();
    do_five();
    bad |= expect("five", 5);
    do_loop(100);
    bad |= expect("a loop of 100", 201);
    do_copies(to, from);
    bad |= expect("a string instruction", 3);
    do_system_call();
    bad |= expect("a system call", 3);
    do_loop(STEP_MAX);
    if (!step_truncated()) {
        printf("FAIL: an endless call is not cut off\n");
        bad = 1;
    }
    for (int i = 0; i < 1000; i++) // stepping is off again: these steps must not be counted
        p_five();
    if (step_log->n != STEP_MAX)
        bad = 1;
    if (!bad)
        printf("counted right\n");
    return bad;
}
#else
int main(void)
{
    printf("SKIP: the single-step harness is for x86-64 Linux\n");
    return 77;
}
#endif
