// SPDX-License-Identifier: BSD-3-Clause
//
// OpenSHMEM and MPI in one program, in the order that argv[1] gives: s shmem_init, S
// shmem_finalize, m MPI_Init, M MPI_Finalize; and the ends, with status 7, of PE 1, for which the
// others wait in a barrier: g shmem_global_exit, x exit, k _exit. After each step all initialised
// libraries communicate. Words in argv[2] and later:
//   nodes     PEs belong to two nodes in turn
//   multiple  both with THREAD_MULTIPLE
//   teams     shmem_init is followed by teams that use the words of their collectives
//   alone     the launcher's variables are removed before the second step, so that only MPI knows
//             the processes
#include <mpi.h>
#include <shmem.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frame/check.h"

extern char **environ;

static long word;
static bool multiple, with_teams;

static void shmem_talk(long turn)
{
    int me = shmem_my_pe(), npes = shmem_n_pes();
    check_as("PE", me, npes);
    shmem_long_p(&word, turn * 100 + me, (me + 1) % npes);
    shmem_barrier_all();
    CHECK(word == turn * 100 + (me + npes - 1) % npes, "a put did not arrive");
    shmem_barrier_all();
}

/** Data for the lowest PE of a node of the last of several teams, in several chunks; and blocks for
 *  all, in steps. */
static void use_teams(void)
{
    enum { TEAMS = 8, CHUNKS = 16 };
    static char data[CHUNKS * 256 * 1024], for_all[64], from_all[64];
    shmem_team_t team[TEAMS];
    int npes = shmem_n_pes(), root = npes - 1;
    for (int i = 0; i < TEAMS; i++) {
        CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes, NULL, 0, &team[i]) == 0);
        memset(data, shmem_my_pe() == root ? 'a' + i : 0, sizeof data);
        shmem_broadcastmem(team[i], data, data, sizeof data, root);
        CHECK(data[0] == 'a' + i && data[sizeof data - 1] == 'a' + i, "shmem_broadcastmem");
        shmem_alltoallmem(team[i], from_all, for_all, 1);
    }
    for (int i = 0; i < TEAMS; i++)
        shmem_team_destroy(team[i]);
}

static void mpi_talk(void)
{
    int me, n, sum = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    CHECK(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == 0 &&
              sum == n * (n - 1) / 2,
          "MPI_Allreduce");
}

static void start_shmem(void)
{
    int level;
    if (!multiple)
        shmem_init();
    else
        CHECK(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &level) == 0 &&
                  level == SHMEM_THREAD_MULTIPLE,
              "shmem_init_thread");
    if (with_teams)
        use_teams();
}

static void start_mpi(void)
{
    int level = multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, got = -1;
    CHECK(MPI_Init_thread(NULL, NULL, level, &got) == 0 && got >= level, "MPI_Init_thread");
}

static void forget_the_launcher(void)
{
    static const char *const prefixes[] = {"PMI_", "PMIX_", "OMPI_", "PMI2_", "MPI_", "SLURM_"};
    for (int i = 0; environ[i];) {
        char name[256];
        bool found = false;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(environ[i], "="), environ[i]);
        for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; k++)
            found = found || strncmp(name, prefixes[k], strlen(prefixes[k])) == 0;
        if (found)
            unsetenv(name);
        else
            i++;
    }
}

static void end_one(char how)
{
    if (shmem_my_pe() != 1)
        shmem_barrier_all();
    else if (how == 'g')
        shmem_global_exit(7);
    else if (how == 'x')
        exit(7);
    else
        _exit(7);
}

static bool wants(int argc, char **argv, const char *word_)
{
    for (int i = 2; i < argc; i++)
        if (!strcmp(argv[i], word_))
            return true;
    return false;
}

int main(int argc, char **argv)
{
    const char *rank = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("PMIX_RANK");
    int pe = -1, number = -1;
    multiple = wants(argc, argv, "multiple");
    with_teams = wants(argc, argv, "teams");
    if (wants(argc, argv, "nodes") && rank)
        setenv("CAUSEWAY_NODE", atoi(rank) % 2 ? "odd" : "even", 1);
    bool shmem_on = false, mpi_on = false;
    for (const char *step = argv[1]; argc > 1 && *step; step++) {
        if (step == argv[1] + 1 && wants(argc, argv, "alone"))
            forget_the_launcher();
        switch (*step) {
        case 's':
            start_shmem();
            shmem_on = true;
            break;
        case 'S':
            shmem_finalize();
            shmem_on = false;
            break;
        case 'm':
            start_mpi();
            mpi_on = true;
            break;
        case 'g':
        case 'x':
        case 'k':
            end_one(*step);
            break;
        default:
            CHECK(MPI_Finalize() == 0, "MPI_Finalize");
            mpi_on = false;
            break;
        }
        if (shmem_on) {
            pe = shmem_my_pe();
            shmem_talk(step - argv[1] + 1);
        }
        if (mpi_on) {
            mpi_talk();
            MPI_Comm_rank(MPI_COMM_WORLD, &number);
        }
    }
    CHECK(pe == number || pe < 0 || number < 0, "rank and PE differ");
    if (pe == 0)
        printf("mpi life done\n");
    return checks_failed != 0;
}
