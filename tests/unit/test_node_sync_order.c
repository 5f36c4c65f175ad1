// SPDX-License-Identifier: BSD-3-Clause
//
// What the barrier of a node promises about memory: plain data written before it is readable after
// it, by all, and the closer may read every deposit. Threads stand for PEs here, so that
// ThreadSanitizer (./dev test --sanitize=thread) sees both sides; without it the values are
// checked.
#include <pthread.h>
#include <stdlib.h>

#include "base/env.h"
#include "core/sync/node_sync.h"
#include "frame/check.h"

enum { MOST = 40, ROUNDS = 1500 };

static cw_coll_area_t *area;
static int nslots, data[MOST];
static pthread_barrier_t start;
static _Atomic int bad;

static void close_epoch(cw_node_sync_t *ns)
{
    int sum = 0, value;
    for (int i = 0; i < nslots; i++) {
        memcpy(&value, ns->deposits[0][i].value, sizeof value);
        sum += value;
    }
    memcpy(area->result, &sum, sizeof sum);
    cw_node_release(ns);
}

static void barrier(cw_node_sync_t *ns)
{
    if (ns->meets)
        cw_node_meet(ns);
    else if (cw_node_arrive(ns))
        cw_node_release(ns);
    else
        cw_node_await_release(ns);
}

static int sum_closed(cw_node_sync_t *ns, int slot, int round)
{
    int sum;
    memcpy(ns->deposits[0][slot].value, &round, sizeof round);
    if (cw_node_arrive(ns))
        close_epoch(ns);
    else
        cw_node_await_release(ns);
    memcpy(&sum, area->result, sizeof sum);
    return sum;
}

static int sum_met(cw_node_sync_t *ns, int round)
{
    int sum = 0, value;
    memcpy(cw_node_next_deposit(ns)->value, &round, sizeof round);
    cw_node_meet(ns);
    for (int i = 0; i < nslots; i++) {
        memcpy(&value, cw_node_brought(ns, i), sizeof value);
        sum += value;
    }
    return sum;
}

static void *member(void *arg)
{
    cw_node_sync_t ns;
    int slot = (int)(intptr_t)arg, sum;
    cw_node_sync_init(&ns, area, NULL, slot, nslots, 1);
    pthread_barrier_wait(&start);
    for (int round = 1; round <= ROUNDS; round++) {
        data[slot] = round;
        sum = ns.meets ? sum_met(&ns, round) : sum_closed(&ns, slot, round);
        bool good = sum == round * nslots;
        for (int i = 0; i < nslots; i++)
            good = good && data[i] == round;
        if (!good)
            atomic_fetch_add(&bad, 1);
        barrier(&ns);
    }
    return NULL;
}

static void run(int n, long spin, long yields)
{
    pthread_t threads[MOST];
    size_t nbytes = cw_coll_area_nbytes(n, 1);
    nslots = n;
    cwu_env.spin = spin;
    cwu_env.yields = yields;
    area = aligned_alloc(64, nbytes);
    memset(area, 0, nbytes);
    pthread_barrier_init(&start, NULL, (unsigned)n);
    for (int i = 0; i < n; i++)
        pthread_create(&threads[i], NULL, member, (void *)(intptr_t)i);
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&start);
    CHECK(bad == 0);
    free(area);
}

int main(void)
{
    run(2, -1, -1);
    run(4, -1, -1);
    run(3, 0, 0);
    run(5, 0, 2);
    run(4, 20, 2);    // a meeting
    run(3, 1, 0);     // the same, asleep
    run(35, -1, -1);  // two levels of counters
    return check_result();
}
