// SPDX-License-Identifier: BSD-3-Clause
//
// The transport contract over a real provider (CAUSEWAY_ENDPOINT and CAUSEWAY_PROVIDER choose it),
// or over the windows of an MPI, whose launcher has started both processes: two processes, each
// with server thread and client. Usage: test_contract [rounds] [bytes of the large transfer]
// [threads]
#include "pair.h"

#include <sched.h>

#include "base/mpi/find.h"
#include "frame/check.h"
#include "transport/mpi/mpi.h"
#include "transport/ofi/lib/lib.h"

static node_t n;
static bool over_mpi, threads;
static uint64_t rounds = 20000, large = (uint64_t)64 << 20;

static int request(int op, uint64_t offset, uint64_t value, size_t nbytes, cwt_reply_t *reply)
{
    static request_t r;
    memset(&r.header, 0, sizeof r.header);
    r.header.op = (uint16_t)op;
    r.offset = offset;
    r.value = value;
    for (size_t i = REQUEST_SMALL; i < nbytes; i++)
        ((uint8_t *)&r)[i] = (uint8_t)i;
    return n.ops->request(n.conn, &r.header, nbytes, reply);
}

static uint64_t fetch(int op, uint64_t offset, uint64_t value)
{
    uint64_t old = ~0ull;
    cwt_reply_t reply = {.buf = &old, .capacity = sizeof old};
    CHECK(request(op, offset, value, REQUEST_SMALL, &reply) == 0);
    CHECK(n.ops->wait(n.client, &reply) == 0);
    CHECK(reply.nbytes == sizeof old);
    return old;
}

static uint8_t *peer_at(uint64_t offset)
{
    return n.memory[!n.me] + offset;
}

static void fill(uint8_t *p, size_t nbytes, unsigned seed)
{
    for (size_t i = 0; i < nbytes; i++)
        p[i] = (uint8_t)(i * 7 + seed + (i >> 8));
}

/** After a quiet, another quiet has nothing to do. */
static bool nothing_left(void)
{
    cwt_stats_t before, after;
    n.ops->stats(n.client, &before);
    CHECK(n.ops->quiet(n.client) == 0);
    n.ops->stats(n.client, &after);
    return before.flushes == after.flushes && before.requests == after.requests;
}

/** Every size: put (blocking and nbi) and quiet, then check; get it back. */
static void sizes(void)
{
    const size_t most = (size_t)8 << 20;
    uint8_t *src = malloc(most), *back = malloc(most);
    unsigned seed = 1;
    for (size_t nbytes = 1; nbytes <= most; nbytes = nbytes < 300 ? nbytes + 13
                                                     : nbytes * 3 / 2 > most && nbytes < most
                                                         ? most
                                                         : nbytes * 3 / 2)
        for (int nbi = 0; nbi < 2; nbi++) {
            fill(src, nbytes, ++seed);
            CHECK(n.ops->put(n.conn, n.heap + 5, src, nbytes, nbi) == 0);
            if (!nbi)
                memset(src, 0xee, nbytes);  // reusable on return
            CHECK(n.ops->quiet(n.client) == 0);
            if (!nbi)
                fill(src, nbytes, seed);
            CHECK(memcmp(peer_at(n.heap + 5), src, nbytes) == 0);
            memset(back, 0, nbytes);
            CHECK(n.ops->get(n.conn, n.heap + 5, back, nbytes, nbi) == 0);
            if (nbi)
                CHECK(n.ops->quiet(n.client) == 0);
            CHECK(memcmp(back, src, nbytes) == 0);
            cwt_reply_t landed;
            memset(back, 0, nbytes);
            CHECK(n.ops->get_begin(n.conn, n.heap + 5, back, nbytes, &landed) == 0);
            CHECK(n.ops->wait(n.client, &landed) == 0 && landed.done == 1);
            CHECK(memcmp(back, src, nbytes) == 0);
        }
    CHECK(nothing_left());
    free(src);
    free(back);
}

