// SPDX-License-Identifier: BSD-3-Clause
//
// Teams: their members, the ranks of these, and what the calls return to members and to other PEs.
// Every team is compared with a list of members that the test makes itself, and then used.
#include "team_model.h"

static long sum_in, sum_out;
static int gathered[MODEL_MOST], mine;

/** The team works: its members synchronise and collect their numbers in the order of their
 *  ranks. */
static void use(shmem_team_t team, const model_t *m, const char *what)
{
    long expected = 0;
    for (int i = 0; i < m->n; i++)
        expected += m->pe[i] + 1;
    sum_in = me + 1;
    CHECK(shmem_team_sync(team) == 0, "%s: sync", what);
    CHECK(shmem_long_sum_reduce(team, &sum_out, &sum_in, 1) == 0 && sum_out == expected,
          "%s: sum is %ld, not %ld", what, sum_out, expected);
    mine = me;
    CHECK(shmem_int_fcollect(team, gathered, &mine, 1) == 0, "%s: fcollect", what);
    for (int i = 0; i < m->n; i++)
        CHECK(gathered[i] == m->pe[i], "%s: rank %d is PE %d, not %d", what, i, gathered[i],
              m->pe[i]);
    shmem_team_sync(team);
}

/** The queries of a member, and what a PE outside the team gets. */
static void verify(shmem_team_t team, const model_t *m, const char *what)
{
    static int word;
    int rank = model_rank(m, me);
    CHECK(shmem_team_my_pe(team) == rank, "%s: my_pe is %d, not %d", what, shmem_team_my_pe(team),
          rank);
    CHECK(shmem_team_n_pes(team) == (rank < 0 ? -1 : m->n), "%s: n_pes is %d of %d", what,
          shmem_team_n_pes(team), m->n);
    CHECK((team == SHMEM_TEAM_INVALID) == (rank < 0), "%s: a handle for members only", what);
    if (rank < 0)
        return;
    for (int i = 0; i < m->n; i++) {
        CHECK(shmem_team_translate_pe(team, i, SHMEM_TEAM_WORLD) == m->pe[i],
              "%s: rank %d in the world", what, i);
        CHECK(shmem_team_ptr(team, &word, i) == shmem_ptr(&word, m->pe[i]), "%s: ptr of rank %d",
              what, i);
    }
    for (int pe = 0; pe < npes; pe++)
        CHECK(shmem_team_translate_pe(SHMEM_TEAM_WORLD, pe, team) == model_rank(m, pe),
              "%s: world PE %d", what, pe);
    CHECK(shmem_team_translate_pe(team, m->n, SHMEM_TEAM_WORLD) == -1, "%s: a rank too many", what);
    CHECK(shmem_team_translate_pe(team, -1, SHMEM_TEAM_WORLD) == -1, "%s: rank -1", what);
    use(team, m, what);
}

static void predefined(void)
{
    model_t world = model_world(), shared = model_shared();
    verify(SHMEM_TEAM_WORLD, &world, "world");
    verify(SHMEM_TEAM_SHARED, &shared, "shared");
    CHECK(SHMEM_TEAM_WORLD != SHMEM_TEAM_SHARED && SHMEM_TEAM_WORLD != SHMEM_TEAM_INVALID,
          "handles differ");
    for (int pe = 0; pe < npes; pe++)
        CHECK(shmem_team_translate_pe(SHMEM_TEAM_WORLD, pe, SHMEM_TEAM_SHARED) ==
                  model_rank(&shared, pe),
              "PE %d in the shared team", pe);
    verify(SHMEM_TEAM_WORLD, &world, "world after shared");
}

/** Handles are constants of the linker, so they may initialise static data. */
static shmem_team_t a_team = SHMEM_TEAM_SHARED, no_team = SHMEM_TEAM_INVALID;

static void invalid(void)
{
    static int word;
    shmem_team_t t = a_team, u = a_team;
    shmem_team_config_t config = {-5};
    CHECK(a_team == SHMEM_TEAM_SHARED && no_team == SHMEM_TEAM_INVALID, "initialised handles");
    CHECK(shmem_team_my_pe(no_team) == -1 && shmem_team_n_pes(no_team) == -1,
          "queries of the invalid team");
    CHECK(shmem_team_ptr(no_team, &word, 0) == NULL, "ptr in the invalid team");
    CHECK(shmem_team_translate_pe(no_team, 0, SHMEM_TEAM_WORLD) == -1, "from the invalid team");
    CHECK(shmem_team_translate_pe(SHMEM_TEAM_WORLD, 0, no_team) == -1, "to the invalid team");
    CHECK(shmem_team_get_config(no_team, SHMEM_TEAM_NUM_CONTEXTS, &config) != 0 &&
              config.num_contexts == -5,
          "configuration of the invalid team");
    CHECK(shmem_team_split_strided(no_team, 0, 1, 1, NULL, 0, &t) != 0 && t == SHMEM_TEAM_INVALID,
          "strided");
    t = a_team;
    CHECK(shmem_team_split_2d(no_team, 1, NULL, 0, &t, NULL, 0, &u) != 0, "2d of the invalid team");
    CHECK(t == SHMEM_TEAM_INVALID && u == SHMEM_TEAM_INVALID, "handles after it");
    shmem_team_destroy(no_team);
}

