// SPDX-License-Identifier: BSD-3-Clause
//
// Every call of causeway/device.h from kernels, on the symmetric heap, static data and the device
// heap of this PE, its node's and other nodes' PEs, with every byte looked at; and storms of
// kernels and processors on the same words, with exact sums.
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "gpu/kernels.h"

enum { ROOM = 6000, SIZES = 9, BLOCKS = 3, THREADS = 7, ROUNDS = 12, STORM_PES = 8 };

static const size_t sizes[SIZES] = {0, 1, 3, 8, 16, 100, 1000, 4099, 5000};
static int me, npes;
static unsigned char in_data[2 * ROOM];  // symmetric, as all of the next
static unsigned char *memory[3];         // in_data, of the symmetric heap, of the device heap
static uint64_t *words[4];
static uint64_t data_words[64];
static unsigned char *mine;  // on the device
static unsigned char *late;  // of the symmetric heap, not reached by kernels
#define LATE ((size_t)1 << 20)

static const char *const all[] = {"scalars", "put_bytes", "get_bytes", "put_signals", "atomics",
                                  "storm",   "waits",     "ordered",   "lone",        "flood",
                                  "wild",    "reach",     NULL};

KERNEL(reach)
{
    void **at = arg;
    at[0] = cwd_ptr(w, at[0], me);
    at[1] = cwd_ptr(w, at[1], me);
}

// ---------------------------------------------------------------- values
typedef struct scalar {
    int pe;
    unsigned char *at;
    unsigned wrong;
} scalar_t;

KERNEL(scalars)
{
    scalar_t *s = arg;
    int64_t *p = (int64_t *)(void *)s->at;
    CHECK(cwd_my_pe(w) == me && cwd_n_pes(w) == npes);
#define ONE(TYPE, type, i, v)                               \
    cwd_##TYPE##_p(w, (type *)(void *)(p + (i)), v, s->pe); \
    cwd_quiet(w);                                           \
    s->wrong += cwd_##TYPE##_g(w, (type *)(void *)(p + (i)), s->pe) != (v)
    ONE(int8, int8_t, 0, -3);
    ONE(uint8, uint8_t, 1, 200);
    ONE(int16, int16_t, 2, -300);
    ONE(uint16, uint16_t, 3, 60000);
    ONE(int32, int32_t, 4, -70000);
    ONE(uint32, uint32_t, 5, 4000000000u);
    ONE(int64, int64_t, 6, INT64_MIN + 5);
    ONE(uint64, uint64_t, 7, UINT64_MAX - 5);
    ONE(float, float, 8, 1.5f);
    ONE(double, double, 9, -2.25);
#undef ONE
}

/** What p must have left, and nothing beside it. */
static void check_scalars(void *symmetric, int pe)
{
    static const uint64_t expected[10] = {0xfd,
                                          200,
                                          0xfed4,
                                          60000,
                                          0xfffeee90,
                                          4000000000u,
                                          (uint64_t)INT64_MIN + 5,
                                          UINT64_MAX - 5,
                                          0x3fc00000,
                                          0xc002000000000000u};
    uint64_t seen[12];
    shmem_getmem(seen, symmetric, sizeof seen, pe);
    for (int i = 0; i < 12; i++)
        CHECK(seen[i] == (i < 10 ? expected[i] : 0), "PE %d, word %d: %llx", pe, i,
              (unsigned long long)seen[i]);
}

static void clear(void *symmetric, size_t nbytes, int pe)
{
    static unsigned char zeros[2 * ROOM];
    shmem_putmem(symmetric, zeros, nbytes, pe);
    shmem_quiet();
}

static void do_scalars(int kind, int pe)
{
    scalar_t s = {pe, memory[kind], 0};
    clear(memory[kind], 12 * sizeof(uint64_t), pe);
    launch("scalars", 1, 1, &s);
    CHECK(s.wrong == 0, "%u values of kind %d on PE %d", s.wrong, kind, pe);
    check_scalars(memory[kind], pe);
}

// ---------------------------------------------------------------- bytes
typedef struct bytes {
    int pe, group, nbi, op;
    unsigned char *dest, *src;
    size_t nbytes;
    uint64_t *sig, value;
} bytes_t;

KERNEL(put_bytes)
{
    bytes_t *b = arg;
    if (b->group == 0 && CWD_THREAD() != 0)
        return;
    void (*const put[3][2])(const cwd_world_t *, void *, const void *, uint64_t,
                            int) = {{cwd_put, cwd_put_nbi},
                                    {cwd_put_warp, cwd_put_nbi_warp},
                                    {cwd_put_block, cwd_put_nbi_block}};
    put[b->group][b->nbi](w, b->dest, b->src, b->nbytes, b->pe);
    cwd_quiet(w);
}