/** All pieces of the other node object: control area, data and heap of both slots. */
static void pieces(void)
{
    uint64_t stride = n.layout.slice_stride;
    uint64_t at[] = {64,
                     PAIR_SLICE,
                     PAIR_SLICE + PAIR_DATA - 8,
                     n.heap,
                     PAIR_SLICE + stride,
                     n.heap + stride,
                     node_nbytes(&n.layout) - 8};
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        uint64_t value = 1000 + i, back = 0;
        CHECK(n.ops->put(n.conn, at[i], &value, 8, false) == 0);
        CHECK(n.ops->get(n.conn, at[i], &back, 8, false) == 0 || true);
        CHECK(n.ops->quiet(n.client) == 0);
        CHECK(memcmp(peer_at(at[i]), &value, 8) == 0);
        CHECK(n.ops->get(n.conn, at[i], &back, 8, false) == 0);
        CHECK(back == value);
    }
}

/** After quiet the bytes are in the other node's memory, read past the library; every size class,
 *  all paths. */
static void quiet_truth(void)
{
    static cwt_target_t t;   // the client refers to it until it closes
    static uint8_t mine[8];  // stands for a symmetric object at slot 0's heap
    uint64_t delta = n.heap - (uint64_t)(uintptr_t)mine;
    CHECK(n.ops->target(n.conn, 0, delta, &t) == 0);
    static uint8_t src[65536];
    const size_t sizes[] = {8, 64, 128, 512, 4096, 16384, 65536};
    uint64_t stale = 0;
    for (uint64_t i = 1; i <= rounds; i++) {
        size_t nbytes = i % 50 ? 8 : sizes[i / 50 % 7];
        memcpy(src, &i, 8);
        memcpy(src + nbytes - 8, &i, 8);
        if (nbytes == 8) {
            t.last = (uint64_t)(uintptr_t)mine | 1;
            if (t.inject(t.ep, &i, 8, t.fabric_addr, (uint64_t)(uintptr_t)mine + t.base, t.key) !=
                0)
                CHECK(n.ops->put(n.conn, (uint64_t)(uintptr_t)mine + t.offset, &i, 8, false) == 0);
        } else {
            CHECK(n.ops->put(n.conn, n.heap, src, nbytes, i & 1) == 0);
        }
        if (n.ops->quiet(n.client) != 0) {
            CHECK(!"quiet failed");
            break;
        }
        uint64_t first = atomic_load((_Atomic uint64_t *)(void *)peer_at(n.heap));
        uint64_t last = atomic_load((_Atomic uint64_t *)(void *)peer_at(n.heap + nbytes - 8));
        stale += first != i || last != i;
    }
    if (stale)
        fprintf(stderr, "%lu stale of %lu\n", (unsigned long)stale, (unsigned long)rounds);
    CHECK(stale == 0);
}

/** The same when put_complete returns, whatever else is in flight; and, too, when all else is done
 *  by a quiet before. */
static void put_complete_truth(void)
{
    const size_t sizes[] = {8, 1, 129, 4096, 16385, 65536, (size_t)5 << 20}, most = (size_t)5 << 20;
    uint8_t *src = malloc(most), other[256];
    for (uint64_t i = 1; i <= rounds / 8; i++) {
        size_t nbytes = i % 20 ? 8 : sizes[i / 20 % 7];
        memset(other, (int)i, sizeof other);
        if (i % 3 == 0)
            CHECK(n.ops->put(n.conn, n.heap + 8, other, i & 1 ? 8 : sizeof other, i & 1) == 0);
        if (i % 5 == 0)
            CHECK(request(OP_ADD, n.heap + 512, 1, REQUEST_SMALL, NULL) == 0);
        fill(src, nbytes, (unsigned)i);
        CHECK(n.ops->put_complete(n.conn, n.heap + 1024, src, nbytes) == 0);
        if (memcmp(peer_at(n.heap + 1024), src, nbytes) != 0) {
            CHECK(!"put_complete returned before the bytes were there");
            break;
        }
        if (i % 3 == 0) {
            CHECK(n.ops->quiet(n.client) == 0);
            CHECK(memcmp(peer_at(n.heap + 8), other, i & 1 ? 8 : sizeof other) == 0);
        }
    }
    CHECK(n.ops->quiet(n.client) == 0);
    CHECK(nothing_left());
    CHECK(*(uint64_t *)(void *)peer_at(n.heap + 512) == rounds / 8 / 5);
    uint64_t zero = 0;
    CHECK(n.ops->put_complete(n.conn, n.heap + 512, &zero, 8) == 0);
    CHECK(*(uint64_t *)(void *)peer_at(n.heap + 512) == 0);
    free(src);
}

