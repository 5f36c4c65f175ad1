// SPDX-License-Identifier: BSD-3-Clause
//
// Many teams: thousands created and destroyed, with another number of members each time, so that
// state left behind by one disturbs the next; and so many at once that there is no room for one
// more.
#include "team_model.h"

enum { PLENTY = 4000 };

static long sum_in, sum_out;
static char big[2][4096 * 4];

static long sum_of(const model_t *m, int lap)
{
    long sum = 0;
    for (int i = 0; i < m->n; i++)
        sum += m->pe[i] * 3 + lap;
    return sum;
}

static void use(shmem_team_t team, const model_t *m, int lap)
{
    if (team == SHMEM_TEAM_INVALID)
        return;
    for (int i = 0; i < 1 + lap % 3; i++) {
        sum_in = me * 3 + lap;
        CHECK(shmem_long_sum_reduce(team, &sum_out, &sum_in, 1) == 0 && sum_out == sum_of(m, lap),
              "lap %d, %d PEs: sum is %ld, not %ld", lap, m->n, sum_out, sum_of(m, lap));
    }
    if (lap % 7 == 0) {
        size_t nbytes = lap % 2 ? sizeof big[0] : 1000;
        memset(big[0], 1 + lap % 100 + m->pe[lap % m->n], nbytes);
        CHECK(shmem_broadcastmem(team, big[1], big[0], nbytes, lap % m->n) == 0, "broadcast");
        CHECK(big[1][0] == big[0][0] && big[1][nbytes - 1] == big[0][0], "lap %d: broadcast", lap);
    }
    if (lap % 5 == 0)
        shmem_team_sync(team);
}

/** No barrier of the world between them: members of one team run ahead into the next. */
static void cycles(int laps)
{
    model_t world = model_world();
    for (int lap = 0; lap < laps; lap++) {
        int start = lap * 5 % npes, back = lap % 3 == 0, room = back ? start + 1 : npes - start;
        int stride = 1 + lap % 2, size = 1 + lap * 3 % ((room + stride - 1) / stride);
        shmem_team_t team = SHMEM_TEAM_WORLD;
        model_t m = model_strided(&world, start, back ? -stride : stride, size);
        int rc = shmem_team_split_strided(SHMEM_TEAM_WORLD, start, back ? -stride : stride, size,
                                          NULL, 0, &team);
        CHECK(rc == 0 && (team != SHMEM_TEAM_INVALID) == (model_rank(&m, me) >= 0), "lap %d: split",
              lap);
        use(team, &m, lap);
        shmem_team_destroy(team);
    }
}

/** Parents are destroyed before their children; ranks come in other orders. */
static void chains(int laps)
{
    for (int lap = 0; lap < laps; lap++) {
        shmem_team_t team = SHMEM_TEAM_WORLD, child;
        model_t m = model_world();
        while (team != SHMEM_TEAM_INVALID && m.n > 1) {
            int n = m.n, odd = lap % 2;
            CHECK(shmem_team_split_strided(team, n - 1 - odd, -1, n - 1, NULL, 0, &child) == 0,
                  "chain of %d", n);
            if (team != SHMEM_TEAM_WORLD)
                shmem_team_destroy(team);
            m = model_strided(&m, n - 1 - odd, -1, n - 1);
            use(child, &m, lap);
            team = child;
        }
        if (team != SHMEM_TEAM_WORLD)
            shmem_team_destroy(team);
    }
}

/** Beyond the first teams there is no scratch: all collectives take other paths. Sources are filled
 *  by rank. */