KERNEL(get_bytes)
{
    bytes_t *b = arg;
    if (b->group == 0 && CWD_THREAD() != 0)
        return;
    void (*const get[3][2])(const cwd_world_t *, void *, const void *, uint64_t,
                            int) = {{cwd_get, cwd_get_nbi},
                                    {cwd_get_warp, cwd_get_nbi_warp},
                                    {cwd_get_block, cwd_get_nbi_block}};
    get[b->group][b->nbi](w, b->dest, b->src, b->nbytes, b->pe);
    cwd_quiet(w);
}

KERNEL(put_signals)
{
    bytes_t *b = arg;
    if (b->group == 0 && CWD_THREAD() != 0)
        return;
    if (b->group == 0)
        cwd_put_signal(w, b->dest, b->src, b->nbytes, b->sig, b->value, b->op, b->pe);
    else if (b->group == 1 && CWD_THREAD() < CWD_WARP)  // one warp: an addition must be one
        cwd_put_signal(w, b->dest, b->src, CWD_THREAD() ? 0 : b->nbytes, b->sig,
                       CWD_THREAD() ? 0 : b->value, CWD_THREAD() ? CWD_SIGNAL_ADD : b->op, b->pe);
    else if (b->group == 2)
        cwd_put_signal_block(w, b->dest, b->src, b->nbytes, b->sig, b->value, b->op, b->pe);
    cwd_quiet(w);
}

/** Nothing around what was moved has changed. at: what lies in `ROOM` bytes that were zeros. */
static void check_bytes(const unsigned char *at, size_t offset, size_t nbytes, int seed)
{
    size_t wrong = first_wrong(at + offset, nbytes, seed), beside = 0;
    CHECK(wrong == nbytes, "wrong at %zu of %zu", wrong, nbytes);
    for (size_t i = 0; i < ROOM; i++)
        beside += (i < offset || i >= offset + nbytes) && at[i];
    CHECK(beside == 0, "%zu bytes beside %zu", beside, nbytes);
}

static void fill_mine(size_t offset, size_t nbytes, int seed)
{
    static unsigned char from[2 * ROOM];
    fill_pattern(from, nbytes, seed);
    clear(mine, 2 * ROOM, me);
    shmem_putmem(mine + offset, from, nbytes, me);
    shmem_quiet();
}

/** From `mine` to memory of that kind, and back. */
static void do_bytes(int kind, int pe, int i, int group, int nbi)
{
    static unsigned char seen[ROOM];
    size_t to = (size_t)(i * 7 % 24), from = (size_t)(i % 3) * 8 + (size_t)(i % 2);
    bytes_t b = {.pe = pe, .group = group, .nbi = nbi, .nbytes = sizes[i]};
    b.dest = memory[kind] + to;
    b.src = mine + from;
    fill_mine(from, sizes[i], i + pe);
    clear(memory[kind], ROOM, pe);
    launch("put_bytes", 1, THREADS, &b);
    shmem_getmem(seen, memory[kind], ROOM, pe);
    check_bytes(seen, to, sizes[i], i + pe);
    clear(mine, ROOM, me);
    b.dest = mine + from;
    b.src = memory[kind] + to;
    launch("get_bytes", 1, THREADS, &b);
    shmem_getmem(seen, mine, ROOM, me);
    check_bytes(seen, from, sizes[i], i + pe);
}

/** Between symmetric memory of the host here and there. */
static void do_host_to_host(int pe)
{
    static unsigned char seen[ROOM];
    bytes_t b = {.pe = pe, .group = 2, .dest = memory[1] + 4, .src = in_data + ROOM, .nbytes = 999};
    fill_pattern(in_data + ROOM, 999, pe);
    clear(memory[1], ROOM, pe);
    launch("put_bytes", 1, THREADS, &b);
    shmem_getmem(seen, memory[1], ROOM, pe);
    check_bytes(seen, 4, 999, pe);
    memset(in_data + ROOM, 0, ROOM);
    b.dest = in_data + ROOM + 1;
    b.src = memory[1] + 4;
    launch("get_bytes", 1, THREADS, &b);
    check_bytes(in_data + ROOM, 1, 999, pe);
}

static void do_atomics(int kind, int pe);