/** A request executes after all puts before it, of every size. */
static void put_then_request(void)
{
    static uint8_t src[100000];
    const size_t sizes[] = {8, 100, 200, 2000, 20000, 100000};
    for (uint64_t i = 1; i <= rounds / 20; i++) {
        size_t nbytes = sizes[i % 6];
        memcpy(src + nbytes - 8, &i, 8);
        CHECK(n.ops->put(n.conn, n.heap, src, nbytes, false) == 0);
        CHECK(fetch(OP_READ, n.heap + nbytes - 8, 0) == i);
        memcpy(src, &i, 8);
        CHECK(n.ops->put(n.conn, n.heap + 200000, src, 8, false) == 0);
        CHECK(request(OP_PEEK, n.heap + 200000, i, REQUEST_SMALL, NULL) == 0);
        CHECK(n.ops->quiet(n.client) == 0);
    }
    CHECK(atomic_load(&n.shared->words[7]) == 0);
}

/** A quiet behind a last request is true, also of a put between the two, and has nothing to flush
 *  where messages stay behind puts. */
static void last_request(void)
{
    static cwt_target_t t;   // the client refers to it until it closes
    static uint8_t mine[8], src[16384];
    const size_t sizes[] = {8, 200, 4096, 16384};
    const uint64_t injected = n.heap + 65536, behind = n.heap + 131072, zero = 0;
    CHECK(n.ops->target(n.conn, 0, injected - (uint64_t)(uintptr_t)mine, &t) == 0);
    CHECK(n.ops->put_complete(n.conn, n.heap + 32768, &zero, 8) == 0);
    for (uint64_t i = 1; i <= rounds / 20; i++) {
        size_t nbytes = sizes[i % 4];
        uint64_t old = 0, at = (uint64_t)(uintptr_t)mine;
        cwt_reply_t reply = {.buf = &old, .capacity = sizeof old};
        request_t r = {.header.op = i % 2 ? OP_FETCH_ADD : OP_ADD, .offset = n.heap + 32768};
        cwt_stats_t before, after;
        r.value = 1;
        memcpy(src + nbytes - 8, &i, 8);
        CHECK(n.ops->put(n.conn, n.heap, src, nbytes, false) == 0);
        t.last = at | 1;
        if (t.inject(t.ep, &i, 8, t.fabric_addr, at + t.base, t.key) != 0)
            CHECK(n.ops->put(n.conn, injected, &i, 8, false) == 0);
        CHECK(n.ops->last_request(n.conn, &r.header, REQUEST_SMALL, i % 2 ? &reply : NULL) == 0);
        bool puts = i % 3 == 0;
        if (puts)
            CHECK(n.ops->put(n.conn, behind, &i, 8, false) == 0);
        n.ops->stats(n.client, &before);
        CHECK(n.ops->quiet(n.client) == 0);
        n.ops->stats(n.client, &after);
        if (!over_mpi && ofi_choice.ordered && ofi_choice.send_after_write)
            CHECK(after.flushes - before.flushes == puts);
        CHECK(memcmp(peer_at(n.heap + nbytes - 8), &i, 8) == 0);
        CHECK(memcmp(peer_at(injected), &i, 8) == 0);
        CHECK(!puts || memcmp(peer_at(behind), &i, 8) == 0);
        CHECK(memcmp(peer_at(n.heap + 32768), &i, 8) == 0 && (i % 2 == 0 || old == i - 1));
    }
    CHECK(nothing_left());
}

