// SPDX-License-Identifier: BSD-3-Clause
//
// Windows of teams and segments: made and freed by the members together.
#include "dart/windows/windows.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/mpi/find.h"
#include "core/progress/hooks.h"
#include "dart/memory.h"
#include "dart/windows/access.h"

bool drt_windows_on;
drt_windows_t drt_windows;

void drt_windows_failed(const char *what, int pe, int code)
{
    char why[CWU_MPI_TEXT_MAX] = "", unit[32] = "";
    drt_windows.plugin->describe(code, why);
    if (pe >= 0)
        snprintf(unit, sizeof unit, " with unit %d", pe);
    cwu_fatal("CAUSEWAY_DART_MEMORY=windows: %s: %s%s failed: %s", drt_windows.facts.library, what,
              unit, why);
}

static void must(int code, const char *what)
{
    if (CW_UNLIKELY(code))
        drt_windows_failed(what, -1, code);
}

// ---------------------------------------------------------------- the MPI of the process
/** Called when MPI_Finalize begins. */
static void ending(void)
{
    if (drt_windows_on)
        cwu_fatal("MPI_Finalize was called while DART's memory is in windows of MPI "
                  "(CAUSEWAY_DART_MEMORY=windows): call dart_exit before it");
}

static void find(const char *call)
{
    const void *table = NULL;
    int rc = cwu_mpi_plugin(DRT_MPI_PLUGIN_SYMBOL, DRT_MPI_PLUGIN_VERSION, &table);
    if (rc == CW_ENOENT)
        cwu_fatal("%s: CAUSEWAY_DART_MEMORY=windows, and no MPI is initialised in this process: "
                  "start the job with mpiexec of the MPI and CAUSEWAY_TRANSPORT=mpi, or call "
                  "MPI_Init_thread before %s",
                  call, call);
    if (rc)
        cwu_fatal("%s: CAUSEWAY_DART_MEMORY=windows: the MPI of this process cannot be used", call);
    drt_windows.plugin = table;
}

static void check_world(void)
{
    const cwu_mpi_facts_t *f = &drt_windows.facts;
    if (f->rank != cw_world.pe || f->size != cw_world.npes)
        cwu_fatal("CAUSEWAY_DART_MEMORY=windows: unit %d of %d is rank %d of %d in MPI_COMM_WORLD "
                  "of %s: start the job with mpiexec of that MPI",
                  cw_world.pe, cw_world.npes, f->rank, f->size, f->library);
    if (!f->any_thread && cw_world.thread_multiple)
        cwu_fatal("CAUSEWAY_DART_MEMORY=windows: several threads may use this library, and %s was "
                  "initialised without MPI_THREAD_MULTIPLE: initialise MPI with it",
                  f->library);
}

static bool may_call(void)
{
    return drt_windows.facts.any_thread || pthread_equal(drt_windows.main, pthread_self());
}

/** In each round of a wait: MPI moves data of other units when it is called. */
static void poll(void)
{
    if (may_call())
        must(drt_windows.plugin->progress(), "MPI_Request_get_status");
}

void drt_windows_open(const char *call)
{
    bool unified = false;
    find(call);
    drt_windows.main = pthread_self();
    must(drt_windows.plugin->open(ending, &drt_windows.facts, &unified),
         "making a window of all units (MPI_Win_create_dynamic)");
    check_world();
    if (!unified)
        cwu_fatal("CAUSEWAY_DART_MEMORY=windows: windows of %s are not of the unified memory model",
                  drt_windows.facts.library);
    drt_windows_on = true;
    cw_progress_hooks.poll_beside = poll;
}

void drt_windows_close(void)
{
    if (!drt_windows_on)
        return;
    cw_progress_hooks.poll_beside = NULL;
    drt_windows_on = false;
    must(drt_windows.plugin->close(), "freeing the window of all units");
}

