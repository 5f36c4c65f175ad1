// SPDX-License-Identifier: BSD-3-Clause
//
// The plugin for an MPI (mpi_plugin.h); built once for each MPI family (meson.build).
#include "bootstrap/mpi_plugin.h"
#include "base/compiler.h"
#include "base/mpi/plugin.h"

#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static MPI_Comm ours = MPI_COMM_NULL;
static void (*tell_ending)(void);

static int rank_and_size(int *rank_p, int *size_p)
{
    int rc = MPI_Comm_rank(cwu_mpi_base, rank_p);
    return rc ? rc : MPI_Comm_size(cwu_mpi_base, size_p);
}

// ---------------------------------------------------------------- the library's communicator

/** MPI deletes the attributes of MPI_COMM_SELF first of all in MPI_Finalize. */
static int finalize_begins(MPI_Comm self, int key, void *value, void *extra)
{
    (void)self, (void)key, (void)value, (void)extra;
    tell_ending();
    return ours == MPI_COMM_NULL ? MPI_SUCCESS : MPI_Comm_free(&ours);
}

static int watch_finalize(void)
{
    static bool watched;
    if (watched)
        return MPI_SUCCESS;
    watched = true;
    int key = MPI_KEYVAL_INVALID;
    int rc = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, finalize_begins, &key, NULL);
    if (rc == MPI_SUCCESS)
        rc = MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    return rc ? rc : MPI_Comm_free_keyval(&key);
}

