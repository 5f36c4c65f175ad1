// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives on teams: all of them on odd teams, overlapping teams used in turn, disjoint teams
// that do different numbers of collectives at the same time, and sixteen teams at once. Every byte
// of every result is checked.
#include "team_model.h"

#define MOST 3000  // longs per PE

typedef struct team {
    shmem_team_t handle;
    model_t m;
    int turn;             // collectives so far, the same on all members
    long *dest, *source;  // per team, since teams are used at once
} team_t;

static size_t room(const team_t *t)
{
    return (size_t)t->m.n * MOST;
}

static long value(int pe, size_t i, int turn)
{
    return pe * 1000003L + (long)i * 7 + turn * 31;
}

/** Collective over the world, as all splits of it are. */
static team_t make(shmem_team_t parent, const model_t *pm, int start, int stride, int size)
{
    team_t t = {SHMEM_TEAM_INVALID, model_strided(pm, start, stride, size), 0, NULL, NULL};
    CHECK(shmem_team_split_strided(parent, start, stride, size, NULL, 0, &t.handle) == 0,
          "split(%d, %d, %d)", start, stride, size);
    t.dest = shmem_malloc((size_t)npes * MOST * sizeof(long));
    t.source = shmem_malloc((size_t)npes * MOST * sizeof(long));
    if (!t.dest || !t.source)
        shmem_global_exit(3);
    return t;
}

static void unmake(team_t *t)
{
    shmem_team_destroy(t->handle);
    shmem_free(t->source);
    shmem_free(t->dest);
}

static int in(const team_t *t)
{
    return t->handle != SHMEM_TEAM_INVALID;
}

static void fill(team_t *t, size_t nelems)
{
    t->turn++;
    for (size_t i = 0; i < nelems; i++)
        t->source[i] = value(me, i, t->turn);
    for (size_t i = 0; i < room(t); i++)
        t->dest[i] = -1;
    shmem_team_sync(t->handle);
}

static void part(const team_t *t, const char *call, size_t at, int pe, size_t from, size_t n)
{
    size_t i = 0;
    while (i < n && t->dest[at + i] == value(pe, from + i, t->turn))
        i++;
    CHECK(i == n, "%s on %d PEs from PE %d on: element %zu of %zu from PE %d is %ld", call, t->m.n,
          t->m.pe[0], i, n, pe, t->dest[at + i]);
}

static void untouched(const team_t *t, const char *call, size_t at)
{
    size_t i = at;
    while (i < room(t) && t->dest[i] == -1)
        i++;
    CHECK(i == room(t), "%s wrote element %zu, behind its %zu", call, i, at);
}

static void broadcast(team_t *t, size_t n, int root)
{
    fill(t, n);
    CHECK(shmem_long_broadcast(t->handle, t->dest, t->source, n, root) == 0, "broadcast");
    part(t, "broadcast", 0, t->m.pe[root], 0, n);
    untouched(t, "broadcast", n);
}

static void fcollect(team_t *t, size_t n)
{
    fill(t, n);
    CHECK(shmem_long_fcollect(t->handle, t->dest, t->source, n) == 0, "fcollect");
    for (int r = 0; r < t->m.n; r++)
        part(t, "fcollect", (size_t)r * n, t->m.pe[r], 0, n);
    untouched(t, "fcollect", (size_t)t->m.n * n);
}

static size_t share(int r, size_t n)
{
    return r % 3 == 1 ? 0 : n / (size_t)(r + 1);
}

static void collect(team_t *t, size_t n)
{
    size_t at = 0;
    fill(t, n);
    CHECK(shmem_long_collect(t->handle, t->dest, t->source,
                             share(shmem_team_my_pe(t->handle), n)) == 0,
          "collect");
    for (int r = 0; r < t->m.n; at += share(r, n), r++)
        part(t, "collect", at, t->m.pe[r], 0, share(r, n));
    untouched(t, "collect", at);
}

static void alltoall(team_t *t, size_t n)
{
    size_t mine = (size_t)shmem_team_my_pe(t->handle), all = (size_t)t->m.n;
    n /= all;
    fill(t, n * all);
    CHECK(shmem_long_alltoall(t->handle, t->dest, t->source, n) == 0, "alltoall");
    for (int r = 0; r < t->m.n; r++)
        part(t, "alltoall", (size_t)r * n, t->m.pe[r], mine * n, n);
    untouched(t, "alltoall", n * all);
}