// ---------------------------------------------------------------- teams
/** The members on this node. */
static void enter(drt_team_t *team)
{
    int *ranks = malloc((size_t)cw_world.nslots * sizeof *ranks), n = 0;
    if (!ranks)
        cwu_fatal("out of memory for a list of %d units", cw_world.nslots);
    for (int unit = 0; unit < team->group->size; unit++) {
        const int pe = cw_group_pe(team->group, unit);
        if (cw_world.node_of_pe[pe] == cw_world.node)
            ranks[n++] = pe;
    }
    must(drt_windows.plugin->node_open(ranks, n, team->id, &team->in_windows),
         "making a communicator of a team's members");
    free(ranks);
}

void drt_windows_leave(drt_team_t *team)
{
    if (team->in_windows)
        must(drt_windows.plugin->node_close(team->in_windows), "freeing a communicator");
    team->in_windows = NULL;
}

// ---------------------------------------------------------------- segments
enum { LINE = 64 };  // parts begin on one; pages have the same lines wherever they are mapped

static void *aligned(void *base)
{
    return (char *)base + (-(uintptr_t)base & (LINE - 1));
}

/** Where the members' parts are: mapped here, and in the team's window. */
static void fill_in(drt_segment_t *segment, const drt_team_t *team, const drt_extent_t *blocks)
{
    void *base;
    int rank = 0;  // among the members of this node
    for (int unit = 0; unit < segment->nunits; unit++) {
        const int pe = cw_group_pe(team->group, unit);
        segment->far[unit] = (char *)(uintptr_t)blocks[unit].place;
        if (cw_world.node_of_pe[pe] != cw_world.node)
            continue;
        must(drt_windows.plugin->mapped(segment->memory, rank++, &base), "MPI_Win_shared_query");
        segment->near[unit] = cw_world.plain ? aligned(base) : NULL;
    }
    drt_segment_set_sizes(segment, blocks);
}

drt_segment_t *drt_windows_allocate(drt_team_t *team, size_t nbytes)
{
    const size_t n = (size_t)team->group->size;
    struct drt_mpi_memory *memory = NULL;
    drt_extent_t mine = {0, nbytes}, *blocks = malloc(n * sizeof *blocks);
    void *own = NULL;
    if (!team->in_windows)
        enter(team);
    drt_segment_t *segment = drt_segment_make(team, nbytes, NULL);
    if (!blocks || !segment)
        cwu_fatal("out of memory for a list of %zu units", n);
    // it fails on all members of a node, or on none
    int rc =
        drt_windows.plugin->allocate(team->in_windows, nbytes + LINE, &memory, &own, &mine.place);
    if (rc == 0)
        mine.place += (uint64_t)((char *)aligned(own) - (char *)own);
    drt_exchange(team->group, &mine.place, DRT_EXTENT_WORDS, &blocks->place);
    bool all = rc == 0;
    for (size_t unit = 0; unit < n; unit++)
        all = all && blocks[unit].place;
    segment->memory = memory;
    segment->own = own ? aligned(own) : NULL;
    if (all)
        fill_in(segment, team, blocks);
    free(blocks);
    if (all)
        return segment;
    drt_windows_release(segment);
    return NULL;
}

void drt_windows_release(drt_segment_t *segment)
{
    if (segment->memory)
        must(drt_windows.plugin->release(segment->memory), "freeing memory of a segment");
    segment->memory = NULL;
    drt_segment_drop(segment);
}

static bool has(const drt_team_t *team, const void *addr, size_t nbytes, uint64_t *at_p)
{
    for (uint32_t number = 0; number < team->segments->n; number++) {
        const drt_segment_t *segment = team->segments->of[number];
        if (!segment)
            continue;
        const uint64_t at = (uint64_t)(uintptr_t)addr - (uintptr_t)segment->own,
                       size = segment->sizes[segment->rank];
        *at_p = (uintptr_t)segment->far[segment->rank] + at;
        if (at < size && nbytes <= size - at)
            return true;
    }
    return false;
}

bool drt_windows_have(const void *addr, size_t nbytes, uint64_t *at_p)
{
    for (uint32_t id = 0; id < drt_teams_limit; id++)
        if (drt_teams[id] && has(drt_teams[id], addr, nbytes, at_p))
            return true;
    return false;
}