/** Memory of the host that came after the handle, on either side. */
static void do_late(int pe)
{
    static unsigned char seen[ROOM];
    unsigned char *at = late + LATE - ROOM;
    bytes_t b = {.pe = pe, .group = pe % 3, .dest = at + 3, .src = mine, .nbytes = 500};
    fill_mine(0, 500, pe);
    clear(at, ROOM, pe);
    launch("put_bytes", 1, THREADS, &b);
    shmem_getmem(seen, at, ROOM, pe);
    check_bytes(seen, 3, 500, pe);
    clear(at, ROOM, me);
    memset(in_data, 0, ROOM);
    b = (bytes_t){.pe = me, .group = pe % 3, .dest = at, .src = mine, .nbytes = 500};
    launch("get_bytes", 1, THREADS, &b);
    check_bytes(at, 0, 500, pe);
    b = (bytes_t){.pe = me, .dest = in_data, .src = at, .nbytes = 500};
    launch("put_bytes", 1, 1, &b);
    check_bytes(in_data, 0, 500, pe);
    words[3] = (uint64_t *)(void *)(at - 64);
    do_atomics(3, pe);
}

static void do_signals(int kind, int pe)
{
    static unsigned char seen[ROOM];
    for (int i = 0; i < 12; i++) {
        int group = i % 3, op = i % 2 ? CWD_SIGNAL_ADD : CWD_SIGNAL_SET, sig_kind = i / 4;
        uint64_t *sig = words[sig_kind] + 20 + me;
        bytes_t b = {.pe = pe,
                     .group = group,
                     .op = op,
                     .dest = memory[kind] + i,
                     .src = mine,
                     .nbytes = sizes[i % SIZES],
                     .sig = sig,
                     .value = 5};
        fill_mine(0, b.nbytes, i);
        clear(memory[kind], ROOM, pe);
        shmem_uint64_p(sig, 100, pe);
        shmem_quiet();
        launch("put_signals", 1, THREADS, &b);
        shmem_getmem(seen, memory[kind], ROOM, pe);
        check_bytes(seen, (size_t)i, b.nbytes, i);
        uint64_t value = shmem_uint64_g(sig, pe);
        CHECK(value == (op == CWD_SIGNAL_ADD ? 105 : 5), "signal %llu", (unsigned long long)value);
    }
}

// ---------------------------------------------------------------- atomics
typedef struct atomics {
    int pe;
    void *word;
    unsigned wrong;
} atomics_t;

KERNEL(atomics)
{
    atomics_t *a = arg;
    int pe = a->pe;
#define ALL(TYPE, type, p)                                                \
    cwd_##TYPE##_atomic_set(w, p, (type)-40, pe);                         \
    cwd_quiet(w);                                                         \
    a->wrong += cwd_##TYPE##_atomic_fetch(w, p, pe) != (type)-40;         \
    a->wrong += cwd_##TYPE##_atomic_fetch_add(w, p, 82, pe) != (type)-40; \
    a->wrong += cwd_##TYPE##_atomic_swap(w, p, 7, pe) != 42;              \
    a->wrong += cwd_##TYPE##_atomic_compare_swap(w, p, 6, 100, pe) != 7;  \
    a->wrong += cwd_##TYPE##_atomic_compare_swap(w, p, 7, 8, pe) != 7;    \
    a->wrong += cwd_##TYPE##_atomic_fetch_inc(w, p, pe) != 8;             \
    cwd_##TYPE##_atomic_inc(w, p, pe);                                    \
    cwd_##TYPE##_atomic_add(w, p, (type)-3, pe);                          \
    cwd_quiet(w);                                                         \
    a->wrong += cwd_##TYPE##_atomic_fetch_xor(w, p, 0xff, pe) != 7;       \
    a->wrong += cwd_##TYPE##_atomic_fetch_and(w, p, 0xf0, pe) != 0xf8;    \
    a->wrong += cwd_##TYPE##_atomic_fetch_or(w, p, 3, pe) != 0xf0;        \
    cwd_##TYPE##_atomic_xor(w, p, 1, pe);                                 \
    cwd_##TYPE##_atomic_or(w, p, 0x100, pe);                              \
    cwd_##TYPE##_atomic_and(w, p, (type)~0x10, pe);                       \
    cwd_fence(w);                                                         \
    a->wrong += cwd_##TYPE##_atomic_fetch(w, p, pe) != 0x1e2
    ALL(int64, int64_t, (int64_t *)a->word);
    ALL(uint64, uint64_t, (uint64_t *)a->word + 1);
    ALL(int32, int32_t, (int32_t *)a->word + 4);
    ALL(uint32, uint32_t, (uint32_t *)a->word + 6);
#undef ALL
}