/** One split, valid or not, and its result. */
static void strided(shmem_team_t parent, const model_t *pm, int start, int stride, int size)
{
    char what[80];
    shmem_team_t team = SHMEM_TEAM_WORLD;
    snprintf(what, sizeof what, "strided(%d, %d, %d) of %d", start, stride, size, pm->n);
    int rc = shmem_team_split_strided(parent, start, stride, size, NULL, 0, &team);
    if (!model_valid(pm, start, stride, size)) {
        CHECK(rc != 0 && team == SHMEM_TEAM_INVALID, "%s is not valid, but gives %d", what, rc);
        return;
    }
    model_t m = model_strided(pm, start, stride, size);
    CHECK(rc == 0, "%s returns %d", what, rc);
    verify(team, &m, what);
    shmem_team_destroy(team);
}

static void all_strided(shmem_team_t parent, const model_t *pm)
{
    int n = pm->n, step = n > 8 ? 3 : n > 4 ? 2 : 1;
    for (int start = -1; start <= n; start += start >= 0 && start < n - step ? step : 1)
        for (int stride = -n; stride <= n; stride += stride > -3 && stride < 3 ? 1 : step)
            for (int size = 0; size <= n + 1; size += size > 1 && size < n - step ? step : 1)
                if (stride != 0 || size == 1)  // otherwise undefined
                    strided(parent, pm, start, stride, size);
    strided(parent, pm, 0, 2147483647, 2);
    strided(parent, pm, n - 1, -2147483647, 2);
    strided(parent, pm, n - 1, -2147483647 - 1, 1);
    strided(parent, pm, 2147483647, 1, 1);
    strided(parent, pm, -2147483647 - 1, 1, 2147483647);
    strided(parent, pm, 0, 1, -1);
}

static void two_d(shmem_team_t parent, const model_t *pm, int xrange)
{
    char what[80];
    shmem_team_t x = SHMEM_TEAM_WORLD, y = SHMEM_TEAM_WORLD;
    int n = pm->n, width = xrange < n ? xrange : n, rank = model_rank(pm, me);
    model_t row = {0, {0}}, column = {0, {0}};
    for (int i = 0; i < n; i++) {
        if (i / width == rank / width)
            row.pe[row.n++] = pm->pe[i];
        if (i % width == rank % width)
            column.pe[column.n++] = pm->pe[i];
    }
    snprintf(what, sizeof what, "2d(%d) of %d", xrange, n);
    CHECK(shmem_team_split_2d(parent, xrange, NULL, 0, &x, NULL, 0, &y) == 0, "%s", what);
    verify(x, &row, what);
    verify(y, &column, what);
    CHECK(shmem_team_my_pe(x) == rank % width && shmem_team_my_pe(y) == rank / width,
          "%s: coordinates", what);
    use(y, &column, what);
    use(x, &row, what);
    shmem_team_destroy(x);
    shmem_team_destroy(y);
}

static void all_2d(shmem_team_t parent, const model_t *pm)
{
    shmem_team_t x = SHMEM_TEAM_WORLD, y = SHMEM_TEAM_WORLD;
    for (int xrange = 1; xrange <= pm->n + 2; xrange++)
        two_d(parent, pm, xrange);
    two_d(parent, pm, 2147483647);
    CHECK(shmem_team_split_2d(parent, 0, NULL, 0, &x, NULL, 0, &y) != 0, "xrange 0");
    CHECK(x == SHMEM_TEAM_INVALID && y == SHMEM_TEAM_INVALID, "handles after xrange 0");
    CHECK(shmem_team_split_2d(parent, -1, NULL, 0, &x, NULL, 0, &y) != 0, "xrange -1");
}

/** Splits of splits: the world reversed, every other PE of that, and so on; parents stay in use
 *  while children exist. */
static void nested(shmem_team_t parent, const model_t *pm, int depth)
{
    shmem_team_t reversed = SHMEM_TEAM_INVALID, odd = SHMEM_TEAM_INVALID;
    int n = pm->n;
    CHECK(shmem_team_split_strided(parent, n - 1, -1, n, NULL, 0, &reversed) == 0, "reversed of %d",
          n);
    model_t rm = model_strided(pm, n - 1, -1, n);
    verify(reversed, &rm, "reversed");
    use(parent, pm, "parent of reversed");
    if (n > 1) {
        CHECK(shmem_team_split_strided(reversed, 1, 2, n / 2, NULL, 0, &odd) == 0,
              "every other of %d", n);
        model_t om = model_strided(&rm, 1, 2, n / 2);
        verify(odd, &om, "every other, reversed");
        use(reversed, &rm, "reversed, once more");
        if (odd != SHMEM_TEAM_INVALID && depth > 0)
            nested(odd, &om, depth - 1);
    }
    use(parent, pm, "parent");
    shmem_team_destroy(reversed);
    if (odd != SHMEM_TEAM_INVALID)  // a child outlives its parent
        shmem_team_sync(odd);
    shmem_team_destroy(odd);
}