/** A put behind a fence does not overtake the request before it. */
static void fence_request_put(void)
{
    for (uint64_t i = 1; i <= 100; i++) {
        uint64_t value = 2 * i + 1;
        CHECK(request(OP_SLOW_STORE, n.heap + 64, 2 * i, REQUEST_SMALL, NULL) == 0);
        CHECK(n.ops->fence(n.client) == 0);
        CHECK(n.ops->put(n.conn, n.heap + 64, &value, 8, false) == 0);
        CHECK(n.ops->quiet(n.client) == 0);
        CHECK(memcmp(peer_at(n.heap + 64), &value, 8) == 0);
    }
}

/** Where a thread of the target copies puts and its stores may be seen out of order, a fence waits
 *  for the puts; elsewhere their order is the provider's, and it does nothing. */
static void fence_put(void)
{
    bool copied = ofi_choice.copied;
    if (over_mpi)
        return;
    for (int weak = 0; weak < 2; weak++) {
        cwt_stats_t before, after;
        uint64_t value[2] = {1, 2};
        ofi_choice.copied = weak;
        CHECK(n.ops->put(n.conn, n.heap + 64, value, 8, false) == 0);
        CHECK(n.ops->put(n.conn, n.heap + 72, value + 1, 8, false) == 0);
        n.ops->stats(n.client, &before);
        CHECK(n.ops->fence(n.client) == 0);
        n.ops->stats(n.client, &after);
        if (ofi_choice.ordered && ofi_choice.send_after_write)
            CHECK(after.flushes - before.flushes == (unsigned)weak);
        if (weak)
            CHECK(memcmp(peer_at(n.heap + 64), value, sizeof value) == 0 && nothing_left());
        CHECK(n.ops->quiet(n.client) == 0);
    }
    ofi_choice.copied = copied;
}

/** Thousands of requests without waiting; quiet means executed. */
static void request_flood(void)
{
    uint64_t count = rounds / 4, before = atomic_load(&n.shared->executed[!n.me]), zero = 0;
    CHECK(n.ops->put(n.conn, n.heap + 128, &zero, 8, false) == 0);
    for (uint64_t i = 0; i < count; i++)
        CHECK(request(OP_ADD, n.heap + 128, 1, REQUEST_SMALL, NULL) == 0);
    CHECK(n.ops->quiet(n.client) == 0);
    CHECK(atomic_load((_Atomic uint64_t *)(void *)peer_at(n.heap + 128)) == count);
    CHECK(atomic_load(&n.shared->executed[!n.me]) - before == count);
    for (uint64_t i = 0; i < count / 4; i++)
        CHECK(fetch(OP_FETCH_ADD, n.heap + 128, 3) == count + 3 * i);
}

static int arrivals;
static void arrived(cwt_reply_t *self, const void *payload, size_t nbytes)
{
    (void)self;
    arrivals += nbytes == 8 && payload;
}

/** Many replies in flight at once, messages of every size both ways. */
static void replies(void)
{
    enum { MANY = 100 };
    uint64_t old[MANY], zero = 0;
    cwt_reply_t r[MANY];
    CHECK(n.ops->put(n.conn, n.heap + 192, &zero, 8, false) == 0);
    for (int i = 0; i < MANY; i++) {
        r[i] = (cwt_reply_t){.buf = &old[i], .capacity = 8};
        CHECK(request(OP_FETCH_ADD, n.heap + 192, 1, REQUEST_SMALL, &r[i]) == 0);
    }
    for (int i = MANY; i-- > 0;)
        CHECK(n.ops->wait(n.client, &r[i]) == 0 && old[i] == (uint64_t)i);
    for (int i = 0; i < MANY; i++) {
        r[i] = (cwt_reply_t){.arrived = arrived};
        CHECK(request(OP_FETCH_ADD, n.heap + 192, 1, REQUEST_SMALL, &r[i]) == 0);
    }
    CHECK(n.ops->quiet(n.client) == 0);
    CHECK(arrivals == MANY);
    static uint8_t bulk[CWT_MESSAGE_MAX];
    for (size_t nbytes = REQUEST_SMALL; nbytes <= CWT_MESSAGE_MAX; nbytes += 97) {
        cwt_reply_t one = {.buf = bulk, .capacity = sizeof bulk};
        CHECK(request(OP_BULK, n.heap, nbytes - 40, nbytes, &one) == 0);
        CHECK(n.ops->wait(n.client, &one) == 0);
        CHECK(one.nbytes == nbytes - 40 && bulk[0] == (uint8_t)(nbytes - 40));
    }
    CHECK(atomic_load(&n.shared->words[6]) == 0);
}

