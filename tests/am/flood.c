// SPDX-License-Identifier: BSD-3-Clause
//
//     flood PATTERN MESSAGES [SECONDS [KIB]]
//
// Messages as fast as possible, of all kinds and sizes, half of them with a reply. Every message
// must arrive, none twice, no wait may last for ever, and memory must not grow. With SECONDS the
// flood is repeated for that long; in the second half memory may grow by KIB (4096).
//     ring    each PE to the next
//     pair    PE p and p^1 to each other (two-way)
//     all     every PE to every PE
//     sink    all to PE 0, which is slow: it computes between its polls
#include <stdio.h>
#include <unistd.h>

#include "am_test.h"
#include "base/clock.h"

enum { REQUEST = 1, REPLY, SLOT = 8192 };

static _Atomic uint64_t got_requests, got_replies;
static uint64_t *sums;  // per PE: the sum of the numbers that it must receive; symmetric
static uint64_t got_sum;
static uint8_t *segment;
static uint64_t random_state;

static uint32_t draw(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33);
}

static void request(cw_am_msg_t *msg, uint32_t number, uint32_t with_reply)
{
    got_sum += number;
    atomic_fetch_add(&got_requests, 1);
    if (!with_reply)
        return;
    uint8_t bytes[CW_AM_PACKET];
    size_t nbytes = number % 1000;
    if (with_reply == 1) {
        cw_am_reply_short(msg, HEAD(REPLY, 1), &number);
    } else if (with_reply == 2) {
        fill_pattern(bytes, nbytes, number);
        cw_am_reply_medium(msg, HEAD(REPLY + 1, 1), &number, bytes, nbytes);
    } else {
        fill_pattern(bytes, nbytes, number);
        cw_am_reply_long(msg, HEAD(REPLY + 1, 1), &number, bytes, nbytes,
                         segment + (size_t)cw_world.pe * SLOT, 0);
    }
}

static void loaded(cw_am_msg_t *msg, void *payload, size_t nbytes, uint32_t number,
                   uint32_t with_reply)
{
    if (msg->kind == CW_AM_MEDIUM)
        CHECK(is_pattern(payload, nbytes, number));
    request(msg, number, with_reply);
}

static void reply(cw_am_msg_t *msg, uint32_t number)
{
    (void)msg, (void)number;
    atomic_fetch_add(&got_replies, 1);
}

static void loaded_reply(cw_am_msg_t *msg, void *payload, size_t nbytes, uint32_t number)
{
    if (msg->kind == CW_AM_MEDIUM)
        CHECK(is_pattern(payload, nbytes, number));
    atomic_fetch_add(&got_replies, 1);
}

static bool send_one(int pe, uint64_t *sum)
{
    uint32_t args[2] = {draw() & 0xffffff, draw() % 6};
    static uint8_t bytes[SLOT];
    size_t nbytes = draw() % 16 ? draw() % 200 : draw() % (CW_AM_PACKET + 1);
    *sum += args[0];
    switch (draw() % 8) {
    case 0:
    case 1:
        fill_pattern(bytes, nbytes, args[0]);
        cw_am_request_medium(pe, HEAD(REQUEST + 9, 2), args, bytes, nbytes, 0);
        break;
    case 2:
        nbytes = draw() % 16 ? nbytes : draw() % SLOT;
        cw_am_request_long(pe, HEAD(REQUEST + 9, 2), args, bytes, nbytes,
                           segment + (size_t)cw_world.pe * SLOT, 0);
        break;
    default:
        cw_am_request_short(pe, HEAD(REQUEST, 2), args, 0);
    }
    if (args[1] > 3)
        args[1] = 3;
    return args[1] != 0;
}

