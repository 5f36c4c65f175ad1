// SPDX-License-Identifier: BSD-3-Clause
//
// Random collectives over the world and over active sets, back to back with one source and one
// destination, against results that every PE computes by itself. All PEs draw the same numbers, so
// all know the next call.
//
//     collectives ROUNDS [SEED [LARGEST]]      LARGEST: most bytes of a block
#include "drawn.h"

#include <string.h>

enum { SETS = 12 };

typedef struct set {
    int start, log_stride, size;
    long *psync;
} set_t;

static set_t sets[SETS];
static size_t source_nbytes, dest_nbytes;
static void *work;
static uint64_t flags[SETS];

static void fail(const char *what, const set_t *set, size_t i)
{
    fprintf(stderr, "FAIL PE %d round %d: %s over (%d, %d, %d) is wrong at element %zu\n", me,
            round_no, what, set->start, set->log_stride, set->size, i);
    shmem_global_exit(1);
}

static int pe_of(const set_t *set, int rank)
{
    return set->start + (rank << set->log_stride);
}

static int rank_in(const set_t *set)
{
    int away = me - set->start;
    if (away < 0 || away & ((1 << set->log_stride) - 1) || away >> set->log_stride >= set->size)
        return -1;
    return away >> set->log_stride;
}

static uint64_t get(const void *array, size_t i, int bits)
{
    return bits == 32 ? ((const uint32_t *)array)[i] : ((const uint64_t *)array)[i];
}

static uint64_t cut(uint64_t x, int bits)
{
    return bits == 32 ? (uint32_t)x : x;
}

static void fill(void *array, size_t n, int bits)
{
    for (size_t i = 0; i < n; i++)
        if (bits == 32)
            ((uint32_t *)array)[i] = (uint32_t)word(me, i);
        else
            ((uint64_t *)array)[i] = word(me, i);
}

/** Checks that dest[at, at + n) is what `pe` gave from `from` on. */
static void expect(const char *what, const set_t *set, size_t at, int pe, size_t from, size_t n,
                   int bits)
{
    for (size_t i = 0; i < n; i++)
        if (get(dest, at + i, bits) != cut(word(pe, from + i), bits))
            fail(what, set, at + i);
}

static void expect_untouched(const char *what, const set_t *set, size_t from_nbyte)
{
    long i = first_touched(from_nbyte);
    if (i >= 0)
        fail(what, set, (size_t)i);
}

/** Sizes of every class: nothing, one, sizes that travel with a barrier, sizes that are deposited,
 *  sizes that are cut into chunks. */
static size_t draw_nelems(size_t share)
{
    size_t most = largest / share / 8 + 1;
    switch (draw(6)) {
    case 0:
        return draw(3);
    case 1:
        return draw(40) % (most + 1);
    case 2:
    case 3:
        return draw(1000) % (most + 1);
    case 4:
        return draw(10000) % (most + 1);
    default:
        return draw(most + 1);
    }
}

static void try_broadcast(const set_t *set, int rank, int bits)
{
    size_t n = draw_nelems(1), width = (size_t)bits / 8;
    int root = (int)draw((uint64_t)set->size);
    if (rank < 0)
        return;
    memset(dest, 0xa5, n * width + GUARD);
    fill(source, n, bits);
    (bits == 32 ? shmem_broadcast32 : shmem_broadcast64)(dest, source, n, root, set->start,
                                                         set->log_stride, set->size, set->psync);
    if (rank != root)
        expect("broadcast", set, 0, pe_of(set, root), 0, n, bits);
    expect_untouched("broadcast", set, rank == root ? 0 : n * width);
}

/** The program's own duty, which in fcollect and alltoall no algorithm does: dest is ready on all
 *  PEs. */
static void ready(const set_t *set, size_t nbytes)
{
    memset(dest, 0xa5, nbytes + GUARD);
    shmem_sync(set->start, set->log_stride, set->size, set->psync);
}

static void try_fcollect(const set_t *set, int rank, int bits)
{
    size_t n = draw_nelems((size_t)set->size), width = (size_t)bits / 8;
    if (rank < 0)
        return;
    ready(set, (size_t)set->size * n * width);
    fill(source, n, bits);
    (bits == 32 ? shmem_fcollect32 : shmem_fcollect64)(dest, source, n, set->start, set->log_stride,
                                                       set->size, set->psync);
    for (int r = 0; r < set->size; r++)
        expect("fcollect", set, (size_t)r * n, pe_of(set, r), 0, n, bits);
    expect_untouched("fcollect", set, (size_t)set->size * n * width);
}

