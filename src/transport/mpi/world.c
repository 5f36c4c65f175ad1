// SPDX-License-Identifier: BSD-3-Clause
//
// The window and the communicator of the job: made by all PEs together in init, freed by them in
// finalize.
#include "transport/mpi/world.h"

#include <stdio.h>
#include <string.h>

#include "base/env.h"
#include "base/error.h"
#include "base/futex.h"
#include "base/mpi/find.h"
#include "base/wait.h"

mpw_world_t mpw_world;

bool mpw_is_allowed(void)
{
    return mpw_world.facts.any_thread || pthread_equal(mpw_world.main, pthread_self());
}

int mpw_failed(const char *what, const char *node, int code)
{
    char why[CWU_MPI_TEXT_MAX] = "";
    mpw_world.plugin->describe(code, why);
    cwu_error("%s: %s%s%s failed: %s", mpw_world.facts.library, what, node ? " with " : "",
              node ? node : "", why);
    return CW_ELOST;
}

static int load(void)
{
    const void *table = NULL;
    int rc = cwu_mpi_plugin(CWT_MPI_PLUGIN_SYMBOL, CWT_MPI_PLUGIN_VERSION, &table);
    if (rc == CW_ENOENT)
        cwu_error("CAUSEWAY_TRANSPORT=mpi: no MPI is initialised in this process, and it was not "
                  "started by the launcher of one: start the job with mpiexec of the MPI (oshrun "
                  "gives its processes no ranks of an MPI), or leave the setting out to use "
                  "libfabric");
    if (rc == CW_OK)
        mpw_world.plugin = table;
    return rc;
}

/** Called when MPI_Finalize begins. */
static void ending(void)
{
    if (mpw_world.joined)
        cwu_fatal("MPI_Finalize was called while this library uses MPI to reach other nodes "
                  "(CAUSEWAY_TRANSPORT=mpi): %s",
                  cwu_mpi_is_own() ? "leave it to the library, which has initialised MPI"
                                   : "finalise the library before MPI");
}

static int check_world(int pe, int npes)
{
    const cwu_mpi_facts_t *f = &mpw_world.facts;
    if (f->rank == pe && f->size == npes)
        return CW_OK;
    cwu_error("CAUSEWAY_TRANSPORT=mpi: PE %d of %d is rank %d of %d in MPI_COMM_WORLD of %s: start "
              "the job with mpiexec of that MPI; CAUSEWAY_BOOTSTRAP=mpi makes its ranks the PEs",
              pe, npes, f->rank, f->size, f->library);
    return CW_EMISMATCH;
}

/** Messages wait for the node server's thread; where there is none, MPI's own calls in the target
 *  serve the window. */
static mpw_way_t known_way(void)
{
    if (!mpw_world.facts.any_thread || strcmp(cwu_env.mpi_transfers, "window") == 0)
        return MPW_BY_WINDOW;
    return strcmp(cwu_env.mpi_transfers, "messages") == 0 ? MPW_BY_MESSAGES : MPW_UNDECIDED;
}

/** Says what is lost where MPI serves one thread only, when asked. */
static void say_level(void)
{
    const cwu_mpi_facts_t *f = &mpw_world.facts;
    cwu_debug("windows of %s; %s", f->library,
              f->any_thread ? "MPI_THREAD_MULTIPLE: the node server has a thread of its own"
                            : "no MPI_THREAD_MULTIPLE: the node server works only while this PE "
                              "waits in this library, and other nodes wait for a PE that computes");
}

int mpw_join(const cwt_layout_t *layout, void *base, int pe, int npes)
{
    bool unified = false;
    int rc = load();
    if (rc)
        return rc;
    if ((rc = mpw_world.plugin->open(ending, &mpw_world.facts)))
        return mpw_failed("making a communicator", NULL, rc);
    if ((rc = check_world(pe, npes)))
        return rc;
    say_level();
    mpw_world.main = pthread_self();
    size_t nbytes = base ? layout->slice_offset + layout->nslots * layout->slice_stride : 0;
    if ((rc = mpw_ranks_open()))
        return rc;
    if ((rc = mpw_world.plugin->expose(base, nbytes, &unified)))
        return mpw_failed("making a window of the nodes' memory (MPI_Win_create)", NULL, rc);
    if (!unified) {
        cwu_error("%s: its windows are not of the unified memory model, which this library needs",
                  mpw_world.facts.library);
        return CW_ENOTSUP;
    }
    atomic_store_explicit(&mpw_world.way, (int)known_way(), memory_order_release);
    // pairs with mpw_await_join
    cwu_mpi_use(true);
    atomic_store_explicit(&mpw_world.joined, 1, memory_order_release);
    cwu_futex_wake((uint32_t *)&mpw_world.joined, INT_MAX);
    return CW_OK;
}

void mpw_await_join(void)
{
    while (!atomic_load_explicit(&mpw_world.joined, memory_order_acquire))
        cwu_futex_wait((uint32_t *)&mpw_world.joined, 0, CWU_WAIT_NS(SAFEGUARD));
}

void mpw_leave(void)
{
    if (!mpw_world.joined)
        return;
    mpw_world.joined = 0;
    int rc = mpw_world.plugin->close();
    if (rc)
        mpw_failed("freeing the window", NULL, rc);
    mpw_ranks_close();
    cwu_mpi_use(false);
}
