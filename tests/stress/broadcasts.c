// SPDX-License-Identifier: BSD-3-Clause
//
// Runs of small broadcasts back to back over the world, the node and teams that come and go, with
// one root or changing ones, between other collectives. Each PE is late now and then, by chance of
// its own; a root overwrites its source as soon as the call returns.
//
//     broadcasts RUNS [SEED [LARGEST]]      LARGEST: most bytes of a message
#include "drawn.h"

#include <string.h>
#include <unistd.h>

enum { RUN = 60, AHEAD = 50, TEAMS = 4, BLOCK = 300 };

static shmem_team_t teams[TEAMS] = {SHMEM_TEAM_INVALID, SHMEM_TEAM_INVALID, SHMEM_TEAM_INVALID,
                                    SHMEM_TEAM_INVALID};
static uint64_t chance;
static long go, sums[2];
static unsigned char *blocks;  // dest of a team's fcollects and alltoalls: ready when one begins

static unsigned char byte(int pe, int turn, size_t i)
{
    return (unsigned char)(word(pe, i + (size_t)turn * 4096) >> 7);
}

static void fail(const char *what, int turn)
{
    fprintf(stderr, "FAIL PE %d run %d: %s %d is wrong\n", me, round_no, what, turn);
    shmem_global_exit(1);
}

/** Unlike draw(), of this PE alone. */
static void be_late(void)
{
    chance = chance * 6364136223846793005u + 1442695040888963407u;
    unsigned dice = (unsigned)(chance >> 40) % 1000;
    if (dice == 0)
        usleep(300);
    else if (dice < 200)
        for (volatile unsigned i = 0; i < dice * 20; i++)
            ;
}

static void broadcast(shmem_team_t team, int turn, int root, size_t nbytes)
{
    int pe = shmem_team_translate_pe(team, root, SHMEM_TEAM_WORLD);
    memset(dest, 0xa5, nbytes + GUARD);
    for (size_t i = 0; i < nbytes; i++)
        source[i] = byte(me, turn, i);
    be_late();
    shmem_broadcastmem(team, dest, source, nbytes, root);
    memset(source, 0x5a, nbytes);
    for (size_t i = 0; i < nbytes; i++)
        if (dest[i] != byte(pe, turn, i))
            fail("broadcast", turn);
    if (first_touched(nbytes) >= 0)
        fail("the end of broadcast", turn);
}

/** Another collective, which uses the same words and scratch, or none. */
static void something_else(shmem_team_t team)
{
    int n = shmem_team_n_pes(team), rank = shmem_team_my_pe(team), kind = (int)draw(7);
    size_t block = draw(BLOCK) + 1;
    if (kind == 0) {
        shmem_team_sync(team);
    } else if (kind == 1) {
        long one = 1;
        sums[0] = one;
        shmem_long_sum_reduce(team, &sums[1], &sums[0], 1);
        if (sums[1] != n)
            fail("sum", 0);
    } else if (kind == 2 || kind == 3) {
        memset(source, rank, block * (size_t)n);
        (kind == 2 ? shmem_fcollectmem : shmem_alltoallmem)(team, blocks, source, block);
        for (size_t i = 0; i < block * (size_t)n; i++)
            if (blocks[i] != (unsigned char)(i / block))
                fail("block", (int)(i / block));
        shmem_team_sync(team);  // all have looked
    } else if (kind == 4) {
        memset(source, rank, block);
        shmem_collectmem(team, dest, source, block);
        if (dest[block * (size_t)n - 1] != (unsigned char)(n - 1))
            fail("collect", 0);
    }
}

static void run(shmem_team_t team)
{
    int n, count = (int)draw(RUN), fixed = draw(3) != 0;
    int root = (int)draw(1000);
    size_t nbytes = draw(3) ? draw(100) + 1 : draw(largest) + 1;
    size_t more = draw(3) ? 0 : draw(largest / 6);
    uint64_t kinds = draw(UINT64_C(1) << 40) + 1;
    if (team == SHMEM_TEAM_INVALID)
        return;
    n = shmem_team_n_pes(team);
    for (int turn = 0; turn < count; turn++)
        broadcast(team, turn, (fixed ? root : root + turn) % n,
                  more ? (nbytes + (size_t)turn * more) % largest + 1 : nbytes);
    uint64_t kept = random_state;
    random_state = kinds;  // the same on all members; the others draw nothing
    something_else(team);
    random_state = kept;
}

static void split(int i)
{
    int stride = (int)draw(3) + 1, start = (int)draw((uint64_t)npes);
    int size = 1 + (int)draw((uint64_t)((npes - 1 - start) / stride + 1));
    if (teams[i] != SHMEM_TEAM_INVALID)
        shmem_team_destroy(teams[i]);
    shmem_team_split_strided(SHMEM_TEAM_WORLD, start, stride, size, NULL, 0, &teams[i]);
}

/** The root makes many broadcasts before it lets any other PE make the first. */
static void root_is_ahead(void)
{
    int root = npes - 1;
    shmem_barrier_all();
    if (me != root)
        shmem_long_wait_until(&go, SHMEM_CMP_EQ, 1);
    for (int turn = 0; turn < AHEAD; turn++)
        broadcast(SHMEM_TEAM_WORLD, turn, root, 64);
    for (int pe = 0; pe < npes && me == root; pe++)
        shmem_long_p(&go, 1, pe);
}

int main(int argc, char **argv)
{
    int runs = draw_begin(argc, argv, 41);
    if (argc <= 3)
        largest = 3000;
    chance = (uint64_t)me * 77 + 5;
    source = shmem_calloc((size_t)npes, largest + GUARD);
    dest = shmem_calloc((size_t)npes, largest + GUARD);
    unsigned char *all_blocks = shmem_malloc((TEAMS + 2) * (size_t)npes * BLOCK);
    if (!source || !dest || !all_blocks)
        shmem_global_exit(2);
    root_is_ahead();
    for (round_no = 0; round_no < runs; round_no++) {
        if (round_no % 8 == 0)
            split((int)draw(TEAMS));
        unsigned which = (unsigned)draw(TEAMS + 3);
        size_t of = which < TEAMS + 1 ? which : TEAMS + 1;
        blocks = all_blocks + of * (size_t)npes * BLOCK;
        run(which < TEAMS ? teams[which] : which == TEAMS ? SHMEM_TEAM_SHARED : SHMEM_TEAM_WORLD);
    }
    for (int i = 0; i < TEAMS; i++)
        if (teams[i] != SHMEM_TEAM_INVALID)
            shmem_team_destroy(teams[i]);
    draw_end("broadcasts", runs);
    return 0;
}