static void without_scratch(shmem_team_t team, const model_t *m, size_t n)
{
    static long from[MODEL_MOST * 700], to[MODEL_MOST * 700];
    size_t all = (size_t)m->n, rank = (size_t)model_rank(m, me), bad = 0;
    for (size_t i = 0; i < all * n; i++)
        from[i] = (long)(rank * 100000 + i);
    shmem_team_sync(team);
    CHECK(shmem_long_fcollect(team, to, from, n) == 0, "fcollect");
    for (size_t i = 0; i < all * n; i++)
        bad += to[i] != (long)(i / n * 100000 + i % n);
    shmem_team_sync(team);
    CHECK(shmem_long_collect(team, to, from, rank % 2 ? n : 1) == 0, "collect");
    for (size_t r = 0, at = 0; r < all; at += r % 2 ? n : 1, r++)
        bad +=
            to[at] != (long)(r * 100000) || (r % 2 && to[at + n - 1] != (long)(r * 100000 + n - 1));
    shmem_team_sync(team);
    CHECK(shmem_long_alltoall(team, to, from, n) == 0, "alltoall");
    for (size_t i = 0; i < all * n; i++)
        bad += to[i] != (long)(i / n * 100000 + rank * n + i % n);
    shmem_team_sync(team);
    CHECK(shmem_long_alltoalls(team, to, from, 1, 1, n) == 0, "alltoalls");
    for (size_t i = 0; i < all * n; i++)
        bad += to[i] != (long)(i / n * 100000 + rank * n + i % n);
    shmem_team_sync(team);
    CHECK(shmem_long_broadcast(team, to, from, n, m->n - 1) == 0, "broadcast");
    for (size_t i = 0; i < n; i++)
        bad += to[i] != (long)((all - 1) * 100000 + i);
    shmem_team_sync(team);
    CHECK(shmem_long_sum_reduce(team, to, from, n) == 0, "sum");
    for (size_t i = 0; i < n; i++)
        bad += to[i] != (long)(all * (all - 1) / 2 * 100000 + all * i);
    shmem_team_sync(team);
    CHECK(shmem_long_sum_inscan(team, to, from, n) == 0, "inscan");
    for (size_t i = 0; i < n; i++)
        bad += to[i] != (long)(rank * (rank + 1) / 2 * 100000 + (rank + 1) * i);
    shmem_team_sync(team);
    CHECK(bad == 0, "%zu elements of %d PEs' %zu are wrong", bad, m->n, n);
}

/** As many teams as possible: the call that fails returns so on all PEs, and room that is given
 *  back can be used again. */
static void exhaust(void)
{
    static shmem_team_t team[PLENTY];
    static int counts[2], bounds[2];
    model_t world = model_world();
    int n = 0;
    while (n < PLENTY &&
           shmem_team_split_strided(SHMEM_TEAM_WORLD, npes - 1, -1, npes, NULL, 0, &team[n]) == 0)
        n++;
    CHECK(n >= 500 && n < PLENTY, "%d teams at once", n);
    CHECK(team[n] == SHMEM_TEAM_INVALID, "no handle for the one too many");
    counts[0] = n;
    counts[1] = -n;
    shmem_int_max_reduce(SHMEM_TEAM_WORLD, bounds, counts, 2);
    CHECK(bounds[0] == n && bounds[1] == -n, "it failed here after %d, elsewhere after %d to %d", n,
          -bounds[1], bounds[0]);
    shmem_team_t x = SHMEM_TEAM_WORLD, y = SHMEM_TEAM_WORLD;
    CHECK(shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, NULL, 0, &x, NULL, 0, &y) != 0,
          "2d without room");
    CHECK(x == SHMEM_TEAM_INVALID && y == SHMEM_TEAM_INVALID, "handles of 2d without room");
    model_t m = model_strided(&world, npes - 1, -1, npes);
    for (int i = 0; i < n; i += n / 40)
        use(team[i], &m, i);
    use(team[n - 1], &m, n - 1);
    for (size_t k = 1; k <= 700; k = k * 3 + 7)
        for (int i = 0; i < 3; i++)
            without_scratch(team[i ? n - i : 3], &m, k);
    shmem_team_destroy(team[n / 2]);
    CHECK(shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, NULL, 0, &x, NULL, 0, &y) != 0,
          "2d with room for one");
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, npes - 1, -1, npes, NULL, 0, &team[n / 2]) ==
              0,
          "room again");
    use(team[n / 2], &m, 35);
    for (int i = 0; i < 40; i++) {  // at once, while other members may still be leaving
        shmem_team_destroy(team[n / 2]);
        CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, npes - 1, -1, npes, NULL, 0,
                                       &team[n / 2]) == 0,
              "room again at once, %d", i);
    }
    for (int i = 0; i < n; i += 2)
        shmem_team_destroy(team[i]);
    for (int i = n - 1 - n % 2; i > 0; i -= 2)
        shmem_team_destroy(team[i]);
}

int main(int argc, char **argv)
{
    place_me(argc > 2 ? argv[2] : "as launched");
    check_begin();
    int laps = argc > 1 ? atoi(argv[1]) : 1000;
    cycles(laps);
    chains(laps / 20);
    exhaust();
    cycles(laps / 10);
    return check_end();
}