static void alltoalls(team_t *t, size_t n)
{
    size_t mine = (size_t)shmem_team_my_pe(t->handle), all = (size_t)t->m.n;
    n /= 3 * all;
    fill(t, 3 * n * all);
    CHECK(shmem_long_alltoalls(t->handle, t->dest, t->source, 2, 3, n) == 0, "alltoalls");
    for (size_t r = 0; r < all; r++)
        for (size_t i = 0; i < n; i++)
            part(t, "alltoalls", 2 * (r * n + i), t->m.pe[r], 3 * (mine * n + i), 1);
}

#define FOLD(OP, EXPR)                                                                         \
    fill(t, n);                                                                                \
    CHECK(shmem_long_##OP##_reduce(t->handle, t->dest, t->source, n) == 0, #OP);               \
    for (size_t i = 0; i < n; i++) {                                                           \
        long a = value(t->m.pe[0], i, t->turn);                                                \
        for (int r = 1; r < t->m.n; r++) {                                                     \
            long b = value(t->m.pe[r], i, t->turn);                                            \
            a = (EXPR);                                                                        \
        }                                                                                      \
        CHECK(t->dest[i] == a, #OP " of %d: element %zu of %zu is %ld, not %ld", t->m.n, i, n, \
              t->dest[i], a);                                                                  \
    }                                                                                          \
    untouched(t, #OP, n);

static void reductions(team_t *t, size_t n)
{
    FOLD(sum, a + b)
    FOLD(max, b > a ? b : a)
    FOLD(min, b < a ? b : a)
    FOLD(prod, (long)((unsigned long)a * (unsigned long)b))
    n = n / 2;
    fill(t, n);
    CHECK(shmem_ulong_xor_reduce(t->handle, (unsigned long *)t->dest, (unsigned long *)t->source,
                                 n) == 0,
          "xor");
    for (size_t i = 0; i < n; i++) {
        long a = 0;
        for (int r = 0; r < t->m.n; r++)
            a ^= value(t->m.pe[r], i, t->turn);
        CHECK(t->dest[i] == a, "xor of %d: element %zu", t->m.n, i);
    }
}

/** In place, and in floating point: all members get the same bits. */
static void in_place(team_t *t, size_t n)
{
    double *d = (double *)(void *)t->dest;
    fill(t, 0);
    for (size_t i = 0; i < n; i++)
        d[i] = 1.0 / (double)(me + 1 + (int)i);
    CHECK(shmem_double_sum_reduce(t->handle, d, d, n) == 0, "in place");
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (int r = 0; r < t->m.n; r++)
            sum += 1.0 / (double)(t->m.pe[r] + 1 + (int)i);
        CHECK(d[i] > sum * (1 - 1e-12) && d[i] < sum * (1 + 1e-12),
              "in place: element %zu is %g, not %g", i, d[i], sum);
    }
    memcpy(t->source, d, n * sizeof(double));
    shmem_team_sync(t->handle);
    CHECK(shmem_long_min_reduce(t->handle, t->dest, t->source, n) == 0, "min of bits");
    CHECK(memcmp(t->dest, t->source, n * sizeof(long)) == 0,
          "the members' sums differ in their bits");
}

static void everything(team_t *t, size_t n)
{
    broadcast(t, n, 0);
    broadcast(t, n, t->m.n - 1);
    fcollect(t, n);
    collect(t, n);
    alltoall(t, n);
    alltoalls(t, n);
    reductions(t, n);
    in_place(t, n);
}

static const size_t counts[] = {0, 1, 29, 31, 500, MOST};

static void odd_teams(void)
{
    model_t world = model_world();
    const int sets[][3] = {{0, 1, npes},
                           {npes - 1, -1, npes},
                           {0, 2, (npes + 1) / 2},
                           {npes - 1, -2, (npes + 1) / 2},
                           {npes > 1, 1, npes > 1 ? npes - 1 : 1},
                           {npes / 2, 1, 1},
                           {0, npes > 1 ? npes - 1 : 1, npes > 1 ? 2 : 1},
                           {npes % 3, 3, (npes - npes % 3 + 2) / 3}};
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
        if (!model_valid(&world, sets[s][0], sets[s][1], sets[s][2]))
            continue;
        team_t t = make(SHMEM_TEAM_WORLD, &world, sets[s][0], sets[s][1], sets[s][2]);
        for (size_t c = 0; c < sizeof counts / sizeof *counts && in(&t); c++)
            everything(&t, counts[c]);
        unmake(&t);
    }
    model_t shared = model_shared();
    team_t t = make(SHMEM_TEAM_SHARED, &shared, shared.n - 1, -1, shared.n);
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        everything(&t, counts[c]);
    unmake(&t);
}

