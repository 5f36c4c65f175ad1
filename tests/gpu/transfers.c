// SPDX-License-Identifier: BSD-3-Clause
//
// Puts, gets, single values, strided transfers and put with signal, with device memory on either
// side or both: from and to host memory, the device heap and device memory of the program's own; on
// the default context and one of a team.
#include <stdlib.h>

#include "gpu/device.h"

enum { MOST = 1200000 };
static const size_t sizes[] = {1, 8, 100, 4000, 20000, MOST};
enum { SIZES = sizeof sizes / sizeof *sizes };

static driver d;
static int me, npes, right, left;
static char *on_device, *source_on_device, *mine;  // device heap twice; the program's own
static char *on_host, *host, *seen;                // symmetric; private twice
static uint64_t signal_word;

static void look(const char *what, const void *device, size_t nbytes, int seed)
{
    memset(seen, 0, nbytes);
    shmem_getmem(seen, device, nbytes, me);
    size_t wrong = first_wrong(seen, nbytes, seed);
    CHECK(wrong == nbytes, "%s, %zu bytes: wrong at %zu", what, nbytes, wrong);
}

static void look_at_host(const char *what, const void *p, size_t nbytes, int seed)
{
    size_t wrong = first_wrong(p, nbytes, seed);
    CHECK(wrong == nbytes, "%s, %zu bytes: wrong at %zu", what, nbytes, wrong);
}

/** One seed for each sender and step. */
static int seed_of(int pe, int step)
{
    return pe * 1000 + step;
}

static void put_all(shmem_ctx_t ctx, int nbi, int step)
{
    void (*put)(shmem_ctx_t, void *, const void *, size_t, int) =
        nbi ? shmem_ctx_putmem_nbi : shmem_ctx_putmem;
    for (int s = 0; s < SIZES; s++) {
        size_t n = sizes[s];
        fill_pattern(host, n, seed_of(me, step));
        put(ctx, on_device, host, n, right);  // host to device
        shmem_ctx_quiet(ctx);
        shmem_barrier_all();
        look("host to device", on_device, n, seed_of(left, step));
        shmem_barrier_all();

        shmem_putmem(source_on_device, host, n, me);
        put(ctx, on_device, source_on_device, n, left);  // device to device
        put(ctx, on_host, source_on_device, n, right);   // device to host
        shmem_ctx_quiet(ctx);
        shmem_barrier_all();
        look("device to device", on_device, n, seed_of(right, step));
        look_at_host("device to host", on_host, n, seed_of(left, step));
        shmem_barrier_all();

        shmem_getmem(mine, source_on_device, n, me);
        put(ctx, on_device, mine, n, right);  // memory of the program's own
        shmem_ctx_quiet(ctx);
        shmem_barrier_all();
        look("own device memory to device", on_device, n, seed_of(left, step));
        shmem_barrier_all();
        step++;
    }
}

static void get_all(shmem_ctx_t ctx, int nbi, int step)
{
    void (*get)(shmem_ctx_t, void *, const void *, size_t, int) =
        nbi ? shmem_ctx_getmem_nbi : shmem_ctx_getmem;
    for (int s = 0; s < SIZES; s++) {
        size_t n = sizes[s];
        fill_pattern(host, n, seed_of(me, step));
        memcpy(on_host, host, n);
        shmem_putmem(source_on_device, host, n, me);
        shmem_barrier_all();
        get(ctx, host, source_on_device, n, right);  // device to host
        shmem_ctx_quiet(ctx);
        look_at_host("get device to host", host, n, seed_of(right, step));
        get(ctx, on_device, source_on_device, n, left);  // device to device
        shmem_ctx_quiet(ctx);
        look("get device to device", on_device, n, seed_of(left, step));
        get(ctx, mine, source_on_device, n, right);
        shmem_ctx_quiet(ctx);
        shmem_putmem(on_device, mine, n, me);
        look("get to own device memory", on_device, n, seed_of(right, step));
        get(ctx, on_device, on_host, n, left);  // host to device
        shmem_ctx_quiet(ctx);
        look("get host to device", on_device, n, seed_of(left, step));
        shmem_barrier_all();
        step++;
    }
}