static void do_atomics(int kind, int pe)
{
    atomics_t a = {pe, words[kind], 0};
    uint64_t seen[5];
    clear(words[kind], sizeof seen, pe);
    launch("atomics", 1, 1, &a);
    CHECK(a.wrong == 0, "%u atomics on words of kind %d of PE %d", a.wrong, kind, pe);
    shmem_getmem(seen, words[kind], sizeof seen, pe);
    CHECK(seen[0] == 0x1e2 && seen[1] == 0x1e2 && seen[2] == 0x1e2 && seen[3] == 0x1e2 && !seen[4],
          "%llx %llx %llx %llx", (unsigned long long)seen[0], (unsigned long long)seen[1],
          (unsigned long long)seen[2], (unsigned long long)seen[3]);
}

// ---------------------------------------------------------------- kernels beside processors
KERNEL(storm)
{
    for (int round = 0; round < ROUNDS; round++)
        for (int pe = 0; pe < npes; pe++)
            for (int kind = 0; kind < 3; kind++) {
                cwd_uint64_atomic_add(w, words[kind] + 10, 1, pe);
                (void)cwd_uint64_atomic_fetch_add(w, words[kind] + 11, 2, pe);
                cwd_uint32_atomic_inc(w, (uint32_t *)(words[kind] + 12), pe);
                uint64_t old = cwd_uint64_atomic_fetch(w, words[kind] + 13, pe), now;
                while ((now = cwd_uint64_atomic_compare_swap(w, words[kind] + 13, old, old + 1,
                                                             pe)) != old)
                    old = now;
            }
    cwd_quiet(w);
}

static void *storm_here(void *arg)
{
    (void)arg;
    for (int round = 0; round < ROUNDS; round++)
        for (int pe = 0; pe < npes; pe++)
            for (int kind = 0; kind < 3; kind++) {
                shmem_uint64_atomic_add(words[kind] + 10, 1, pe);
                (void)shmem_uint64_atomic_fetch_add(words[kind] + 11, 2, pe);
                shmem_uint32_atomic_inc((uint32_t *)(words[kind] + 12), pe);
                uint64_t old = shmem_uint64_atomic_fetch(words[kind] + 13, pe), now;
                while ((now = shmem_uint64_atomic_compare_swap(words[kind] + 13, old, old + 1,
                                                               pe)) != old)
                    old = now;
            }
    shmem_quiet();
    return NULL;
}

static void do_storm(void)
{
    pthread_t thread;
    const uint64_t each = ROUNDS * (BLOCKS * 2 + 2), n = each * (uint64_t)npes;
    for (int kind = 0; kind < 3; kind++)
        clear(words[kind] + 10, 5 * sizeof(uint64_t), me);
    shmem_barrier_all();
    start("storm", BLOCKS, 2, NULL);
    REQUIRE(pthread_create(&thread, NULL, storm_here, NULL) == 0);
    storm_here(NULL);
    pthread_join(thread, NULL);
    CHECK(k.cuCtxSynchronize() == 0);
    shmem_barrier_all();
    for (int kind = 0; kind < 3; kind++) {
        uint64_t seen[5];
        shmem_getmem(seen, words[kind] + 10, sizeof seen, me);
        CHECK(seen[0] == n && seen[1] == 2 * n && seen[2] == n && seen[3] == n && seen[4] == 0,
              "kind %d: %llu %llu %llu %llu of %llu", kind, (unsigned long long)seen[0],
              (unsigned long long)seen[1], (unsigned long long)seen[2], (unsigned long long)seen[3],
              (unsigned long long)n);
    }
    shmem_barrier_all();
}

// ---------------------------------------------------------------- waits and order
typedef struct turn {
    int kind;
    unsigned wrong;
} turn_t;

/** Waits for a processor of the PE at the left, and answers to a processor of the one at the right:
 *  no kernel waits for a kernel. */
