// SPDX-License-Identifier: BSD-3-Clause
//
// The barrier of a node and the combining synchronisation, between processes that share nothing but
// the area: no process leaves before the last has arrived, none hangs, and all get the same
// results. Every way of waiting is taken: the default, only sleeping, only yielding, and with
// members that arrive late; meetings too, by few members whose waits spin.
#include <sys/mman.h>
#include <sys/wait.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/env.h"
#include "core/sync/fused.h"
#include "frame/check.h"

enum { MOST = 80 };

typedef struct shared {
    _Atomic uint64_t step[MOST][8];  // a line each: the round its PE has reached
    _Atomic int bad;
    cw_coll_area_t area;
} shared_t;

static cw_group_sync_t state;
static const cw_group_t group = {.sync = &state};

typedef struct sum_op {
    cw_fused_op_t op;
    size_t n;
} sum_op_t;

static void add(const cw_fused_op_t *op, void *acc, const void *in)
{
    for (size_t i = 0; i < ((const sum_op_t *)op)->n; i++)
        ((double *)acc)[i] += ((const double *)in)[i];
}

static void linger(int slot, int round)
{
    if ((unsigned)(slot * 7919 + round * 104729) % 97 == 0)
        usleep(50);
}

static bool steps_are(const shared_t *s, int nslots, uint64_t round)
{
    for (int i = 0; i < nslots; i++) {
        uint64_t step = atomic_load_explicit(&s->step[i][0], memory_order_relaxed);
        if (step != round && step != round + 1)
            return false;
    }
    return true;
}

static bool barriers(shared_t *s, int slot, int nslots, int rounds)
{
    for (int round = 1; round <= rounds; round++) {
        atomic_store_explicit(&s->step[slot][0], (uint64_t)round, memory_order_relaxed);
        linger(slot, round);
        cw_fused(&group, NULL, 0, NULL);
        if (!steps_are(s, nslots, (uint64_t)round))
            return false;
    }
    return true;
}

static bool sums(int slot, int nslots, int rounds)
{
    for (int round = 0; round < rounds; round++) {
        sum_op_t op = {{add}, (size_t)(1 + round % 30)};
        double value[30], expected = 0;
        for (size_t i = 0; i < op.n; i++)
            value[i] = slot * 3 + (double)i + round;
        cw_fused(&group, value, op.n * sizeof *value, &op.op);
        for (int i = 0; i < nslots; i++)
            expected += i * 3 + round;
        for (size_t i = 0; i < op.n; i++)
            if (value[i] != expected + (double)i * nslots)
                return false;
        if (round % 5 == 0)
            cw_fused(&group, NULL, 0, NULL);
    }
    return true;
}

static void member(shared_t *s, int slot, int nslots, int rounds)
{
    alarm(60);  // a lost wake-up must not hang the tests
    bool good = barriers(s, slot, nslots, rounds) && sums(slot, nslots, rounds);
    if (cwu_env.spin > 0)
        good = good && (state.node.meeting > 0) == (nslots <= 4);
    if (state.node.meeting > 0) {  // the last synchronisation of a team
        cw_node_sync_part(&state.node);
        good = good && barriers(s, slot, nslots, 1) && sums(slot, nslots, rounds);
    }
    if (!good)
        atomic_fetch_add(&s->bad, 1);
    _exit(good ? 0 : 1);
}

static void run(int nslots, int rounds, long spin, long yields)
{
    size_t nbytes = sizeof(shared_t) + cw_coll_area_nbytes(nslots, 1);
    shared_t *s = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(s != MAP_FAILED);
    cwu_env.spin = spin;
    cwu_env.yields = yields;
    for (int slot = 0; slot < nslots; slot++) {  // also publishes the processors before any starts
        pid_t pid = fork();
        if (pid == 0) {
            cw_node_sync_init(&state.node, &s->area, NULL, slot, nslots, 1);
            member(s, slot, nslots, rounds);
        }
        CHECK(pid > 0);
    }
    int failed = 0, status;
    while (wait(&status) > 0)
        failed += status != 0;
    if (failed || s->bad)
        fprintf(stderr,
                "%d PEs, spin %ld, yields %ld: %d ended badly, %d saw a wrong step or sum\n",
                nslots, spin, yields, failed, s->bad);
    CHECK(failed == 0 && s->bad == 0);
    munmap(s, nbytes);
}

static void test_layout(void)
{
    size_t with_all = cw_coll_area_nbytes(70, 9);
    cw_coll_area_t *area = aligned_alloc(64, with_all);
    cw_coll_deposit_t *last = cw_coll_deposit(area, 9, 70, 1, 69);
    CHECK((char *)(last + 1) == (char *)area + with_all);
    CHECK((char *)cw_coll_counter(area, 9, 0) ==
          (char *)cw_coll_step(area, cw_coll_nsteps(9) - 1) + cw_coll_step_nbytes(CW_COLL_MEDIUM));
    CHECK((uintptr_t)last % 64 == 0 && (uintptr_t)cw_coll_step(area, 3) % 64 == 0);
    CHECK(cw_coll_nsteps(1) == 0 && cw_coll_nsteps(2) == 3 && cw_coll_nsteps(9) == 6);
    free(area);
}

int main(void)
{
    const int sizes[] = {1, 2, 3, 4, 7, 16, 33, 70};
    test_layout();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int n = sizes[i], rounds = 12000 / (n + 4);
        run(n, rounds, -1, -1);
        run(n, rounds / 4, 0, 0);  // every wait is a futex
        run(n, rounds / 4, 0, 3);
        run(n, rounds / 4, 1, 0);  // meetings, where every wait is a futex
        run(n, rounds / 4, 20, 3);
    }
    return check_result();
}
