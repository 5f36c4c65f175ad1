// SPDX-License-Identifier: BSD-3-Clause
//
// Instructions of the calls that clients make most, polling included: to the return within the
// node, to the provider's entry between nodes. Counted exactly, by single steps, so the limits are
// exact.
#include <dlfcn.h>
#include <sched.h>
#include <unistd.h>

#include "am_test.h"
#include "core/am/private.h"
#include "step.h"

enum { WARM = 16, SAMPLES = 15, ONEWAY = 1, ASKS, REPLY };

static _Atomic uint64_t got;
static uint32_t args[CW_AM_MAX_ARGS];
static int (*volatile request_short)(int, uint32_t, const uint32_t *,
                                     unsigned) = cw_am_request_short;
static int (*volatile request_medium)(int, uint32_t, const uint32_t *, const void *, size_t,
                                      unsigned) = cw_am_request_medium;

static void __attribute__((noinline)) idle_poll(void)
{
    cw_am_poll();
}
static void (*volatile poll)(void) = idle_poll;

STEP_CALLER static void do_poll(void)
{
    void (*fn)(void) = poll;
    step_begin();
    fn();
    step_end();
}

STEP_CALLER static void do_short0(void)
{
    int (*fn)(int, uint32_t, const uint32_t *, unsigned) = request_short;
    step_begin();
    fn(1, HEAD(ONEWAY, 0), args, 0);
    step_end();
}

STEP_CALLER static void do_short4(void)
{
    int (*fn)(int, uint32_t, const uint32_t *, unsigned) = request_short;
    step_begin();
    fn(1, HEAD(ONEWAY, 4), args, 0);
    step_end();
}

STEP_CALLER static void do_medium8(void)
{
    int (*fn)(int, uint32_t, const uint32_t *, const void *, size_t, unsigned) = request_medium;
    step_begin();
    fn(1, HEAD(ONEWAY, 2), args, args, 8, 0);
    step_end();
}

static void oneway(cw_am_msg_t *msg)
{
    (void)msg;
    atomic_fetch_add(&got, 1);
}

/** Instructions before the first of the network library; all of them if it was not called. */
static long steps(bool *provider_p)
{
    *provider_p = false;
    for (size_t i = 0; i < step_log->n; i++) {
        Dl_info info = {0};
        if (dladdr((void *)step_log->ip[i], &info) && info.dli_fname &&
            strstr(info.dli_fname, "libfabric")) {
            *provider_p = true;
            return (long)i;
        }
    }
    return (long)step_log->n;
}

static void write_trace(const char *name)
{
    Dl_info me = {0};
    dladdr((const void *)&checks_done, &me);
    for (size_t i = 0; getenv("CAUSEWAY_TEST_TRACE") && i < step_log->n; i++)
        printf("TRACE %s %#lx\n", name, (unsigned long)(step_log->ip[i] - (uintptr_t)me.dli_fbase));
}

/** Waits until the target, which may be slow, has reported that enough requests are done. Behind a
 *  flood (CAUSEWAY_AGGREGATE) the samples themselves are slow enough to end it. */
static void await_credits(void)
{
    while (!cw_am.locked && !cw_am.flood && cw_am.nfree <= cw_am.low + 1) {
        cw_am_due(NULL, cw_world.node_of_pe[1]);  // takes in what the target has reported
        usleep(1000);
    }
}

/** The least of many calls: the one without any delay, which the limits are about. */
static void count(const char *name, void (*call)(void), long most)
{
    long counts[SAMPLES];
    bool provider = false;
    for (int i = 0; i < WARM; i++) {
        call();
        usleep(200);
        step_clear();
    }
    for (int i = 0; i < SAMPLES; i++) {
        await_credits();
        step_clear();
        call();
        counts[i] = steps(&provider);
        if (i == SAMPLES - 1)
            write_trace(name);
        usleep(200);  // the target takes the message and reports it
    }
    step_clear();
    for (int i = 1; i < SAMPLES; i++)
        for (int j = i; j > 0 && counts[j - 1] > counts[j]; j--) {
            long t = counts[j];
            counts[j] = counts[j - 1];
            counts[j - 1] = t;
        }
    printf("%-14s %4ld instructions%s (median %ld, at most %ld are allowed)\n", name, counts[0],
           provider ? " to the provider" : "", counts[SAMPLES / 2], most);
    CHECK(counts[0] <= most);
}

int main(int argc, char **argv)
{
    if (!STEP_WORKS) {
        printf("SKIP: the single-step harness is for x86-64 Linux\n");
        return 77;
    }
    bool threads = argc > 1 && !strcmp(argv[1], "threads");
    step_init();
    test_begin(threads ? CW_THREAD_MULTIPLE : CW_THREAD_SINGLE);
    cw_am_register(TEST_AM_CLIENT, ONEWAY, (cw_am_handler_t)oneway);
    cw_barrier(cw_group_world);
    static uint64_t *stop;
    stop = cw_heap_malloc(64, sizeof *stop);
    *stop = 0;
    cw_barrier(cw_group_world);
    if (cw_world.pe == 0) {
        count("poll, idle", do_poll, 20);
        count("short, 0 args", do_short0, threads ? 160 : 78);
        count("short, 4 args", do_short4, threads ? 160 : 78);
        count("medium, 8 B", do_medium8, threads ? 900 : 450);
        cw_put(&cw_ctx_default, stop, &(uint64_t){1}, sizeof *stop, 1);
        cw_quiet_default();
    } else {
        // PE 1 does not sleep: waking it must not be counted.
        while (!__atomic_load_n(stop, __ATOMIC_ACQUIRE)) {
            cw_am_poll();
            sched_yield();
        }
    }
    return test_finish();
}