static void try_collect(const set_t *set, int rank, int bits)
{
    size_t bound = draw_nelems((size_t)set->size) + 1, all = 0, width = (size_t)bits / 8,
           counts[256];
    for (int r = 0; r < set->size; r++)
        all += counts[r] = draw(3) ? draw(bound) : 0;
    if (rank < 0)
        return;
    memset(dest, 0xa5, all * width + GUARD);
    fill(source, counts[rank], bits);
    (bits == 32 ? shmem_collect32 : shmem_collect64)(dest, source, counts[rank], set->start,
                                                     set->log_stride, set->size, set->psync);
    size_t at = 0;
    for (int r = 0; r < set->size; at += counts[r++])
        expect("collect", set, at, pe_of(set, r), 0, counts[r], bits);
    expect_untouched("collect", set, all * width);
}

static void try_alltoall(const set_t *set, int rank, int bits)
{
    size_t n = draw_nelems((size_t)set->size), all = n * (size_t)set->size,
           width = (size_t)bits / 8;
    if (rank < 0)
        return;
    ready(set, all * width);
    fill(source, all, bits);
    (bits == 32 ? shmem_alltoall32 : shmem_alltoall64)(dest, source, n, set->start, set->log_stride,
                                                       set->size, set->psync);
    for (int r = 0; r < set->size; r++)
        expect("alltoall", set, (size_t)r * n, pe_of(set, r), (size_t)rank * n, n, bits);
    expect_untouched("alltoall", set, all * width);
}

static void try_alltoalls(const set_t *set, int rank, int bits)
{
    ptrdiff_t dst = 1 + (ptrdiff_t)draw(3), sst = 1 + (ptrdiff_t)draw(3);
    size_t n = draw_nelems((size_t)set->size * 16), all = n * (size_t)set->size,
           width = (size_t)bits / 8;
    if (rank < 0)
        return;
    ready(set, all * (size_t)dst * width);
    fill(source, all * (size_t)sst, bits);
    (bits == 32 ? shmem_alltoalls32 : shmem_alltoalls64)(dest, source, dst, sst, n, set->start,
                                                         set->log_stride, set->size, set->psync);
    for (size_t i = 0; i < all; i++) {
        size_t from = ((size_t)rank * n + i % (n ? n : 1)) * (size_t)sst;
        if (get(dest, i * (size_t)dst, bits) != cut(word(pe_of(set, (int)(i / n)), from), bits))
            fail("alltoalls", set, i);
        for (size_t k = 0; dst > 1 && k < width; k++)
            if (dest[(i * (size_t)dst + 1) * width + k] != 0xa5)
                fail("alltoalls", set, i);
    }
}

