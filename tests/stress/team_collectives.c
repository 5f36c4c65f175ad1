// SPDX-License-Identifier: BSD-3-Clause
//
// Random collectives over random teams, back to back with one source and one destination (fcollects
// and alltoalls behind a synchronisation, which the standard demands), against results that every
// PE computes by itself. All PEs draw the same numbers, so all know the next call. The teams: the
// world, the world backwards, and splits of both with strides of either sign.
//
//     team_collectives ROUNDS [SEED [LARGEST]]      LARGEST: most bytes of all blocks together
#include "drawn.h"

#include <string.h>

enum { TEAMS = 8 };

typedef struct set {
    int start, stride, size;  // in world PEs
    int rank;                 // this PE's, or -1
    shmem_team_t team;
} set_t;

static set_t sets[TEAMS];

/** Byte i of the data of `pe` in this round. */
static unsigned char byte(int pe, size_t i)
{
    return (unsigned char)(word(pe, i / 8) >> i % 8 * 8);
}

static void fail(const char *what, const set_t *set, size_t i)
{
    fprintf(stderr, "FAIL PE %d round %d: %s over the team (%d, %d, %d) is wrong at %zu\n", me,
            round_no, what, set->start, set->stride, set->size, i);
    shmem_global_exit(1);
}

static int pe_of(const set_t *set, int rank)
{
    return set->start + rank * set->stride;
}

static void fill(size_t nbytes)
{
    for (size_t i = 0; i < nbytes; i++)
        source[i] = byte(me, i);
}

/** The program's own duty, which in fcollect and alltoall no algorithm does: dest is ready on all
 *  PEs. */
static void ready(const set_t *set, size_t nbytes)
{
    memset(dest, 0xa5, nbytes + GUARD);
    shmem_team_sync(set->team);
}

/** Checks that dest[at, at + n) is what `pe` gave from `from` on. */
static void expect(const char *what, const set_t *set, size_t at, int pe, size_t from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (dest[at + i] != byte(pe, from + i))
            fail(what, set, at + i);
}

static void expect_untouched(const char *what, const set_t *set, size_t from)
{
    long i = first_touched(from);
    if (i >= 0)
        fail(what, set, (size_t)i);
}

/** Sizes of every class: nothing, one, sizes that travel with a synchronisation, sizes that wait in
 *  the scratch, sizes that are cut into strips. */
static size_t draw_size(size_t share)
{
    size_t most = largest / share + 1;
    switch (draw(6)) {
    case 0:
        return draw(3);
    case 1:
        return draw(40) % (most + 1);
    case 2:
        return draw(600) % (most + 1);
    case 3:
        return draw(8000) % (most + 1);
    case 4:
        return draw(80000) % (most + 1);
    default:
        return draw(most + 1);
    }
}

static void try_broadcast(const set_t *set)
{
    size_t n = draw_size(1);
    int root = (int)draw((uint64_t)set->size);
    if (set->rank < 0)
        return;
    fill(n);
    memset(dest, 0xa5, n + GUARD);
    if (shmem_broadcastmem(set->team, dest, source, n, root))
        fail("return value of broadcast", set, 0);
    expect("broadcast", set, 0, pe_of(set, root), 0, n);
    expect_untouched("broadcast", set, n);
}

static void try_fcollect(const set_t *set)
{
    size_t n = draw_size((size_t)set->size), all = n * (size_t)set->size;
    if (set->rank < 0)
        return;
    fill(n);
    ready(set, all);
    shmem_fcollectmem(set->team, dest, source, n);
    for (int r = 0; r < set->size; r++)
        expect("fcollect", set, (size_t)r * n, pe_of(set, r), 0, n);
    expect_untouched("fcollect", set, all);
}

static void try_collect(const set_t *set)
{
    size_t bound = draw_size((size_t)set->size) + 1, at = 0, counts[256];
    for (int r = 0; r < set->size; r++)
        counts[r] = draw(3) ? draw(bound) : 0;
    if (set->rank < 0)
        return;
    fill(counts[set->rank]);
    memset(dest, 0xa5, bound * (size_t)set->size + GUARD);
    shmem_collectmem(set->team, dest, source, counts[set->rank]);
    for (int r = 0; r < set->size; at += counts[r++])
        expect("collect", set, at, pe_of(set, r), 0, counts[r]);
    expect_untouched("collect", set, at);
}