/** Three dimensions by two 2d splits. */
static void three_d(void)
{
    model_t world = model_world();
    shmem_team_t x, yz, y, z;
    CHECK(shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, NULL, 0, &x, NULL, 0, &yz) == 0, "x and yz");
    CHECK(shmem_team_split_2d(yz, 2, NULL, 0, &y, NULL, 0, &z) == 0, "y and z");
    model_t zm = {0, {0}}, ym = {0, {0}};
    int row = me / 2, x_me = me % 2;
    for (int pe = 0; pe < npes; pe++) {
        if (pe % 2 == x_me && pe / 2 / 2 == row / 2)
            ym.pe[ym.n++] = pe;
        if (pe % 2 == x_me && pe / 2 % 2 == row % 2)
            zm.pe[zm.n++] = pe;
    }
    verify(y, &ym, "y of three");
    verify(z, &zm, "z of three");
    verify(SHMEM_TEAM_WORLD, &world, "world beside them");
    shmem_team_destroy(yz);
    shmem_team_destroy(x);
    use(z, &zm, "z alone");
    shmem_team_destroy(z);
    shmem_team_destroy(y);
}

static void configured(void)
{
    shmem_team_t team, x, y;
    shmem_team_config_t config = {7}, got = {-5};
    long mask = SHMEM_TEAM_NUM_CONTEXTS;
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes, &config, mask, &team) == 0,
          "with a configuration");
    CHECK(shmem_team_get_config(team, 0, NULL) == 0, "get_config without a mask");
    CHECK(shmem_team_get_config(team, 0, &got) == 0 && got.num_contexts == -5,
          "a mask of 0 fetches nothing");
    CHECK(shmem_team_get_config(team, mask, &got) == 0 && got.num_contexts == 7, "num_contexts %d",
          got.num_contexts);
    shmem_team_destroy(team);
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes, &config, 0, &team) == 0, "mask 0");
    CHECK(shmem_team_get_config(team, mask, &got) == 0 && got.num_contexts == 0,
          "the default is 0");
    shmem_team_destroy(team);
    // PEs of different rows may ask for different options.
    shmem_team_config_t of_row = {me / 2}, of_column = {100 + me % 2};
    CHECK(shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, &of_row, mask, &x, &of_column, mask, &y) == 0,
          "2d configured");
    CHECK(shmem_team_get_config(x, mask, &got) == 0 && got.num_contexts == me / 2, "of x: %d",
          got.num_contexts);
    CHECK(shmem_team_get_config(y, mask, &got) == 0 &&
              got.num_contexts == 100 + me % (npes < 2 ? 1 : 2),
          "of y");
    shmem_team_destroy(x);
    shmem_team_destroy(y);
    CHECK(shmem_team_get_config(SHMEM_TEAM_WORLD, mask, &got) == 0 && got.num_contexts >= 0,
          "of the world");
    CHECK(shmem_team_get_config(SHMEM_TEAM_SHARED, mask, &got) == 0 && got.num_contexts >= 0,
          "of the shared team");
    // An invalid argument of one PE fails the call on all PEs, and no PE waits for ever.
    config.num_contexts = me == npes - 1 ? -1 : 1;
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 1, &config, mask, &team) != 0,
          "a PE asks for -1 contexts");
    CHECK(team == SHMEM_TEAM_INVALID, "no handle then");
    CHECK(shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, &config, mask, &x, NULL, 0, &y) != 0,
          "the same in 2d");
    CHECK(x == SHMEM_TEAM_INVALID && y == SHMEM_TEAM_INVALID, "no handles then");
}

int main(int argc, char **argv)
{
    place_me(argc > 1 ? argv[1] : "as launched");
    check_begin();
    model_t world = model_world(), shared = model_shared();
    predefined();
    invalid();
    all_strided(SHMEM_TEAM_WORLD, &world);
    all_2d(SHMEM_TEAM_WORLD, &world);
    all_strided(SHMEM_TEAM_SHARED, &shared);
    all_2d(SHMEM_TEAM_SHARED, &shared);
    nested(SHMEM_TEAM_WORLD, &world, 3);
    nested(SHMEM_TEAM_SHARED, &shared, 2);
    three_d();
    configured();
    predefined();
    return check_end();
}