#define VALUE(N, T, OF)                                                          \
    do {                                                                         \
        T *there = (T *)(void *)on_device;                                       \
        shmem_##N##_p(there + 1, (T)OF(me), right);                              \
        shmem_barrier_all();                                                     \
        CHECK(shmem_##N##_g(there + 1, me) == (T)OF(left), #N " p");             \
        CHECK(shmem_##N##_g(there + 1, right) == (T)OF(me), #N " g of another"); \
        shmem_barrier_all();                                                     \
    } while (0)
#define VALUE_OF(pe) ((pe)*3 + 7)

static void values(shmem_ctx_t ctx)
{
    VALUE(char, char, VALUE_OF);
    VALUE(short, short, VALUE_OF);
    VALUE(int, int, VALUE_OF);
    VALUE(long, long, VALUE_OF);
    VALUE(float, float, VALUE_OF);
    VALUE(double, double, VALUE_OF);
    VALUE(longdouble, long double, VALUE_OF);
    VALUE(uint64, uint64_t, VALUE_OF);
    int *there = (int *)(void *)on_device;
    shmem_ctx_int_p(ctx, there, 50 + me, right);
    shmem_ctx_quiet(ctx);
    shmem_barrier_all();
    CHECK(shmem_ctx_int_g(ctx, there, me) == 50 + left);
    shmem_barrier_all();
}

/** Element i of the target's row, every `dst` elements. */
static void strided(shmem_ctx_t ctx, ptrdiff_t dst, ptrdiff_t sst, size_t n)
{
    int *target = (int *)(void *)on_device, *source = (int *)(void *)host;
    int *back = (int *)(void *)seen, *host_target = (int *)(void *)on_host;
    for (size_t i = 0; i < n; i++)
        source[i * (size_t)sst] = me * 100000 + (int)i;
    shmem_putmem(source_on_device, source, n * (size_t)sst * sizeof *source, me);
    const int *from[] = {source, (int *)(void *)source_on_device};
    for (int k = 0; k < 2; k++) {
        memset(seen, 0xff, n * (size_t)dst * sizeof *back);
        shmem_putmem(target, seen, n * (size_t)dst * sizeof *back, me);
        shmem_barrier_all();
        shmem_ctx_int_iput(ctx, target, from[k], dst, sst, n, right);
        shmem_ctx_quiet(ctx);
        shmem_barrier_all();
        shmem_getmem(back, target, n * (size_t)dst * sizeof *back, me);
        int wrong = 0;
        for (size_t i = 0; i < n * (size_t)dst; i++)
            wrong += back[i] != (i % (size_t)dst ? -1 : left * 100000 + (int)(i / (size_t)dst));
        CHECK(wrong == 0, "iput from %s, strides %td and %td, %zu elements: %d wrong",
              k ? "device" : "host", dst, sst, n, wrong);
        memset(back, 0, n * sizeof *back);
        shmem_ctx_int_iget(ctx, back, target, 1, dst, n, right);
        for (size_t i = wrong = 0; i < n; i++)
            wrong += back[i] != me * 100000 + (int)i;
        CHECK(wrong == 0, "iget, stride %td, %zu elements: %d wrong", dst, n, wrong);
        shmem_barrier_all();
    }
    memset(host_target, 0, n * (size_t)dst * sizeof *host_target);
    shmem_barrier_all();
    shmem_ctx_int_iput(ctx, host_target, (int *)(void *)source_on_device, dst, sst, n, left);
    shmem_ctx_quiet(ctx);
    shmem_barrier_all();
    int wrong = 0;
    for (size_t i = 0; i < n; i++)
        wrong += host_target[i * (size_t)dst] != right * 100000 + (int)i;
    CHECK(wrong == 0, "iput from device to host: %d wrong", wrong);
    shmem_int_iget(target, host_target, sst, dst, n, right);
    shmem_int_iget(back, target, 1, sst, n, me);
    for (size_t i = wrong = 0; i < n; i++)
        wrong += back[i] != (right + 1) % npes * 100000 + (int)i;
    CHECK(wrong == 0, "iget from host to device: %d wrong", wrong);
    shmem_barrier_all();
}

/** Blocks longer than a message, with gaps. */
static void blocks(void)
{
    enum { BLOCK = 3000, GAP = 11, N = 9 };
    for (size_t i = 0; i < BLOCK * N; i++)
        ((int *)(void *)host)[i] = me * 1000000 + (int)i;
    shmem_int_ibput((int *)(void *)on_device, (int *)(void *)host, BLOCK + GAP, BLOCK, BLOCK, N,
                    right);
    shmem_barrier_all();
    memset(seen, 0, BLOCK * N * sizeof(int));
    shmem_int_ibget((int *)(void *)seen, (int *)(void *)on_device, BLOCK, BLOCK + GAP, BLOCK, N,
                    me);
    int wrong = 0;
    for (size_t i = 0; i < BLOCK * N; i++)
        wrong += ((int *)(void *)seen)[i] != left * 1000000 + (int)i;
    CHECK(wrong == 0, "blocks: %d wrong", wrong);
    shmem_barrier_all();
}

static void signals(int nbi)
{
    uint64_t *on_device_word = (uint64_t *)(void *)(on_device + MOST - 64);
    static const size_t lengths[] = {8, 3000, 200000};
    for (int k = 0; k < 3; k++) {
        size_t n = lengths[k];
        signal_word = 0;
        shmem_uint64_p(on_device_word, 5, me);
        fill_pattern(host, n, seed_of(me, 50 + k));
        shmem_putmem(source_on_device, host, n, me);
        shmem_barrier_all();
        (nbi ? shmem_putmem_signal_nbi
             : shmem_putmem_signal)(on_device, k == 1 ? source_on_device : host, n, &signal_word,
                                    (uint64_t)me + 1, SHMEM_SIGNAL_SET, right);
        shmem_signal_wait_until(&signal_word, SHMEM_CMP_EQ, (uint64_t)left + 1);
        look("put with signal", on_device, n, seed_of(left, 50 + k));
        shmem_barrier_all();
        shmem_putmem_signal(on_device, host, n, on_device_word, 10, SHMEM_SIGNAL_ADD, right);
        shmem_barrier_all();
        CHECK(shmem_uint64_g(on_device_word, me) == 15, "a signal word on the device");
        shmem_barrier_all();
    }
}

/** From one place of the program, between host memory and the program's own of either kind in turn:
 *  what is remembered of the one (CAUSEWAY_CHECK=1) says nothing of the other. */
static void in_turn(void)
{
    enum { N = 3000, TURNS = 8 };
    for (int turn = 0; turn < TURNS; turn++) {
        char *local = turn % 2 ? mine : host;
        fill_pattern(host, N, seed_of(me, 80 + turn));
        shmem_putmem(source_on_device, host, N, me);
        shmem_getmem(mine, source_on_device, N, me);
        shmem_putmem(on_host, local, N, right);
        shmem_barrier_all();
        look_at_host("put in turn", on_host, N, seed_of(left, 80 + turn));
        memset(host, 0, N);
        shmem_getmem(local, on_host, N, right);
        shmem_putmem(source_on_device, local, N, me);
        look("get in turn", source_on_device, N, seed_of(me, 80 + turn));
        shmem_barrier_all();
    }
}

/** A context that is current stays so, and none stays none. */
static void contexts(void)
{
    void *context, *now = &now;
    REQUIRE(d.cuCtxGetCurrent(&now) == 0);
    CHECK(now == NULL, "a context was left behind");
    REQUIRE(d.cuDevicePrimaryCtxRetain(&context, 0) == 0);
    REQUIRE(d.cuCtxPushCurrent_v2(context) == 0);
    shmem_int_p((int *)(void *)on_device, 1, right);
    REQUIRE(d.cuCtxGetCurrent(&now) == 0);
    CHECK(now == context, "another context is current");
    REQUIRE(d.cuCtxPopCurrent_v2(&now) == 0);
    REQUIRE(d.cuCtxGetCurrent(&now) == 0);
    CHECK(now == NULL, "not as many contexts as before");
    shmem_barrier_all();
}

/** Host memory goes on as before, through paths that are all cold now. */
static void host_memory(void)
{
    int *word = (int *)(void *)on_host;
    *word = 0;
    shmem_barrier_all();
    shmem_int_p(word, me + 1, right);
    shmem_int_wait_until(word, SHMEM_CMP_EQ, left + 1);
    CHECK(shmem_int_g(word, right) == me + 1);
    shmem_barrier_all();
    for (int i = 0; i < 100; i++)
        shmem_int_atomic_inc(word, 0);
    shmem_barrier_all();
    CHECK(shmem_int_g(word, 0) == npes - 1 + 1 + 100 * npes);
    CHECK(shmem_ptr(word, me) == word);
    CHECK(shmem_ptr(on_device, me) == NULL, "no processor loads it");
    CHECK(shmem_addr_accessible(on_device, right));
    shmem_barrier_all();
}

int main(void)
{
    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
    right = (me + 1) % npes;
    left = (me + npes - 1) % npes;
    check_as("PE", me, npes);
    shmem_ctx_t before = SHMEM_CTX_INVALID, ctx = SHMEM_CTX_INVALID;
    shmem_ctx_create(0, &before);  // there when the heap appears
    REQUIRE(shmemx_device_heap(3 * (size_t)MOST) == 0);
    driver_find(&d);
    on_device = shmemx_device_malloc(MOST);
    source_on_device = shmemx_device_malloc(MOST);
    mine = driver_alloc(&d, MOST);
    on_host = shmem_malloc(MOST);
    host = malloc(MOST);
    seen = malloc(MOST);
    REQUIRE(on_device && source_on_device && on_host && host && seen);
    shmem_team_t team = SHMEM_TEAM_INVALID;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes, NULL, 0, &team);
    REQUIRE(shmem_team_create_ctx(team, 0, &ctx) == 0);
    contexts();
    host_memory();
    put_all(SHMEM_CTX_DEFAULT, 0, 0);
    put_all(ctx, 1, 20);
    get_all(SHMEM_CTX_DEFAULT, 0, 40);
    get_all(before, 1, 60);
    values(before);
    strided(SHMEM_CTX_DEFAULT, 3, 2, 1000);
    strided(ctx, 2, 1, 30000);
    strided(before, 1, 1, 5);
    blocks();
    signals(0);
    signals(1);
    in_turn();
    contexts();
    driver_free(&d, mine);
    shmem_ctx_destroy(ctx);
    shmem_ctx_destroy(before);
    shmem_team_destroy(team);
    shmem_free(on_host);
    shmemx_device_free(source_on_device);
    shmemx_device_free(on_device);
    shmem_finalize();
    return check_result();
}