/** Teams that share members, used in turn; the world and the shared team between them. */
static void overlapping(void)
{
    model_t world = model_world();
    int half = (npes + 1) / 2;
    team_t t[4] = {make(SHMEM_TEAM_WORLD, &world, 0, 1, npes),
                   make(SHMEM_TEAM_WORLD, &world, npes - 1, -1, half),
                   make(SHMEM_TEAM_WORLD, &world, 0, 2, half),
                   make(SHMEM_TEAM_WORLD, &world, npes / 3, 1, half)};
    for (int lap = 0; lap < 12; lap++)
        for (int i = 0; i < 4; i++) {
            team_t *one = &t[(i * 3 + lap) % 4];
            if (in(one)) {
                size_t n = counts[(size_t)(lap + i) % 5];
                fcollect(one, n);
                broadcast(one, n, lap % one->m.n);
                fill(one, 3);
                CHECK(shmem_long_max_reduce(one->handle, one->dest, one->source, 3) == 0, "max");
                long most = 0;
                for (int r = 0; r < one->m.n; r++)
                    most = value(one->m.pe[r], 2, one->turn) > most
                               ? value(one->m.pe[r], 2, one->turn)
                               : most;
                CHECK(one->dest[2] == most, "max between teams");
            }
            if (i % 2)
                shmem_sync_all();
            else
                shmem_team_sync(SHMEM_TEAM_SHARED);
        }
    for (int i = 3; i >= 0; i--)
        unmake(&t[i]);
}

/** Only the members of a team take part in its collectives: two halves run different numbers of
 *  them. */
static void disjoint(void)
{
    model_t world = model_world();
    int low = npes / 2;
    if (npes < 2)
        return;
    team_t a = make(SHMEM_TEAM_WORLD, &world, 0, 1, low),
           b = make(SHMEM_TEAM_WORLD, &world, low, 1, npes - low);
    team_t *mine = in(&a) ? &a : &b;
    int laps = in(&a) ? 1000 : 17;
    for (int lap = 0; lap < laps; lap++) {
        fill(mine, 2);
        CHECK(shmem_long_sum_reduce(mine->handle, mine->dest, mine->source, 2) == 0, "sum");
        long sum = 0;
        for (int r = 0; r < mine->m.n; r++)
            sum += value(mine->m.pe[r], 1, mine->turn);
        CHECK(mine->dest[1] == sum, "lap %d: sum is %ld, not %ld", lap, mine->dest[1], sum);
        if (lap % 16 == 0)
            everything(mine, 29);
    }
    shmem_barrier_all();
    unmake(&b);
    unmake(&a);
}

static void sixteen(void)
{
    enum { TEAMS = 16 };
    shmem_team_t team[TEAMS];
    model_t world = model_world(), m[TEAMS];
    static long in_, out_;
    for (int i = 0; i < TEAMS; i++) {
        int start = i % npes, size = npes - start - (i / npes) % (npes - start);
        m[i] = model_strided(&world, start, 1, size);
        CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, start, 1, size, NULL, 0, &team[i]) == 0,
              "team %d", i);
    }
    for (int lap = 0; lap < 50; lap++)
        for (int i = 0; i < TEAMS; i++) {
            int k = (i * 5 + lap) % TEAMS;
            if (team[k] == SHMEM_TEAM_INVALID)
                continue;
            long sum = 0;
            in_ = me + lap;
            for (int r = 0; r < m[k].n; r++)
                sum += m[k].pe[r] + lap;
            CHECK(shmem_long_sum_reduce(team[k], &out_, &in_, 1) == 0 && out_ == sum,
                  "team %d of 16: %ld, not %ld", k, out_, sum);
        }
    for (int i = 0; i < TEAMS; i++)
        shmem_team_destroy(team[i * 7 % TEAMS]);
}

int main(int argc, char **argv)
{
    place_me(argc > 1 ? argv[1] : "as launched");
    check_begin();
    odd_teams();
    overlapping();
    disjoint();
    sixteen();
    return check_end();
}
