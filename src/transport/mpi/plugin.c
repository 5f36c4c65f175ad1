// SPDX-License-Identifier: BSD-3-Clause
//
// The transport's part of a plugin for an MPI (plugin.h); built once for each MPI family, into one
// file with bootstrap/mpi_plugin.c.
#include "transport/mpi/plugin.h"

#include <mpi.h>
#include <string.h>

#include "base/compiler.h"

static MPI_Comm comm = MPI_COMM_NULL;
static MPI_Win window = MPI_WIN_NULL;
static void (*tell_ending)(void);
static MPI_Request unending = MPI_REQUEST_NULL;  // from open to close

_Static_assert(sizeof(MPI_Request) <= sizeof(uint64_t), "fits the transport's word");

static void describe(int code, char text[CWT_MPI_TEXT_MAX])
{
    char whole[MPI_MAX_ERROR_STRING] = "";
    int n = 0;
    if (MPI_Error_string(code, whole, &n) != MPI_SUCCESS)
        n = 0;
    if (n >= CWT_MPI_TEXT_MAX)
        n = CWT_MPI_TEXT_MAX - 1;
    for (int i = 0; i < n; i++)
        text[i] = (char)(whole[i] == '\n' ? ' ' : whole[i]);
    text[n] = '\0';
}

// ---------------------------------------------------------------- progress

static int query(void *extra, MPI_Status *status)
{
    (void)extra;
    MPI_Status_set_cancelled(status, 0);
    return MPI_Status_set_elements(status, MPI_BYTE, 0);
}

static int release(void *extra)
{
    (void)extra;
    return MPI_SUCCESS;
}

static int cancel(void *extra, int complete)
{
    (void)extra, (void)complete;
    return MPI_SUCCESS;
}

/** A probe of Open MPI over UCX makes the windows' progress one time in a hundred; a question for a
 *  request that is not complete makes it each time, in every MPI. */
static int progress(void)
{
    int done;
    return MPI_Request_get_status(unending, &done, MPI_STATUS_IGNORE);
}

static int end_progress(void)
{
    int rc = MPI_SUCCESS;
    if (unending != MPI_REQUEST_NULL && (rc = MPI_Grequest_complete(unending)) == MPI_SUCCESS)
        rc = MPI_Wait(&unending, MPI_STATUS_IGNORE);
    return rc;
}

// ---------------------------------------------------------------- collective

/** MPI deletes the attributes of MPI_COMM_SELF first of all in MPI_Finalize. */
static int finalize_begins(MPI_Comm self, int key, void *value, void *extra)
{
    (void)self, (void)key, (void)value, (void)extra;
    tell_ending();
    return MPI_SUCCESS;
}

static int watch_finalize(void (*ending)(void))
{
    int key = MPI_KEYVAL_INVALID;
    if (tell_ending)
        return MPI_SUCCESS;
    tell_ending = ending;
    int rc = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, finalize_begins, &key, NULL);
    if (rc == MPI_SUCCESS)
        rc = MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    return rc ? rc : MPI_Comm_free_keyval(&key);
}

static int open_comm(void (*ending)(void), cwt_mpi_facts_t *facts_p)
{
    static char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int level = MPI_THREAD_SINGLE, n = 0, rc = MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (rc || (rc = MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN)) ||
        (rc = MPI_Comm_rank(comm, &facts_p->rank)) || (rc = MPI_Comm_size(comm, &facts_p->size)) ||
        (rc = MPI_Query_thread(&level)) || (rc = MPI_Get_library_version(library, &n)) ||
        (rc = MPI_Grequest_start(query, release, cancel, NULL, &unending)))
        return rc;
    library[strcspn(library, ",\n\r\t")] = '\0';
    facts_p->library = library;
    facts_p->any_thread = level == MPI_THREAD_MULTIPLE;
    return watch_finalize(ending);
}

static int expose(void *base, size_t nbytes, bool *unified_p)
{
    MPI_Info info = MPI_INFO_NULL;
    int *model = NULL, known = 0, rc = MPI_Info_create(&info);
    // promises that save MPI work: no atomic operations, and bytes as the unit
    if (rc == MPI_SUCCESS)
        rc = MPI_Info_set(info, "accumulate_ops", "same_op");
    if (rc == MPI_SUCCESS)
        rc = MPI_Info_set(info, "accumulate_ordering", "none");
    if (rc == MPI_SUCCESS)
        rc = MPI_Win_create(base, (MPI_Aint)nbytes, 1, info, comm, &window);
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
    int rc = end_progress();
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

static int flush_local(int rank)
{
    return MPI_Win_flush_local(rank, window);
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
    .describe = describe,
    .open = open_comm,
    .expose = expose,
    .close = close_all,
    .put = put,
    .get = get,
    .flush = flush,
    .flush_local = flush_local,
    .send = send,
    .test = test,
    .receive = receive,
    .peek = peek,
};