/** Requests of every size that the connection takes, many under way at once, arrive whole. */
static void long_requests(void)
{
    static uint8_t bulk[64];
    size_t most = n.ops->request_most(n.conn);
    CHECK(most == CWT_MESSAGE_MAX || most == CWT_REQUEST_MAX);
    CHECK(over_mpi || ofi_choice.long_requests == (most == CWT_REQUEST_MAX));
    for (int round = 0; round < 4; round++) {
        cwt_reply_t last = {.buf = bulk, .capacity = sizeof bulk};
        for (size_t nbytes = most; nbytes > CWT_MESSAGE_MAX; nbytes -= 211 + (size_t)round) {
            cwt_reply_t one = {.buf = bulk, .capacity = sizeof bulk};
            CHECK(request(OP_BULK, n.heap, nbytes % 64, nbytes, &one) == 0);
            CHECK(n.ops->wait(n.client, &one) == 0 && one.nbytes == nbytes % 64);
        }
        for (int i = 0; i < 100; i++)
            CHECK(request(OP_CHECK, n.heap, 0, most - (size_t)i, NULL) == 0);
        CHECK(request(OP_BULK, n.heap, 8, most, &last) == 0 && n.ops->wait(n.client, &last) == 0);
    }
    CHECK(atomic_load(&n.shared->words[6]) == 0);
    request_t whole = {.offset = 0};
    CHECK(n.ops->request(n.conn, &whole.header, most + 1, NULL) == CW_EINVAL);
}

/** A server notifies a client only as far as the client has room: one round's worth, and as much
 *  again after each message that acknowledges it. */
static void notified(void)
{
    for (uint64_t i = 0; i < 2000; i++) {
        uint64_t nbytes = i % 50 ? i % 100 : CWT_MESSAGE_MAX - sizeof(uint64_t), times = 0,
                 before = n.notified;
        n.notified_sum = 0;
        if (i % 2) {
            CHECK(request(OP_TELL, n.heap, nbytes, REQUEST_SMALL, NULL) == 0 &&
                  n.ops->quiet(n.client) == 0);
        } else {
            request_t r = {.header = {.op = OP_TELL}, .offset = n.heap, .value = nbytes};
            CHECK(n.ops->message(n.conn, &r.header, REQUEST_SMALL, NULL, 0) == 0 &&
                  n.ops->quiet(n.client) == 0);
        }
        times = atomic_load(&n.shared->words[5]);
        CHECK(times > 0 && times <= PAIR_NOTIFICATIONS);
        for (uint64_t start = cwu_now_ns();
             n.notified - before < times && cwu_now_ns() - start < 20000000000u;)
            CHECK(n.ops->poll(n.client) >= 0);
        CHECK(n.notified - before == times &&
              n.notified_sum == times * (times - 1) / 2 + times * nbytes * 7);
    }
}

