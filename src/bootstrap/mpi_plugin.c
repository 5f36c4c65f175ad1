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
    int rc = MPI_Comm_rank(MPI_COMM_WORLD, rank_p);
    return rc ? rc : MPI_Comm_size(MPI_COMM_WORLD, size_p);
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

static int open_world(void (*ending)(void), cwb_mpi_world_t *world_p)
{
    int level = MPI_THREAD_SINGLE, neighbours = 0, rc = MPI_Comm_dup(MPI_COMM_WORLD, &ours);
    if (rc)
        return rc;
    tell_ending = ending;
    if ((rc = MPI_Comm_set_errhandler(ours, MPI_ERRORS_RETURN)) ||
        (rc = MPI_Query_thread(&level)) || (rc = rank_and_size(&world_p->rank, &world_p->size)) ||
        (rc = count_neighbours(&neighbours)))
        return rc;
    world_p->one_machine = neighbours == world_p->size;
    world_p->any_thread = level == MPI_THREAD_MULTIPLE;
    return watch_finalize();
}

static int gather(const void *mine, void *all, int nbytes)
{
    return MPI_Gather(mine, nbytes, MPI_BYTE, all, nbytes, MPI_BYTE, 0, ours);
}

static int broadcast(void *data, int nbytes)
{
    return MPI_Bcast(data, nbytes, MPI_BYTE, 0, ours);
}

static int collect(const void *mine, int nbytes, void **all_p, size_t *nbytes_p)
{
    int size = 0, rc = MPI_Comm_size(ours, &size);
    if (rc)
        return rc;
    int *counts = malloc((size_t)size * 2 * sizeof *counts), *starts = counts + size;
    long long total = 0;
    char *all = NULL;
    if (!counts)
        return MPI_ERR_NO_MEM;
    rc = MPI_Allgather(&nbytes, 1, MPI_INT, counts, 1, MPI_INT, ours);
    for (int i = 0; i < size && rc == MPI_SUCCESS; total += counts[i], i++)
        starts[i] = (int)total;
    if (rc == MPI_SUCCESS && total > INT_MAX)
        rc = MPI_ERR_COUNT;
    if (rc == MPI_SUCCESS && !(all = malloc((size_t)total + 1)))
        rc = MPI_ERR_NO_MEM;
    if (rc == MPI_SUCCESS)
        rc = MPI_Allgatherv(mine, nbytes, MPI_BYTE, all, counts, starts, MPI_BYTE, ours);
    free(counts);
    if (rc) {
        free(all);
        return rc;
    }
    *all_p = all;
    *nbytes_p = (size_t)total;
    return MPI_SUCCESS;
}

static void abort_all(int status)
{
    MPI_Abort(MPI_COMM_WORLD, status);
}

// ---------------------------------------------------------------- communicators of users

static int members(const void *comm, int mine, int **members_p, int *n_p, int *rank_p)
{
    MPI_Comm c = *(const MPI_Comm *)comm;
    int between = 0, rc, *list = NULL;
    *n_p = 0;
    if (c == MPI_COMM_NULL)
        return MPI_SUCCESS;
    if ((rc = MPI_Comm_test_inter(c, &between)) || (rc = MPI_Comm_size(c, n_p)) ||
        (rc = MPI_Comm_rank(c, rank_p)))
        return rc;
    if (between)
        return MPI_ERR_COMM;
    if (!(list = malloc((size_t)*n_p * sizeof *list)))
        return MPI_ERR_NO_MEM;
    rc = MPI_Allgather(&mine, 1, MPI_INT, list, 1, MPI_INT, c);
    if (rc == MPI_SUCCESS)
        *members_p = list;
    else
        free(list);
    return rc;
}

static int combine(const void *comm, uint64_t *and_words, int nand, uint64_t *max_words, int nmax)
{
    MPI_Comm c = *(const MPI_Comm *)comm;
    int rc = MPI_SUCCESS;
    if (nand)
        rc = MPI_Allreduce(MPI_IN_PLACE, and_words, nand, MPI_UINT64_T, MPI_BAND, c);
    return rc ? rc : MPI_Allreduce(MPI_IN_PLACE, max_words, nmax, MPI_UINT64_T, MPI_MAX, c);
}

static int create(const int *ranks, int n, int tag, void *comm_p)
{
    MPI_Group world, some;
    int rc = MPI_Comm_group(MPI_COMM_WORLD, &world);
    if (rc)
        return rc;
    rc = MPI_Group_incl(world, n, ranks, &some);
    MPI_Group_free(&world);
    if (rc)
        return rc;
    rc = MPI_Comm_create_group(MPI_COMM_WORLD, some, tag, comm_p);
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

static int free_comm(void *comm_p)
{
    return MPI_Comm_free(comm_p);
}

extern const cwb_mpi_plugin_t causeway_mpi_plugin;
CW_EXPORTED const cwb_mpi_plugin_t causeway_mpi_plugin = {
    .version = CWB_MPI_PLUGIN_VERSION,
    .comm_nbytes = sizeof(MPI_Comm),
    .describe = cwu_mpi_describe,
    .rank_and_size = rank_and_size,
    .open = open_world,
    .gather = gather,
    .broadcast = broadcast,
    .collect = collect,
    .abort = abort_all,
    .members = members,
    .combine = combine,
    .create = create,
    .null = null,
    .no_info = no_info,
    .free = free_comm,
};