static void try_alltoall(const set_t *set)
{
    size_t n = draw_size((size_t)set->size), all = n * (size_t)set->size;
    if (set->rank < 0)
        return;
    fill(all);
    ready(set, all);
    shmem_alltoallmem(set->team, dest, source, n);
    for (int r = 0; r < set->size; r++)
        expect("alltoall", set, (size_t)r * n, pe_of(set, r), (size_t)set->rank * n, n);
    expect_untouched("alltoall", set, all);
}

static void try_alltoalls(const set_t *set)
{
    size_t dst = 1 + draw(3), sst = 1 + draw(3), n = draw_size((size_t)set->size * 32),
           all = n * (size_t)set->size;
    if (set->rank < 0)
        return;
    fill(all * sst * 4);
    ready(set, all * dst * 4);
    shmem_uint32_alltoalls(set->team, (uint32_t *)(void *)dest, (uint32_t *)(void *)source,
                           (ptrdiff_t)dst, (ptrdiff_t)sst, n);
    for (size_t i = 0; i < all; i++) {
        expect("alltoalls", set, i * dst * 4, pe_of(set, (int)(i / n)),
               ((size_t)set->rank * n + i % n) * sst * 4, 4);
        for (size_t k = 4; k < dst * 4; k++)
            if (dest[i * dst * 4 + k] != 0xa5)
                fail("alltoalls (between)", set, i);
    }
    expect_untouched("alltoalls", set, all * dst * 4);
}

// ---------------------------------------------------------------- what computes

#define SMALL(pe, i) (word(pe, i) & 0xffff)
#define ADD(a, b) ((a) + (b))
#define XOR(a, b) ((a) ^ (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