static long resident_kib(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%*s %ld", &pages) != 1)
        pages = 0;
    if (f)
        fclose(f);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static int target_of(const char *pattern, int i)
{
    int pe = cw_world.pe, npes = cw_world.npes;
    if (!strcmp(pattern, "ring"))
        return (pe + 1) % npes;
    if (!strcmp(pattern, "pair"))
        return (pe ^ 1) < npes ? pe ^ 1 : pe;
    if (!strcmp(pattern, "sink"))
        return 0;
    return (pe + i) % npes;
}

/** Computes for a moment without a call, from time to time. */
static void be_slow(void)
{
    uint64_t until = cwu_now_ns() + 200000;
    while (cwu_now_ns() < until)
        ;
}

static void flood(const char *pattern, int messages)
{
    int npes = cw_world.npes;
    uint64_t with_reply = 0, before = atomic_load(&got_replies);
    memset(sums, 0, (size_t)(npes * npes) * sizeof *sums);
    got_sum = 0;
    cw_barrier(cw_group_world);
    bool slow = !strcmp(pattern, "sink") && cw_world.pe == 0;
    uint64_t *to = calloc((size_t)npes, sizeof *to);
    for (int i = 0; i < messages && !slow; i++) {
        int pe = target_of(pattern, i);
        with_reply += send_one(pe, &to[pe]);
    }
    for (int i = 0; slow && i < messages / 50; i++) {
        be_slow();
        cw_am_poll();
    }
    await(&got_replies, before + with_reply);
    for (int pe = 0; pe < npes; pe++)
        cw_put(&cw_ctx_default, &sums[cw_world.pe], &to[pe], sizeof *to, pe);
    free(to);
    cw_quiet_default();
    cw_barrier(cw_group_world);
    uint64_t want = 0;
    for (int pe = 0; pe < npes; pe++)
        want += sums[pe];
    cw_wait_t w = CW_WAIT_INIT("flood");
    while (__atomic_load_n(&got_sum, __ATOMIC_RELAXED) != want)
        cw_wait_round(&w);
    cw_wait_done(&w);
    cw_barrier(cw_group_world);
    CHECK(got_sum == want && atomic_load(&got_replies) == before + with_reply);
}

int main(int argc, char **argv)
{
    const char *pattern = argc > 1 ? argv[1] : "all";
    int messages = argc > 2 ? atoi(argv[2]) : 5000;
    double seconds = argc > 3 ? atof(argv[3]) : 0;
    long most_kib = argc > 4 ? atol(argv[4]) : 4096;
    test_begin(CW_THREAD_SINGLE);
    cw_am_register(TEST_AM_CLIENT, REQUEST, (cw_am_handler_t)request);
    cw_am_register(TEST_AM_CLIENT, REQUEST + 9, (cw_am_handler_t)loaded);
    cw_am_register(TEST_AM_CLIENT, REPLY, (cw_am_handler_t)reply);
    cw_am_register(TEST_AM_CLIENT, REPLY + 1, (cw_am_handler_t)loaded_reply);
    segment = cw_heap_malloc(64, (size_t)cw_world.npes * SLOT);
    sums = cw_heap_malloc(64, (size_t)(cw_world.npes * cw_world.npes) * sizeof *sums);
    random_state = (uint64_t)cw_world.pe * 7919 + 12345;
    cw_barrier(cw_group_world);
    uint64_t start = cwu_now_ns();
    uint64_t *stop = cw_heap_malloc(64, sizeof *stop);
    long at_half_time = 0;  // pages of inboxes are touched one by one until then
    int rounds = 0;
    for (*stop = 0; !*stop; rounds++) {
        flood(pattern, messages);
        if ((double)(cwu_now_ns() - start) < seconds * 5e8)
            at_half_time = resident_kib();
        if (cw_world.pe == 0 && (double)(cwu_now_ns() - start) >= seconds * 1e9)
            for (int pe = 0; pe < cw_world.npes; pe++)
                cw_put(&cw_ctx_default, stop, &(uint64_t){1}, sizeof *stop, pe);
        cw_quiet_default();
        cw_barrier(cw_group_world);
    }
    long grown = at_half_time ? resident_kib() - at_half_time : 0;
    if (cw_world.pe == 0)
        printf("%s: %d rounds of %d messages a PE, grown by %ld KiB\n", pattern, rounds, messages,
               grown);
    CHECK(grown < most_kib);
    return test_finish();
}