KERNEL(waits)
{
    turn_t *t = arg;
    uint64_t *flag = words[t->kind] + 30;
    int to = (me + 1) % npes;
    t->wrong += cwd_signal_wait_until(w, flag, CWD_GE, 3) != 3;
    t->wrong += cwd_int32_wait_until(w, (int32_t *)(void *)(flag + 1), CWD_LT, -1) != -2;
    t->wrong += cwd_uint32_wait_until(w, (uint32_t *)(void *)(flag + 2), CWD_NE, 0) != 9;
    t->wrong += cwd_int64_wait_until(w, (int64_t *)(void *)(flag + 3), CWD_EQ, 11) != 11;
    t->wrong += cwd_uint64_wait_until(w, flag + 3, CWD_LE, 11) != 11;
    t->wrong += cwd_uint64_wait_until(w, flag + 3, CWD_GT, 10) != 11;
    cwd_put_signal(w, memory[1], mine, 777, data_words + 40, 1, CWD_SIGNAL_ADD, to);
}

static void do_waits(int kind)
{
    turn_t t = {kind, 0};
    uint64_t *flag = words[kind] + 30;
    int to = (me + 1) % npes;
    fill_mine(0, 777, kind);
    clear(flag, 4 * sizeof *flag, me);
    clear(memory[1], ROOM, me);
    data_words[40] = 0;
    shmem_barrier_all();
    start("waits", 1, 1, &t);
    shmem_uint64_p(flag, 3, to);
    shmem_int32_p((int32_t *)(void *)(flag + 1), -2, to);
    shmem_uint32_p((uint32_t *)(void *)(flag + 2), 9, to);
    shmem_uint64_p(flag + 3, 11, to);
    shmem_signal_wait_until(data_words + 40, SHMEM_CMP_EQ, 1);
    check_bytes(memory[1], 0, 777, kind);
    CHECK(k.cuCtxSynchronize() == 0);
    CHECK(t.wrong == 0, "%u waits", t.wrong);
    shmem_barrier_all();
}

/** Data by several ways, a fence, a flag; a processor of the target looks. */
KERNEL(ordered)
{
    int to = (me + 1) % npes;
    for (uint64_t i = 1; i <= ROUNDS; i++) {
        cwd_uint64_p(w, data_words + 41, i, to);
        cwd_put_nbi(w, data_words + 42, mine + 8 * i, 8, to);
        cwd_uint64_atomic_add(w, data_words + 43, 1, to);
        cwd_fence(w);
        cwd_uint64_p(w, data_words + 44, i, to);
        cwd_signal_wait_until(w, data_words + 45, CWD_GE, i);
    }
}

static void do_ordered(void)
{
    int left = (me + npes - 1) % npes;
    uint64_t numbers[ROUNDS + 1];
    for (uint64_t i = 0; i <= ROUNDS; i++)
        numbers[i] = i;
    shmem_putmem(mine, numbers, sizeof numbers, me);
    memset(data_words + 41, 0, 5 * sizeof *data_words);
    shmem_barrier_all();
    start("ordered", 1, 1, NULL);
    for (uint64_t i = 1; i <= ROUNDS; i++) {
        shmem_uint64_wait_until(data_words + 44, SHMEM_CMP_GE, i);
        CHECK(data_words[41] == i && data_words[42] == i && data_words[43] == i,
              "%llu: %llu %llu %llu", (unsigned long long)i, (unsigned long long)data_words[41],
              (unsigned long long)data_words[42], (unsigned long long)data_words[43]);
        shmem_uint64_p(data_words + 45, i, left);
    }
    CHECK(k.cuCtxSynchronize() == 0);
    shmem_barrier_all();
}

/** A sleeping processor sees a store that rings no doorbell. */
KERNEL(lone)
{
    usleep(100000);
    cwd_uint64_p(w, data_words + 46, 1, (me + 1) % npes);
}

/** More than the ring holds, by more threads than it has places. */
KERNEL(flood)
{
    int to = (me + 1) % npes;
    for (int i = 0; i < 400; i++)
        cwd_uint64_atomic_add(w, words[1] + 15, 1, to);
    (void)cwd_uint64_atomic_fetch_inc(w, words[1] + 15, to);
}

static void do_flood(void)
{
    clear(words[1] + 15, sizeof(uint64_t), me);
    data_words[46] = 0;
    shmem_barrier_all();
    start("lone", 1, 1, NULL);
    shmem_uint64_wait_until(data_words + 46, SHMEM_CMP_EQ, 1);
    launch("flood", 2, 6, NULL);
    shmemx_device_world_end();  // what is in the ring is executed all the same
    shmemx_device_world(&world);
    launch("storm", 0 + 1, 1, NULL);  // its quiet completes the rest
    shmem_barrier_all();
    CHECK(shmem_uint64_g(words[1] + 15, me) == 2 * 6 * 401);
    shmem_barrier_all();
}