#define TRY_REDUCE(NAME, TYPE, OP, VALUE, COMBINE)                                               \
    static void try_##NAME(const set_t *set, int rank, int in_place)                             \
    {                                                                                            \
        size_t n = draw_nelems(1);                                                               \
        if (rank < 0)                                                                            \
            return;                                                                              \
        TYPE *from = in_place ? (TYPE *)(void *)dest : (TYPE *)(void *)source,                   \
            *to = (TYPE *)(void *)dest;                                                          \
        memset(dest, 0xa5, n * sizeof(TYPE) + GUARD);                                            \
        for (size_t i = 0; i < n; i++)                                                           \
            from[i] = (TYPE)VALUE(me, i);                                                        \
        shmem_##NAME##_to_all(to, from, (int)n, set->start, set->log_stride, set->size, work,    \
                              set->psync);                                                       \
        for (size_t i = 0; i < n; i++) {                                                         \
            TYPE acc = (TYPE)VALUE(pe_of(set, 0), i);                                            \
            for (int r = 1; r < set->size; r++) {                                                \
                TYPE in = (TYPE)VALUE(pe_of(set, r), i);                                         \
                acc = COMBINE(acc, in);                                                          \
            }                                                                                    \
            if (to[i] != acc) {                                                                  \
                fprintf(stderr, "PE %d: of %zu elements, %zu is %.17g, not %.17g%s\n", me, n, i, \
                        (double)to[i], (double)acc, in_place ? " (in place)" : "");              \
                fail(#NAME, set, i);                                                             \
            }                                                                                    \
        }                                                                                        \
        expect_untouched(#NAME, set, n * sizeof(TYPE));                                          \
    }

#define SMALL(pe, i) (word(pe, i) & 0xffff)
#define ADD(a, b) ((a) + (b))
#define XOR(a, b) ((a) ^ (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
TRY_REDUCE(long_sum, long, sum, SMALL, ADD)
TRY_REDUCE(int_max, int, max, word, MAX)
TRY_REDUCE(short_min, short, min, word, MIN)
TRY_REDUCE(longlong_xor, long long, xor, word, XOR)
TRY_REDUCE(double_sum, double, sum, SMALL, ADD)

/** Sums whose bits depend on the order of addition: all PEs must still have the same bits. */
static void try_same_bits(const set_t *set, int rank)
{
    size_t n = 1 + draw_nelems((size_t)set->size * 2);
    if (rank < 0)
        return;
    double *mine = (double *)(void *)source, *all = (double *)(void *)dest;
    for (size_t i = 0; i < n; i++)
        mine[i] = (double)(int64_t)word(me, i) * 1e-9 / (double)(1 + (me * 37 + (int)i) % 1000);
    shmem_double_sum_to_all(mine, mine, (int)n, set->start, set->log_stride, set->size, work,
                            set->psync);
    shmem_sync(set->start, set->log_stride, set->size, set->psync);  // dest is ready
    shmem_fcollect64(all, mine, n, set->start, set->log_stride, set->size, set->psync);
    for (int r = 0; r < set->size; r++)
        if (memcmp(all + (size_t)r * n, mine, n * sizeof(double)) != 0)
            fail("bits of double_sum", set, (size_t)r);
}

static void try_sync(const set_t *set, int rank)
{
    uint64_t *flag = &flags[set - sets];  // one per set: a PE outside this set may be in the
                                          // next round already
    if (rank < 0)
        return;
    int next = pe_of(set, (rank + 1) % set->size),
        before = pe_of(set, (rank + set->size - 1) % set->size);
    shmem_uint64_p(flag, word(me, 0), next);
    shmem_barrier(set->start, set->log_stride, set->size, set->psync);
    if (*flag != word(before, 0))
        fail("barrier", set, 0);
    shmem_sync(set->start, set->log_stride, set->size, set->psync);
}

static void one_round(void)
{
    const set_t *set = &sets[draw(3) ? draw(SETS) : 0];
    int rank = rank_in(set), bits = draw(2) ? 32 : 64;
    switch (draw(13)) {
    case 0:
    case 1:
        try_broadcast(set, rank, bits);
        break;
    case 2:
        try_fcollect(set, rank, bits);
        break;
    case 3:
        try_collect(set, rank, bits);
        break;
    case 4:
        try_alltoall(set, rank, bits);
        break;
    case 5:
        try_alltoalls(set, rank, bits);
        break;
    case 6:
        try_long_sum(set, rank, bits == 32);
        break;
    case 7:
        try_int_max(set, rank, bits == 32);
        break;
    case 8:
        try_short_min(set, rank, bits == 32);
        break;
    case 9:
        try_longlong_xor(set, rank, bits == 32);
        break;
    case 10:
        try_double_sum(set, rank, bits == 32);
        break;
    case 11:
        try_same_bits(set, rank);
        break;
    default:
        try_sync(set, rank);
        break;
    }
}

static void draw_sets(void)
{
    for (int s = 0; s < SETS; s++) {
        set_t *set = &sets[s];
        set->psync = shmem_malloc(SHMEM_COLLECT_SYNC_SIZE * sizeof(long));
        for (int i = 0; i < SHMEM_COLLECT_SYNC_SIZE; i++)
            set->psync[i] = SHMEM_SYNC_VALUE;
        set->start = s ? (int)draw((uint64_t)npes) : 0;
        set->log_stride = s ? (int)draw(3) : 0;
        int most = (npes - set->start - 1) / (1 << set->log_stride) + 1;
        set->size = s ? 1 + (int)draw((uint64_t)most) : npes;
    }
}

static void check_psync(void)
{
    shmem_barrier_all();
    for (int s = 0; s < SETS; s++)
        for (int i = 0; i < SHMEM_COLLECT_SYNC_SIZE; i++)
            if (sets[s].psync[i] != SHMEM_SYNC_VALUE)
                fail("pSync after all calls", &sets[s], (size_t)i);
    shmem_barrier_all();
}

int main(int argc, char **argv)
{
    int rounds = draw_begin(argc, argv, 0x12345678u);
    source_nbytes = 3 * (largest + 16 * (size_t)npes * 8) + 4096;
    dest_nbytes = source_nbytes + 8 * (size_t)npes;
    source = shmem_malloc(source_nbytes);
    dest = shmem_malloc(dest_nbytes + 64);
    work = shmem_malloc(dest_nbytes);
    if (!source || !dest || !work || npes > 256)
        shmem_global_exit(2);
    draw_sets();
    shmem_barrier_all();
    for (round_no = 1; round_no <= rounds; round_no++) {
        one_round();
        if (round_no % 50 == 0)
            check_psync();
    }
    check_psync();
    draw_end("collectives", rounds);
    return 0;
}