/** Larger than any fragment, and than 2 GiB if requested. */
static void large_transfer(void)
{
    uint8_t *src = mmap(NULL, large, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(src != MAP_FAILED);
    for (uint64_t at = 0; at < large; at += 4096)
        *(uint64_t *)(void *)(src + at) = at ^ 0x1234;
    CHECK(n.ops->put(n.conn, n.heap, src, large, false) == 0);
    CHECK(n.ops->quiet(n.client) == 0);
    uint64_t wrong = 0;
    for (uint64_t at = 0; at < large; at += 4096)
        wrong += *(uint64_t *)(void *)peer_at(n.heap + at) != (at ^ 0x1234);
    CHECK(wrong == 0);
    memset(src, 0, large);
    CHECK(n.ops->get(n.conn, n.heap, src, large, false) == 0);
    for (uint64_t at = 0; at < large; at += 4096)
        wrong += *(uint64_t *)(void *)(src + at) != (at ^ 0x1234);
    CHECK(wrong == 0);
    munmap(src, large);
}

/** More injected puts than any queue holds, then quiet. */
static void inject_flood(void)
{
    static cwt_target_t t;
    static uint8_t mine[8];
    CHECK(n.ops->target(n.conn, 1, n.heap - (uint64_t)(uintptr_t)mine, &t) == 0);
    for (uint64_t i = 0; i < rounds; i++) {
        uint64_t at = (uint64_t)(uintptr_t)mine + 8 * (i % 4096);
        t.last = at;
        if (t.inject(t.ep, &i, 8, t.fabric_addr, at + t.base, t.key) != 0)
            CHECK(n.ops->put(n.conn, at + t.offset, &i, 8, false) == 0);
    }
    CHECK(n.ops->quiet(n.client) == 0);
    CHECK(t.last == 0 && nothing_left());
    uint64_t wrong = 0;
    for (uint64_t i = rounds > 4096 ? rounds - 4096 : 0; i < rounds; i++)
        wrong += *(uint64_t *)(void *)peer_at(n.heap + 8 * (i % 4096)) != i;
    CHECK(wrong == 0);
}

static uint64_t expected(int op, uint64_t old, uint64_t operand, uint64_t compare)
{
    const uint64_t results[] = {
        old,           operand,       old + operand, old & operand,
        old | operand, old ^ operand, operand,       old == compare ? operand : old};
    return results[op];
}

/** The provider's own atomics, all or none. */
static void native_atomics(void)
{
    uint64_t value = 0x1122334455667788, old = 0;
    CHECK(n.ops->put(n.conn, n.heap, &value, 8, false) == 0);
    int rc = n.ops->amo(n.conn, n.heap, 0, 8, 0, 0, &old);
    bool native = getenv("TEST_NATIVE_ATOMICS") != NULL;
    CHECK(rc == (native ? 0 : CW_ENOTSUP));
    if (!native || rc != 0)
        return;
    for (int round = 0; round < 3; round++)
        for (int op = 0; op < 8; op++)
            for (int nbytes = 4; nbytes <= 8; nbytes += 4) {
                uint64_t mask = nbytes == 4 ? 0xffffffffu : ~0ull,
                         operand = (0x0123456789abcdef * (unsigned)(round + 3)) & mask;
                uint64_t compare = round & 1 ? value & mask : 7, before = value & mask;
                old = 0;
                CHECK(n.ops->amo(n.conn, n.heap, op, nbytes, operand, compare,
                                 round == 2 ? NULL : &old) == 0);
                CHECK(round == 2 || old == before);
                value = (value & ~mask) | (expected(op, before, operand, compare) & mask);
                CHECK(n.ops->quiet(n.client) == 0);
                CHECK(memcmp(peer_at(n.heap), &value, 8) == 0);
            }
    CHECK(n.ops->amo(n.conn, n.heap, 99, 8, 0, 0, &old) == CW_EINVAL);
    CHECK(n.ops->amo(n.conn, n.heap, 0, 2, 0, 0, &old) == CW_EINVAL);
}

// ---------------------------------------------------------------- several threads
enum { THREADS = 3, PART = 8192 };
static _Atomic int working;

/** Each in its own part of the heap: puts of all kinds, and gets of what they put. */
static void *transfers(void *arg)
{
    const uint64_t at = n.heap + (1 << 20) + (uintptr_t)arg * PART;
    uint8_t mine[PART], back[PART];
    for (uint64_t i = 1; i <= rounds / 40; i++) {
        memset(mine, (int)((uintptr_t)arg + i), sizeof mine);
        CHECK(n.ops->put(n.conn, at, mine, 1000, true) == 0);
        CHECK(n.ops->put(n.conn, at + 1000, mine, PART - 1001, i % 2) == 0);
        CHECK(n.ops->put_complete(n.conn, at + PART - 1, mine, 1) == 0);
        CHECK(n.ops->quiet(n.client) == 0);
        CHECK(memcmp(peer_at(at), mine, PART) == 0);
        for (int k = 0; k < 6; k++) {
            size_t nbytes = k % 2 ? 64 : PART;
            memset(back, ~mine[0], sizeof back);
            CHECK(n.ops->get(n.conn, at, back, nbytes, k == 4) == 0);
            CHECK(k != 4 || n.ops->quiet(n.client) == 0);
            CHECK(memcmp(back, mine, nbytes) == 0);
        }
    }
    atomic_fetch_sub(&working, 1);
    return NULL;
}

/** Beside threads that wait for their own transfers, small puts for which no call waits. */
static void several_threads(void)
{
    pthread_t thread[THREADS];
    if (!threads)
        return;
    atomic_store(&working, THREADS);
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, transfers, (void *)i);
    for (uint64_t i = 0; atomic_load(&working) > 0; i++) {
        CHECK(n.ops->put(n.conn, n.heap, &i, sizeof i, false) == 0);
        if (i % 32 == 0)
            sched_yield();
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    CHECK(n.ops->quiet(n.client) == 0);
}

static void all(void)
{
    static const struct {
        const char *name;
        void (*fn)(void);
    } cases[] = {{"pieces", pieces},
                 {"sizes", sizes},
                 {"quiet_truth", quiet_truth},
                 {"put_complete_truth", put_complete_truth},
                 {"put_then_request", put_then_request},
                 {"last_request", last_request},
                 {"fence_request_put", fence_request_put},
                 {"fence_put", fence_put},
                 {"request_flood", request_flood},
                 {"replies", replies},
                 {"long_requests", long_requests},
                 {"notified", notified},
                 {"native_atomics", native_atomics},
                 {"inject_flood", inject_flood},
                 {"several_threads", several_threads},
                 {"large_transfer", large_transfer}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t start = cwu_now_ns();
        cases[i].fn();
        if (n.me == 0)
            printf("%-18s %8.1f ms\n", cases[i].name, (double)(cwu_now_ns() - start) / 1e6);
    }
}

/** What both processes do, one after the other. The other one only serves: progress must not need
 *  its main thread. */
static void both(void)
{
    int rc = n.ops->join(&n.layout, n.memory[n.me], n.me, 2);
    rc = rc ? rc : pair_server(&n, n.me);
    CHECK(rc == 0);
    if (rc)
        return;
    pair_barrier(&n);
    CHECK(pair_client(&n, n.secret, threads) == 0);
    CHECK(pair_connect(&n) == 0);
    for (int turn = 0; turn < 2; turn++) {
        if (n.conn && n.me == turn)
            all();
        pair_barrier(&n);
    }
    if (n.client) {
        cwt_stats_t s;
        n.ops->stats(n.client, &s);
        CHECK(s.connections == 1);
    }
    pair_close(&n);
    n.ops->leave();
}

/** The launcher's two processes share a file of their directory. */
static int as_rank(void)
{
    CHECK(cwu_mpi_start() == 0);
    both();
    cwu_mpi_end_own();
    return check_result();
}

static int as_parent(void)
{
    pid_t child = fork();
    n.me = child == 0;
    cwu_error_identity(n.me, 2);
    both();
    if (n.me)
        return checks_failed > 0;
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return check_result();
}

int main(int argc, char **argv)
{
    if (argc > 1)
        rounds = strtoull(argv[1], NULL, 0);
    if (argc > 2)
        large = strtoull(argv[2], NULL, 0);
    threads = argc > 3;
    cwu_env_load();
    setvbuf(stdout, NULL, _IOLBF, 0);
    alarm(300);
    const char *rank = getenv("PMI_RANK");
    rank = rank ? rank : getenv("OMPI_COMM_WORLD_RANK");
    over_mpi = rank != NULL;
    pair_map(&n, over_mpi ? &cwt_mpi : &cwt_ofi, large > (64u << 20) ? large : 64u << 20,
             over_mpi ? "memory" : NULL);
    n.me = over_mpi && atoi(rank);
    return over_mpi ? as_rank() : as_parent();
}
