// SPDX-License-Identifier: BSD-3-Clause
//
// Marks of ARMCI's operations while another thread's quiet or fence is under way: a mark is void
// when that is over and not before, what is marked meanwhile stays marked, and two threads that
// mark one target lose none. The transport is a stand-in whose quiet and fence look at the marks.
#include <pthread.h>

#include "armci/order.h"
#include "core/port/ctx.h"
#include "frame/check.h"

enum { TARGETS = 4, TIMES = 1000000 };

static int quiets, fences;
static int marks_meanwhile;  // what the other thread does while this one is in the transport

static int quiet(cwt_client_t *client)
{
    (void)client;
    quiets++;
    CHECK(aci_pending(0) == (ACI_PENDING | ACI_SOURCES), "during the quiet: %#lx", aci_pending(0));
    CHECK(aci_paths(0) == ACI_PUTS, "during the quiet: %#lx", aci_paths(0));
    if (marks_meanwhile)
        aci_mark(1, ACI_REQUESTS);
    if (marks_meanwhile)
        aci_mark_get(2, 1000, 8);
    return 0;
}

static int fence(cwt_client_t *client)
{
    (void)client;
    fences++;
    CHECK(aci_paths(0) == (ACI_PUTS | ACI_REQUESTS), "during the fence: %#lx", aci_paths(0));
    if (marks_meanwhile)
        aci_mark(0, ACI_PUTS);
    return 0;
}

static void open_transport(void)
{
    static const cwt_ops_t stand_in = {.quiet = quiet, .fence = fence};
    static char client;
    cw_transport = &stand_in;
    cw_port_default.client = (cwt_client_t *)(void *)&client;
}

static void during_a_quiet(int marks)
{
    marks_meanwhile = marks;
    aci_mark(0, ACI_PUTS | ACI_SOURCES);
    cw_ctx_mark(&cw_ctx_default);
    int before = quiets;
    aci_order_quiet();
    CHECK(quiets == before + 1);
    CHECK(aci_pending(0) == 0 && aci_paths(0) == 0, "behind the quiet: %#lx, %#lx", aci_pending(0),
          aci_paths(0));
    CHECK(aci_pending(1) == (marks ? ACI_PENDING : 0), "of the other thread: %#lx", aci_pending(1));
    CHECK(aci_paths(1) == (marks ? ACI_REQUESTS : 0), "of the other thread: %#lx", aci_paths(1));
    CHECK(aci_pending(2) == (marks ? ACI_PENDING | ACI_GETS : 0), "its get: %#lx", aci_pending(2));
}

static void during_a_fence(int marks)
{
    marks_meanwhile = marks;
    aci_mark(0, ACI_PUTS);
    aci_mark(0, ACI_REQUESTS);
    cw_ctx_mark(&cw_ctx_default);
    int before = fences;
    aci_before_direct(0);
    CHECK(fences == before + 1);
    uint64_t left = aci_paths(0);  // beside what was marked meanwhile, what was there may stay
    CHECK(marks ? left & ACI_PUTS : left == 0, "behind the fence: %#lx", left);
    CHECK(aci_pending(0) == ACI_PENDING, "a fence completes nothing: %#lx", aci_pending(0));
    marks_meanwhile = 0;
    __atomic_store_n(&cw_ctx_default.last, 0, __ATOMIC_RELAXED);
    aci_order_quiet();
}

static uint64_t begun(cw_handle_quiets_t *of)
{
    return atomic_load(&of->begun);
}

/** A put is preceded by a quiet where it meets a get that is under way, and only there. */
static void ranges_of_gets(uintptr_t first, uintptr_t second)
{
    uint64_t before = begun(&cw_handle_quiets);
    aci_mark_get(3, first, 8);
    aci_mark_get(3, second, 8);
    aci_before_write(3, (void *)3008, 8);
    aci_before_write(3, (void *)992, 8);
    CHECK(begun(&cw_handle_quiets) == before);
    aci_before_write(3, (void *)(first + 7), 1);
    CHECK(begun(&cw_handle_quiets) == before + 1);
    aci_mark_get(3, 5000, 8);
    aci_before_write(3, (void *)first, 8);  // that get is complete
    CHECK(begun(&cw_handle_quiets) == before + 1);
    aci_order_quiet();
}

// ---------------------------------------------------------------- two at once
static pthread_barrier_t start;

/** Marks one target while another thread does, and fences begin that do not end: no word may be
 *  older than the last mark of either, or lose one. */
static void *mark_often(void *arg)
{
    uint64_t marks = *(uint64_t *)arg;
    int bad = 0;
    pthread_barrier_wait(&start);
    for (int i = 0; i < TIMES; i++) {
        uint64_t least = atomic_fetch_add(&aci_order.fences.begun, 1) + 1;
        aci_mark(0, marks);
        uint64_t word = atomic_load(&aci_order.mark[0].paths);
        bad += word >> ACI_NUMBER < least || !(word & marks);
    }
    CHECK(bad == 0, "%d of %d times the mark %#lx was lost", bad, TIMES, marks);
    return NULL;
}

static void two_threads(void)
{
    static uint64_t puts = ACI_PUTS, requests = ACI_REQUESTS;
    pthread_t other;
    REQUIRE(pthread_barrier_init(&start, NULL, 2) == 0);
    REQUIRE(pthread_create(&other, NULL, mark_often, &requests) == 0);
    mark_often(&puts);
    pthread_join(other, NULL);
}

int main(void)
{
    cw_world.npes = TARGETS;
    aci_order_open();
    open_transport();
    for (int marks = 0; marks < 2; marks++) {
        during_a_quiet(marks);
        during_a_fence(marks);
    }
    ranges_of_gets(1000, 3000);
    ranges_of_gets(3000, 1000);
    two_threads();
    aci_order_close();
    return check_result();
}
