// SPDX-License-Identifier: BSD-3-Clause
//
// Teams from communicators and communicators from teams.
#include "core/life/mpi.h"

#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/error.h"
#include "base/mpi/find.h"
#include "bootstrap/bootstrap.h"
#include "core/progress/hooks.h"
#include "core/progress/wait.h"
#include "core/sync/fused.h"
#include "core/sync/team.h"

// ---------------------------------------------------------------- waiting in MPI
// Where MPI connects the nodes and serves one thread only, a process that blocks in MPI serves no
// other, which may need its server on the way to the same call. So all members, whatever their
// thread levels, serve until all have come (docs/design/mpi.md).

typedef struct patience {
    cw_wait_t wait;
    cwu_mpi_between_t between;
} patience_t;

static void wait_round(void *wait)
{
    cw_wait_round(wait);
}

/** NULL: MPI may block. */
static const cwu_mpi_between_t *begin(patience_t *p)
{
    *p = (patience_t){.wait = CW_WAIT_DEAF("the members of a communicator"),
                      .between = {wait_round, &p->wait}};
    if (!cw_world.initialized || !cw_mpi_is_road())
        return NULL;
    cw_progress_hooks.pause();
    cw_progress_hooks.advance();
    return &p->between;
}

static int end(patience_t *p, int rc)
{
    cw_wait_done(&p->wait);
    return rc;
}

static int combine(void *arg, uint64_t *and_words, int nand, uint64_t *max_words, int nmax)
{
    patience_t p;
    return end(&p, cwb_mpi_combine(arg, and_words, nand, max_words, nmax, begin(&p)));
}

// ---------------------------------------------------------------- teams and communicators

/** Processes that name the same PE are of different jobs. */
bool cw_pes_are_distinct(const int *pes, int n)
{
    uint8_t *seen = calloc((size_t)cw_world.npes, 1);
    bool good = seen != NULL;
    for (int i = 0; i < n && good; i++) {
        good = pes[i] >= 0 && pes[i] < cw_world.npes && !seen[pes[i]];
        if (good)
            seen[pes[i]] = 1;
    }
    free(seen);
    return good;
}

int cw_mpi_team(const void *comm, size_t comm_nbytes, const cw_group_t **team_p)
{
    int *pes = NULL, n = 0, rank = 0;
    *team_p = NULL;
    patience_t p;
    int rc = end(&p, cwb_mpi_members(comm, comm_nbytes, cw_world.pe, begin(&p), &pes, &n, &rank));
    if (rc || n == 0)
        return rc;
    bool good = cw_pes_are_distinct(pes, n);
    if (!good)
        cwu_error("the processes of the communicator are not different PEs of this job");
    rc = cw_team_from_list(pes, n, rank, !good, combine, (void *)(uintptr_t)comm, team_p);
    free(pes);
    return rc;
}

int cw_mpi_comm(const cw_group_t *team, void *comm_p, size_t comm_nbytes)
{
    int rank = -1, size = 0, rc = cwb_mpi_rank(comm_nbytes, comm_p, &rank, &size);
    if (rc == CW_OK && (rank != cw_world.pe || size != cw_world.npes)) {
        cwu_error("this PE is rank %d of %d in MPI_COMM_WORLD: start the program with a launcher "
                  "that MPI knows (Hydra, orterun, prterun, srun)",
                  rank, size);
        rc = CW_EMISMATCH;
    }
    int *ranks = malloc((size_t)team->size * sizeof *ranks);
    for (int i = 0; i < team->size && ranks; i++)
        ranks[i] = cw_group_pe(team, i);
    if (rc == CW_OK && !ranks)
        rc = CW_ENOMEM;
    // No member enters a collective call of MPI that another will not enter.
    if (!cw_fused_all(team, rc == CW_OK))
        rc = rc ? rc : CW_EREFUSED;
    patience_t p;
    if (rc == CW_OK)
        rc = end(&p, cwb_mpi_create(ranks, team->size, team->sync->id, begin(&p), comm_p));
    free(ranks);
    return rc;
}

void cw_mpi_free(void *comm_p)
{
    patience_t p;
    end(&p, cwb_mpi_free(comm_p, begin(&p)));
}

int cw_mpi_no_info(void **info_p)
{
    return cwb_mpi_no_info(info_p);
}

/** Are these 0, 1 and so on, in order? */
static bool is_whole(const int *ranks, int n, int size)
{
    bool whole = n == size;
    for (int i = 0; i < n && whole; i++)
        whole = ranks[i] == i;
    return whole;
}

int cw_mpi_choose(const char *call, const void *comm, size_t comm_nbytes)
{
    int *ranks = NULL, n = 0, rank = -1, size = 0, mine = 0, rc = CW_OK;
    bool joined = cw_world.initialized;
    if (joined)
        rank = cw_world.pe, size = cw_world.npes;
    else
        rc = cwb_mpi_rank(comm_nbytes, NULL, &rank, &size);
    patience_t p;
    if (rc == CW_OK)
        rc = end(&p, cwb_mpi_members(comm, comm_nbytes, rank, begin(&p), &ranks, &n, &mine));
    bool whole = is_whole(ranks, n, size);
    free(ranks);
    if (rc == CW_OK && n > 0 && !joined && !whole)
        cwb_mpi_choose(comm);
    if (rc || whole || (n > 0 && !joined))
        return rc;
    if (n == 0)
        cwu_error("%s: MPI_COMM_NULL is no communicator", call);
    else
        cwu_error("%s: the communicator has %d processes, and the job that %s has joined %d, or "
                  "those in another order; a process is in one job at a time",
                  call, n, cw_world.init_call, size);
    return CW_EMISMATCH;
}

/** In the middle of the job others would not come to MPI_Finalize. */
void cw_mpi_end_started(void)
{
    if (!cw_world.initialized)
        cwu_mpi_end_own();
}

int cw_mpi_start(const char *call, int thread_level)
{
    if (!cw_world.initialized)
        cwu_env_load();  // as joining does, which is to come
    int rc = cwb_mpi_start(thread_level, call);
    if (rc == CW_OK && atexit(cw_mpi_end_started) != 0) {
        cwu_error("%s: no memory for an exit handler", call);
        rc = CW_ENOMEM;
    }
    return rc == CW_ENOENT ? CW_OK : rc;
}

_Static_assert(CW_THREAD_SINGLE == 0 && CW_THREAD_MULTIPLE == 3, "as in every MPI with a plugin");

int cw_mpi_thread_level(void)
{
    int level = cw_world.initialized ? CW_THREAD_SINGLE : cwu_mpi_thread_level();
    return level < CW_THREAD_MULTIPLE ? level : CW_THREAD_MULTIPLE;
}

bool cw_mpi_is_live(void)
{
    return cwu_mpi_is_live();
}

bool cw_mpi_is_road(void)
{
    return cw_world.nnodes > 1 && strcmp(cwu_env.transport, "mpi") == 0;
}

void cw_mpi_end(void)
{
    cwu_mpi_end();
}