// ---------------------------------------------------------------- requests that name what is not
typedef struct wild {
    int what, pe;
    char *far_at, *near_at;
    uint64_t nbytes;
} wild_t;

KERNEL(wild)
{
    wild_t *x = arg;
    cwd_request_t r = cwd_request_of(x->what, x->far_at, x->near_at, x->nbytes, x->pe);
    r.amo = CWD_AMO_ADD;
    r.width = x->what == CWD_P ? 3 : 8;
    r.signal_at = (uintptr_t)x->far_at + 4;
    cwd_send(w, &r, 1);
}

static void do_wild(const char *which)
{
    char *there = (char *)memory[1], *device = (char *)memory[2];
    char *private = malloc(100);
    wild_t x = {CWD_PUT, 0, there, (char *)mine, 8};
    if (strcmp(which, "pe") == 0)
        x.pe = npes;
    else if (strcmp(which, "before") == 0)
        x.pe = -1;
    else if (strcmp(which, "far") == 0)
        x.far_at = private;
    else if (strcmp(which, "beyond") == 0)
        x.far_at = device, x.nbytes = world.device_nbytes;
    else if (strcmp(which, "huge") == 0)
        x.nbytes = UINT64_MAX - 3;
    else if (strcmp(which, "near") == 0)
        x.near_at = private;
    else if (strcmp(which, "hole") == 0)
        x.near_at = (char *)(uintptr_t)(world.device_at + world.device_nbytes * (1 + (unsigned)me));
    else if (strcmp(which, "kind") == 0)
        x.what = 99;
    else if (strcmp(which, "width") == 0)
        x.what = CWD_P;
    else if (strcmp(which, "odd") == 0)
        x.what = CWD_AMO, x.far_at += 4;
    else if (strcmp(which, "signal") == 0)
        x.what = CWD_PUT_SIGNAL;
    launch("wild", 1, 1, &x);
    free(private);
}

// ---------------------------------------------------------------- main
static void do_pe(int pe)
{
    for (int kind = 0; kind < 3; kind++) {
        do_scalars(kind, pe);
        do_atomics(kind, pe);
        for (int i = 0; i < SIZES; i++)
            do_bytes(kind, pe, i, (i + pe) % 3, (i + kind) % 2);
        do_signals(kind, pe);
    }
    do_host_to_host(pe);
    do_late(pe);
}

int main(int argc, char **argv)
{
    int provided;
    REQUIRE(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) == 0);
    me = shmem_my_pe();
    npes = shmem_n_pes();
    check_as("PE", me, npes);
    REQUIRE(shmemx_device_heap(1 << 20) == 0);
    REQUIRE(shmemx_device_world(&world) == 0);
    kernels_load(all);
    memory[0] = in_data;
    memory[1] = shmem_malloc(2 * ROOM);
    memory[2] = shmemx_device_malloc(2 * ROOM);
    mine = shmemx_device_malloc(2 * ROOM);
    words[0] = data_words;
    words[1] = shmem_calloc(64, sizeof(uint64_t));
    words[2] = shmemx_device_calloc(64, sizeof(uint64_t));
    late = shmem_calloc(1, LATE);  // behind what kernels reach
    REQUIRE(memory[1] && memory[2] && mine && words[1] && words[2] && late);
    REQUIRE(shmemx_device_world(&world) == 0);  // now they reach all
    unsigned char *later = shmem_calloc(1, LATE);
    REQUIRE(later != NULL);
    void *ends[] = {late + LATE - 1, later + LATE - 1};
    launch("reach", 1, 1, ends);
    CHECK(ends[0] != NULL && ends[1] == NULL);
    shmem_free(late);
    late = later;
    if (argc > 1) {
        if (me == 0)
            do_wild(argv[1]);
        shmem_barrier_all();
        shmem_finalize();
        return check_result();
    }
    for (int pe = 0; pe < npes; pe++) {  // one PE at a time: they use the same memory
        for (int by = 0; by < npes; by++) {
            if (by == me)
                do_pe(pe);
            shmem_barrier_all();
        }
    }
    do_storm();
    for (int kind = 0; kind < 3; kind++)
        do_waits(kind);
    do_ordered();
    do_flood();
    shmem_free(late);
    shmem_free(words[1]);
    shmem_free(memory[1]);
    CHECK(atomics_astray == 0, "%u atomics of the device on memory of the host", atomics_astray);
    shmemx_device_world_end();
    shmem_finalize();
    return check_result();
}
