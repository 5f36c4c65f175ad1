// SPDX-License-Identifier: BSD-3-Clause
//
// The transport's part of a plugin for an MPI (plugin.h); built once for each MPI family, into one
// file with bootstrap/mpi_plugin.c.
#include "transport/mpi/plugin.h"

#include <mpi.h>
#include <string.h>

#include "base/compiler.h"
#include "base/mpi/plugin.h"

static MPI_Comm comm = MPI_COMM_NULL;
static MPI_Win window = MPI_WIN_NULL;
static MPI_Request unending = MPI_REQUEST_NULL;

_Static_assert(sizeof(MPI_Request) <= sizeof(uint64_t), "fits the transport's word");

static int progress(void)
{
    return cwu_mpi_progress(unending);
}

// ---------------------------------------------------------------- collective

static int open_comm(void (*ending)(void), cwu_mpi_facts_t *facts_p)
{
    int rc = cwu_mpi_open_world(ending, &comm, facts_p);
    return rc ? rc : cwu_mpi_begin_progress(&unending);
}

static int expose(void *base, size_t nbytes, bool *unified_p)
{
    MPI_Info info = MPI_INFO_NULL;
    int *model = NULL, known = 0, turn = -1, rc = MPI_Info_create(&info);
    // promises that save MPI work: no atomic operations, and bytes as the unit
    if (rc == MPI_SUCCESS)
        rc = MPI_Info_set(info, "accumulate_ops", "same_op");
    if (rc == MPI_SUCCESS)
        rc = MPI_Info_set(info, "accumulate_ordering", "none");
    if (rc == MPI_SUCCESS && (rc = cwu_mpi_begin_window(comm, &turn)) == MPI_SUCCESS)
        rc = MPI_Win_create(base, (MPI_Aint)nbytes, 1, info, comm, &window);
    cwu_mpi_end_window(turn);
    if (info != MPI_INFO_NULL)
        MPI_Info_free(&info);
    if (rc || (rc = MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN)) ||
        (rc = MPI_Win_get_attr(window, MPI_WIN_MODEL, (void *)&model, &known)))
        return rc;
    *unified_p = known && *model == MPI_WIN_UNIFIED;
    return MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
}

static int close_all(void)
{
    int rc = cwu_mpi_end_progress(&unending);
    if (rc == MPI_SUCCESS && window != MPI_WIN_NULL &&
        (rc = MPI_Win_unlock_all(window)) == MPI_SUCCESS)
        rc = MPI_Win_free(&window);
    if (rc == MPI_SUCCESS && comm != MPI_COMM_NULL)
        rc = MPI_Comm_free(&comm);
    return rc;
}

// ---------------------------------------------------------------- window

static int put(int rank, uint64_t offset, const void *src, size_t nbytes)
{
    return MPI_Put(src, (int)nbytes, MPI_BYTE, rank, (MPI_Aint)offset, (int)nbytes, MPI_BYTE,
                   window);
}

static int get(int rank, uint64_t offset, void *dst, size_t nbytes)
{
    return MPI_Get(dst, (int)nbytes, MPI_BYTE, rank, (MPI_Aint)offset, (int)nbytes, MPI_BYTE,
                   window);
}

static int flush(int rank)
{
    return MPI_Win_flush(rank, window);
}

// ---------------------------------------------------------------- messages

static int test(uint64_t *request_p)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int done = 0;
    memcpy(&request, request_p, sizeof request);
    int rc = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (rc == MPI_SUCCESS && done)
        *request_p = 0;
    return rc;
}

static int send(int rank, int tag, const void *buf, size_t nbytes, uint64_t *request_p)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int rc = MPI_Isend(buf, (int)nbytes, MPI_BYTE, rank, tag, comm, &request);
    if (rc)
        return rc;
    memcpy(request_p, &request, sizeof request);
    return test(request_p);
}

static int receive_into(int rank, int tag, void *buf, size_t nbytes, uint64_t *request_p)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int rc = MPI_Irecv(buf, (int)nbytes, MPI_BYTE, rank, tag, comm, &request);
    if (rc)
        return rc;
    memcpy(request_p, &request, sizeof request);
    return test(request_p);
}

static int receive(int tag, void *buf, int capacity, int *rank_p, int *nbytes_p)
{
    MPI_Message message;
    MPI_Status status;
    int there = 0, rc = MPI_Improbe(MPI_ANY_SOURCE, tag, comm, &there, &message, &status);
    *nbytes_p = -1;
    if (rc || !there)
        return rc ? rc : progress();
    *rank_p = status.MPI_SOURCE;
    if ((rc = MPI_Mrecv(buf, capacity, MPI_BYTE, &message, &status)))
        return rc;
    return MPI_Get_count(&status, MPI_BYTE, nbytes_p);
}

static int peek(int tag, bool *there_p)
{
    int there = 0, rc = MPI_Iprobe(MPI_ANY_SOURCE, tag, comm, &there, MPI_STATUS_IGNORE);
    *there_p = there;
    return rc || there ? rc : progress();
}

extern const cwt_mpi_plugin_t causeway_mpi_windows;
CW_EXPORTED const cwt_mpi_plugin_t causeway_mpi_windows = {
    .version = CWT_MPI_PLUGIN_VERSION,
    .describe = cwu_mpi_describe,
    .open = open_comm,
    .expose = expose,
    .close = close_all,
    .put = put,
    .get = get,
    .flush = flush,
    .send = send,
    .receive_into = receive_into,
    .test = test,
    .receive = receive,
    .peek = peek,
};