static int count_neighbours(int *n_p)
{
    MPI_Comm here;
    int rc = MPI_Comm_split_type(ours, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    if (rc == MPI_SUCCESS)
        rc = MPI_Comm_size(here, n_p);
    return rc ? rc : MPI_Comm_free(&here);
}

static int open_world(const void *comm, void (*ending)(void), cwb_mpi_world_t *world_p)
{
    int level = MPI_THREAD_SINGLE, neighbours = 0,
        rc = MPI_Comm_dup(comm ? *(const MPI_Comm *)comm : MPI_COMM_WORLD, &ours);
    if (rc)
        return rc;
    if (comm)
        cwu_mpi_base = ours;
    tell_ending = ending;
    if ((rc = MPI_Comm_set_errhandler(ours, MPI_ERRORS_RETURN)) ||
        (rc = MPI_Query_thread(&level)) || (rc = rank_and_size(&world_p->rank, &world_p->size)) ||
        (rc = count_neighbours(&neighbours)))
        return rc;
    world_p->one_machine = neighbours == world_p->size;
    world_p->any_thread = level == MPI_THREAD_MULTIPLE;
    return watch_finalize();
}

static int close_part(void)
{
    cwu_mpi_base = MPI_COMM_WORLD;
    return ours == MPI_COMM_NULL ? MPI_SUCCESS : MPI_Comm_free(&ours);
}

static int gather(const void *mine, void *all, int nbytes)
{
    return MPI_Gather(mine, nbytes, MPI_BYTE, all, nbytes, MPI_BYTE, 0, ours);
}

static int broadcast(void *data, int nbytes)
{
    return MPI_Bcast(data, nbytes, MPI_BYTE, 0, ours);
}

// ---------------------------------------------------------------- the exchange of bytes
// In steps that do not block: meanwhile others may need what the caller does for them.
static struct {
    enum { NOTHING, SIZES, BYTES } under_way;
    MPI_Request request;
    int nbytes, size, *counts, *starts;  // counts and starts: a block, temporary
    char *mine, *all;                    // copies, temporary
    size_t total;
} exchange;

static void drop_exchange(void)
{
    free(exchange.counts);
    free(exchange.mine);
    exchange.counts = NULL;
    exchange.mine = NULL;
    exchange.under_way = NOTHING;
}

static int collect(const void *mine, int nbytes)
{
    int rc = MPI_Comm_size(ours, &exchange.size);
    if (rc)
        return rc;
    exchange.counts = malloc((size_t)exchange.size * 2 * sizeof *exchange.counts);
    exchange.mine = malloc((size_t)nbytes + 1);
    if (!exchange.counts || !exchange.mine) {
        drop_exchange();
        return MPI_ERR_NO_MEM;
    }
    exchange.starts = exchange.counts + exchange.size;
    exchange.nbytes = nbytes;
    if (nbytes)
        memcpy(exchange.mine, mine, (size_t)nbytes);
    exchange.under_way = SIZES;
    return MPI_Iallgather(&exchange.nbytes, 1, MPI_INT, exchange.counts, 1, MPI_INT, ours,
                          &exchange.request);
}

/** The sizes are known. */
static int send_bytes(void)
{
    long long total = 0;
    for (int i = 0; i < exchange.size; total += exchange.counts[i], i++)
        exchange.starts[i] = (int)total;
    if (total > INT_MAX)
        return MPI_ERR_COUNT;
    exchange.total = (size_t)total;
    if (!(exchange.all = malloc(exchange.total + 1)))
        return MPI_ERR_NO_MEM;
    exchange.under_way = BYTES;
    return MPI_Iallgatherv(exchange.mine, exchange.nbytes, MPI_BYTE, exchange.all, exchange.counts,
                           exchange.starts, MPI_BYTE, ours, &exchange.request);
}

/** One step, when MPI is done with the last one. */
static int go_on(bool wait, bool *over_p)
{
    int done = 1;
    int rc = wait ? MPI_Wait(&exchange.request, MPI_STATUS_IGNORE)
                  : MPI_Test(&exchange.request, &done, MPI_STATUS_IGNORE);
    if (rc || !done)
        return rc;
    if (exchange.under_way == SIZES)
        return send_bytes();
    *over_p = true;
    return MPI_SUCCESS;
}

static int collected(bool wait, bool *over_p, void **all_p, size_t *nbytes_p)
{
    int rc;
    *over_p = false;
    do
        rc = go_on(wait, over_p);
    while (wait && rc == MPI_SUCCESS && !*over_p);
    if (rc == MPI_SUCCESS && !*over_p)
        return MPI_SUCCESS;
    if (rc == MPI_SUCCESS) {
        *all_p = exchange.all;
        *nbytes_p = exchange.total;
    } else {
        free(exchange.all);
    }
    exchange.all = NULL;
    drop_exchange();
    return rc;
}

static void abort_all(int status)
{
    MPI_Abort(MPI_COMM_WORLD, status);
}

// ---------------------------------------------------------------- communicators of users

/** At most two. */
static int complete(MPI_Request *requests, int n, const cwu_mpi_between_t *between)
{
    MPI_Status statuses[2];  // gcc takes MPICH's MPI_STATUSES_IGNORE for an array of no bytes
    int done = 0, rc;
    if (!between)
        return MPI_Waitall(n, requests, statuses);
    while ((rc = MPI_Testall(n, requests, &done, statuses)) == MPI_SUCCESS && !done)
        between->round(between->arg);
    return rc;
}

static int members(const void *comm, int mine, const cwu_mpi_between_t *between, int **members_p,
                   int *n_p, int *rank_p)
{
    MPI_Comm c = *(const MPI_Comm *)comm;
    int inter = 0, rc, *list = NULL;
    *n_p = 0;
    if (c == MPI_COMM_NULL)
        return MPI_SUCCESS;
    if ((rc = MPI_Comm_test_inter(c, &inter)) || (rc = MPI_Comm_size(c, n_p)) ||
        (rc = MPI_Comm_rank(c, rank_p)))
        return rc;
    if (inter)
        return MPI_ERR_COMM;
    if (!(list = malloc((size_t)*n_p * sizeof *list)))
        return MPI_ERR_NO_MEM;
    MPI_Request request;
    rc = MPI_Iallgather(&mine, 1, MPI_INT, list, 1, MPI_INT, c, &request);
    if (rc == MPI_SUCCESS)
        rc = complete(&request, 1, between);
    if (rc == MPI_SUCCESS)
        *members_p = list;
    else
        free(list);
    return rc;
}

static int combine(const void *comm, uint64_t *and_words, int nand, uint64_t *max_words, int nmax,
                   const cwu_mpi_between_t *between)
{
    MPI_Comm c = *(const MPI_Comm *)comm;
    MPI_Request both[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int rc = MPI_SUCCESS;
    if (nand)
        rc = MPI_Iallreduce(MPI_IN_PLACE, and_words, nand, MPI_UINT64_T, MPI_BAND, c, &both[0]);
    if (rc == MPI_SUCCESS)
        rc = MPI_Iallreduce(MPI_IN_PLACE, max_words, nmax, MPI_UINT64_T, MPI_MAX, c, &both[1]);
    return rc ? rc : complete(both, 2, between);
}

/** Returns when all of these ranks have come: messages to and from the ranks 1, 2, 4 and so on
 *  places away. Two ranks meet in one step only, so calls that follow each other need one tag. */
static int await_ranks(const int *ranks, int n, int tag, const cwu_mpi_between_t *between)
{
    int me = 0, at = 0, rc = MPI_Comm_rank(ours, &me);
    while (rc == MPI_SUCCESS && at < n - 1 && ranks[at] != me)
        at++;
    for (int step = 1; rc == MPI_SUCCESS && step < n; step *= 2) {
        MPI_Request both[2];
        int to = ranks[(at + step) % n], from = ranks[(at + n - step) % n];
        if ((rc = MPI_Irecv(NULL, 0, MPI_BYTE, from, tag, ours, &both[0])) == MPI_SUCCESS &&
            (rc = MPI_Isend(NULL, 0, MPI_BYTE, to, tag, ours, &both[1])) == MPI_SUCCESS)
            rc = complete(both, 2, between);
    }
    return rc;
}

static int create(const int *ranks, int n, int tag, const cwu_mpi_between_t *between, void *comm_p)
{
    MPI_Group world, some;
    // MPI can only block in the creation
    int rc = between ? await_ranks(ranks, n, tag, between) : MPI_SUCCESS;
    if (rc || (rc = MPI_Comm_group(cwu_mpi_base, &world)))
        return rc;
    rc = MPI_Group_incl(world, n, ranks, &some);
    MPI_Group_free(&world);
    if (rc)
        return rc;
    rc = MPI_Comm_create_group(cwu_mpi_base, some, tag, comm_p);
    MPI_Group_free(&some);
    return rc;
}

static void null(void *comm_p)
{
    *(MPI_Comm *)comm_p = MPI_COMM_NULL;
}

static void no_info(void **info_p)
{
    const MPI_Info none = MPI_INFO_NULL;
    *info_p = NULL;
    memcpy(info_p, &none, sizeof none);
}

/** MPI may block in it. */
static int free_comm(void *comm_p, const cwu_mpi_between_t *between)
{
    MPI_Request request;
    int rc = between ? MPI_Ibarrier(*(MPI_Comm *)comm_p, &request) : MPI_SUCCESS;
    if (between && rc == MPI_SUCCESS)
        rc = complete(&request, 1, between);
    return rc ? rc : MPI_Comm_free(comm_p);
}

extern const cwb_mpi_plugin_t causeway_mpi_plugin;
CW_EXPORTED const cwb_mpi_plugin_t causeway_mpi_plugin = {
    .version = CWB_MPI_PLUGIN_VERSION,
    .comm_nbytes = sizeof(MPI_Comm),
    .describe = cwu_mpi_describe,
    .rank_and_size = rank_and_size,
    .open = open_world,
    .close_part = close_part,
    .gather = gather,
    .broadcast = broadcast,
    .collect = collect,
    .collected = collected,
    .abort = abort_all,
    .members = members,
    .combine = combine,
    .create = create,
    .null = null,
    .no_info = no_info,
    .free = free_comm,
};
