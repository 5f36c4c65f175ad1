// SPDX-License-Identifier: BSD-3-Clause
//
// Remote completion while the target is late: its server makes no progress, so over a provider
// whose data the target's process moves nothing reaches its memory meanwhile. What returns before
// the bytes are there is wrong. Every kind of put, by quiet, by a quiet in two steps and by its own
// completion. Usage: test_ofi_late [threads]
#include "pair.h"

#include "frame/check.h"

#define LATE_US 30000u
enum { ROUNDS = 2, MOST = 100000 };

static node_t n;
static cwt_target_t record;  // the client refers to it until it closes
static uint8_t mine[8];      // stands for a symmetric object at the start of slot 0's heap
static uint8_t src[MOST];

static int quiet_in_two_steps(void)
{
    int rc;
    while ((rc = n.ops->quiet_begin(n.client)) == 0)
        usleep(100);
    if (rc != 1)
        return rc;
    while ((rc = n.ops->quiet_test(n.client)) == 0)
        usleep(100);
    return rc == 1 ? 0 : rc;
}

static int put_and_quiet(size_t nbytes, bool nbi)
{
    int rc = n.ops->put(n.conn, n.heap, src, nbytes, nbi);
    return rc ? rc : n.ops->quiet(n.client);
}

static int inject(void)
{
    uint64_t at = (uint64_t)(uintptr_t)mine;
    if (record.inject(record.ep, src, 8, record.fabric_addr, at + record.base, record.key) != 0)
        return n.ops->put(n.conn, at + record.offset, src, 8, false);
    record.last = at | 1;
    return 0;
}

static int kind(int k, size_t *nbytes_p)
{
    static const size_t sizes[] = {8, 8, 8, 8, 2000, 2000, 2000, MOST, MOST, MOST};
    size_t nbytes = *nbytes_p = sizes[k];
    int rc;
    switch (k) {
    case 0:  // after a quiet with no more than one put before
        return put_and_quiet(nbytes, false);
    case 1:
    case 4:
    case 7:
        return n.ops->put_complete(n.conn, n.heap, src, nbytes);
    case 2:
        rc = inject();
        return rc ? rc : n.ops->quiet(n.client);
    case 3:
        rc = inject();
        return rc ? rc : quiet_in_two_steps();
    case 5:
    case 8:
        return put_and_quiet(nbytes, true);
    default:
        rc = n.ops->put(n.conn, n.heap + MOST, src, 8, false);
        return rc ? rc : put_and_quiet(nbytes, false);
    }
}
enum { KINDS = 10 };

/** One operation after the other, each into a server that is late. */
static void initiator(void)
{
    uint64_t delta = n.heap - (uint64_t)(uintptr_t)mine;
    CHECK(n.ops->target(n.conn, 0, delta, &record) == 0);
    for (int i = 0; i < ROUNDS * KINDS; i++) {
        size_t nbytes = 0;
        memset(src, 0x10 + i, sizeof src);
        pair_barrier(&n);
        int rc = kind(i % KINDS, &nbytes);
        bool there = memcmp(n.memory[!n.me] + n.heap, src, nbytes) == 0;
        CHECK(rc == 0, "kind %d failed: %d", i % KINDS, rc);
        CHECK(there, "kind %d returned before its %zu bytes were there", i % KINDS, nbytes);
        pair_barrier(&n);
    }
}

static void target(void)
{
    for (int i = 0; i < ROUNDS * KINDS; i++) {
        pthread_mutex_lock(&n.lock);
        pair_barrier(&n);
        usleep(LATE_US);
        pthread_mutex_unlock(&n.lock);
        pair_barrier(&n);
    }
}

int main(int argc, char **argv)
{
    (void)argv;
    cwu_env_load();
    pair_map(&n, &cwt_ofi, 1u << 20, NULL);
    pid_t child = fork();
    int me = child == 0;
    cwu_error_identity(me, 2);
    alarm(100);
    int rc = pair_server(&n, me);
    pair_barrier(&n);
    if (rc == 0)
        rc = pair_client(&n, n.secret, argc > 1);
    if (rc == 0)
        rc = pair_connect(&n);
    CHECK(rc == 0, "no connection: %d", rc);
    pair_barrier(&n);
    if (rc == 0)
        me ? target() : initiator();
    pair_barrier(&n);
    pair_close(&n);
    if (me)
        return checks_failed > 0;
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return check_result();
}
