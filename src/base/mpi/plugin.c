// SPDX-License-Identifier: BSD-3-Clause
//
// Errors, the communicator of all processes, windows of parts, and the begin of MPI_Finalize.
#include "base/mpi/plugin.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

MPI_Comm cwu_mpi_base = MPI_COMM_WORLD;

void cwu_mpi_describe(int code, char text[CWU_MPI_TEXT_MAX])
{
    char whole[MPI_MAX_ERROR_STRING] = "";
    int n = 0;
    if (MPI_Error_string(code, whole, &n) != MPI_SUCCESS)
        n = 0;
    if (n >= CWU_MPI_TEXT_MAX)
        n = CWU_MPI_TEXT_MAX - 1;
    for (int i = 0; i < n; i++)
        text[i] = (char)(whole[i] == '\n' ? ' ' : whole[i]);
    text[n] = '\0';
}

// ---------------------------------------------------------------- the begin of MPI_Finalize
enum { WATCHES = 4 };  // at most: tables of a plugin
static void (*watches[WATCHES])(void);
static bool all_watch;  // every process of MPI_COMM_WORLD does

/** MPI deletes the attributes of MPI_COMM_SELF first of all in MPI_Finalize. Where all processes
 *  come here, they go on together: MPICH over UCX's sockets, in which a process that has
 *  disconnected answers no other one, hangs where one comes later. */
static int finalize_begins(MPI_Comm self, int key, void *value, void *extra)
{
    (void)self, (void)key, (void)value, (void)extra;
    for (int i = 0; i < WATCHES && watches[i]; i++)
        watches[i]();
    return all_watch ? MPI_Barrier(MPI_COMM_WORLD) : MPI_SUCCESS;
}

static int watch_finalize(void (*ending)(void))
{
    int key = MPI_KEYVAL_INVALID, i = 0;
    while (i < WATCHES && watches[i] && watches[i] != ending)
        i++;
    if (i == WATCHES)
        return MPI_ERR_OTHER;
    bool known = watches[i] == ending;
    watches[i] = ending;
    if (known || i > 0)
        return MPI_SUCCESS;
    int rc = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, finalize_begins, &key, NULL);
    if (rc == MPI_SUCCESS)
        rc = MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    return rc ? rc : MPI_Comm_free_keyval(&key);
}

// ---------------------------------------------------------------- all processes
int cwu_mpi_open_world(void (*ending)(void), MPI_Comm *comm_p, cwu_mpi_facts_t *facts_p)
{
    static char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int level = MPI_THREAD_SINGLE, n = 0, rc = MPI_Comm_dup(cwu_mpi_base, comm_p);
    if (rc || (rc = MPI_Comm_set_errhandler(*comm_p, MPI_ERRORS_RETURN)) ||
        (rc = MPI_Comm_rank(*comm_p, &facts_p->rank)) ||
        (rc = MPI_Comm_size(*comm_p, &facts_p->size)) || (rc = MPI_Query_thread(&level)) ||
        (rc = MPI_Get_library_version(library, &n)))
        return rc;
    cwu_mpi_shorten(library);
    facts_p->library = library;
    facts_p->any_thread = level == MPI_THREAD_MULTIPLE;
    all_watch = all_watch || cwu_mpi_base == MPI_COMM_WORLD;
    return watch_finalize(ending);
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

int cwu_mpi_begin_progress(MPI_Request *unending_p)
{
    return MPI_Grequest_start(query, release, cancel, NULL, unending_p);
}

/** A probe of Open MPI over UCX makes the windows' progress one time in a hundred; a question for a
 *  request that is not complete makes it each time, in every MPI. */
int cwu_mpi_progress(MPI_Request unending)
{
    int done;
    return MPI_Request_get_status(unending, &done, MPI_STATUS_IGNORE);
}

int cwu_mpi_end_progress(MPI_Request *unending_p)
{
    int rc = MPI_SUCCESS;
    if (*unending_p != MPI_REQUEST_NULL && (rc = MPI_Grequest_complete(*unending_p)) == MPI_SUCCESS)
        rc = MPI_Wait(unending_p, MPI_STATUS_IGNORE);
    return rc;
}

// ---------------------------------------------------------------- windows of parts

#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION < 5
static const bool turns = true;
#else
static const bool turns = false;
#endif

/** The directory that the launcher made on this host for this job. */
static int job_directory(void)
{
    const char *name = getenv("PMIX_SERVER_TMPDIR");
    return name ? open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
}

/** Open MPI before 5 (osc/rdma) names a window's shared memory by host, job and communicator, and
 *  communicators without a common process may have the same number: two of them that make windows
 *  at the same time use one file, and fail, or hang. So the lowest process of the part on each host
 *  locks the host. All are locked, or none: parts that share hosts never wait for each other. */
int cwu_mpi_begin_window(MPI_Comm comm, int *turn_p)
{
    enum { LOCKED, PAUSE_MS, NWORDS };
    MPI_Comm host = MPI_COMM_NULL;
    int rank = 0, words[NWORDS] = {0}, rc = MPI_SUCCESS;
    *turn_p = -1;
    if (!turns || cwu_mpi_base == MPI_COMM_WORLD)
        return rc;
    if ((rc = MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host)) ||
        (rc = MPI_Comm_rank(host, &rank)) || (rc = MPI_Comm_free(&host)))
        return rc;
    int fd = rank == 0 ? job_directory() : -1;
    do {
        if (fd >= 0 && !words[LOCKED] && words[PAUSE_MS])
            cwu_sleep_ns((uint64_t)words[PAUSE_MS] * 1000000u);
        words[LOCKED] = fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0;
        words[PAUSE_MS] = 1 + (int)(cwu_now_ns() / 1000 % 8);
        rc = MPI_Allreduce(MPI_IN_PLACE, words, NWORDS, MPI_INT, MPI_MIN, comm);
        if (fd >= 0 && (rc || !words[LOCKED]))
            flock(fd, LOCK_UN);
    } while (rc == MPI_SUCCESS && !words[LOCKED]);
    *turn_p = fd;
    return rc;
}

void cwu_mpi_end_window(int turn)
{
    if (turn >= 0)
        close(turn);  // which unlocks it
}