/** Ranks [0, last) of the team give the result; of none it is 0. */
#define TRY(NAME, TYPE, VALUE, COMBINE, LAST)                                            \
    static void try_##NAME(const set_t *set)                                             \
    {                                                                                    \
        size_t n = draw_size(sizeof(TYPE)), in_place = draw(2);                          \
        if (set->rank < 0)                                                               \
            return;                                                                      \
        TYPE *to = (TYPE *)(void *)dest, *from = in_place ? to : (TYPE *)(void *)source; \
        memset(dest, 0xa5, n * sizeof(TYPE) + GUARD);                                    \
        for (size_t i = 0; i < n; i++)                                                   \
            from[i] = (TYPE)VALUE(me, i);                                                \
        if (shmem_##NAME(set->team, to, from, n))                                        \
            fail("return value of " #NAME, set, 0);                                      \
        for (size_t i = 0; i < n; i++) {                                                 \
            TYPE acc = 0;                                                                \
            for (int r = 0; r < (LAST); r++) {                                           \
                TYPE in = (TYPE)VALUE(pe_of(set, r), i);                                 \
                acc = (TYPE)(r ? COMBINE(acc, in) : in);                                 \
            }                                                                            \
            if (to[i] != acc)                                                            \
                fail(in_place ? #NAME " in place" : #NAME, set, i);                      \
        }                                                                                \
        expect_untouched(#NAME, set, n * sizeof(TYPE));                                  \
    }

TRY(long_sum_reduce, long, SMALL, ADD, set->size)
TRY(ushort_xor_reduce, unsigned short, word, XOR, set->size)
TRY(int_max_reduce, int, word, MAX, set->size)
TRY(double_sum_reduce, double, SMALL, ADD, set->size)
TRY(longdouble_max_reduce, long double, SMALL, MAX, set->size)
TRY(long_sum_inscan, long, SMALL, ADD, set->rank + 1)
TRY(long_sum_exscan, long, SMALL, ADD, set->rank)
TRY(uint8_sum_inscan, uint8_t, word, ADD, set->rank + 1)
TRY(longdouble_sum_exscan, long double, SMALL, ADD, set->rank)

/** Sums whose bits depend on the order of addition: all PEs must still have the same bits. */
static void try_same_bits(const set_t *set)
{
    size_t n = 1 + draw_size((size_t)set->size * 16), nbytes = n * sizeof(double);
    if (set->rank < 0)
        return;
    double *mine = (double *)(void *)source;
    for (size_t i = 0; i < n; i++)
        mine[i] = (double)(int64_t)word(me, i) * 1e-9 / (double)(1 + (me * 37 + (int)i) % 1000);
    shmem_double_sum_reduce(set->team, mine, mine, n);
    shmem_team_sync(set->team);  // dest is ready
    shmem_fcollectmem(set->team, dest, source, nbytes);
    for (int r = 0; r < set->size; r++)
        if (memcmp(dest + (size_t)r * nbytes, source, nbytes) != 0)
            fail("bits of double_sum_reduce", set, (size_t)r);
}

static void try_sync(const set_t *set)
{
    static uint64_t flags[TEAMS];  // one per team: a PE outside this team may be in
                                   // the next round already
    uint64_t *flag = &flags[set - sets];
    if (set->rank < 0)
        return;
    shmem_uint64_p(flag, word(me, 0), pe_of(set, (set->rank + 1) % set->size));
    shmem_quiet();
    shmem_team_sync(set->team);
    if (*flag != word(pe_of(set, (set->rank + set->size - 1) % set->size), 0))
        fail("sync", set, 0);
    shmem_team_sync(set->team);
}

static void (*const tries[])(const set_t *) = {try_broadcast,
                                               try_broadcast,
                                               try_fcollect,
                                               try_collect,
                                               try_alltoall,
                                               try_alltoalls,
                                               try_long_sum_reduce,
                                               try_ushort_xor_reduce,
                                               try_int_max_reduce,
                                               try_double_sum_reduce,
                                               try_longdouble_max_reduce,
                                               try_long_sum_inscan,
                                               try_long_sum_exscan,
                                               try_uint8_sum_inscan,
                                               try_longdouble_sum_exscan,
                                               try_same_bits,
                                               try_sync};

// ---------------------------------------------------------------- teams

/** Team s is a split of team `from`: start, stride and size in its ranks. */
static void split(int s, int from, int start, int stride, int size)
{
    const set_t *parent = &sets[from];
    set_t *set = &sets[s];
    *set = (set_t){pe_of(parent, start), parent->stride * stride, size, -1, SHMEM_TEAM_INVALID};
    if (parent->team == SHMEM_TEAM_INVALID)
        return;
    if (shmem_team_split_strided(parent->team, start, stride, size, NULL, 0, &set->team))
        fail("split", set, 0);
    set->rank = shmem_team_my_pe(set->team);
    if (set->rank >= 0 && pe_of(set, set->rank) != me)
        fail("rank", set, (size_t)set->rank);
}

static void draw_teams(void)
{
    sets[0] = (set_t){0, 1, npes, me, SHMEM_TEAM_WORLD};
    split(1, 0, npes - 1, -1, npes);
    split(2, 0, 0, 2, (npes + 1) / 2);
    for (int s = 3; s < TEAMS; s++) {
        int from = (int)draw(3), most, stride = 1 + (int)draw(3),
            start = (int)draw((uint64_t)sets[from].size);
        if (draw(2))
            stride = -stride;
        most = (stride > 0 ? sets[from].size - 1 - start : start) / abs(stride) + 1;
        split(s, from, start, stride, 1 + (int)draw((uint64_t)most));
    }
}

int main(int argc, char **argv)
{
    int rounds = draw_begin(argc, argv, 0x2345678u);
    size_t nbytes = largest + (size_t)npes * 64 + 4096;
    source = shmem_malloc(nbytes);
    dest = shmem_malloc(nbytes);
    if (!source || !dest || npes > 256)
        shmem_global_exit(2);
    draw_teams();
    for (round_no = 1; round_no <= rounds; round_no++) {
        const set_t *set = &sets[draw(TEAMS)];
        tries[draw(sizeof tries / sizeof tries[0])](set);
    }
    shmem_barrier_all();
    draw_end("team_collectives", rounds);
    return 0;
}
