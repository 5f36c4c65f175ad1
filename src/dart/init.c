// SPDX-License-Identifier: BSD-3-Clause
//
// Joining and leaving the job, its end by an error, settings.
#include <stdio.h>
#include <string.h>

#include "base/env.h"
#include "base/error.h"
#include "core/am/am.h"
#include "core/device/remote.h"
#include "core/life/life.h"
#include "core/life/mpi.h"
#include "core/mem/area.h"
#include "core/owner/private.h"
#include "core/world/front_end.h"
#include "dart/drt.h"
#include "dart/locality/place.h"
#include "dart/memory.h"
#include "dart/op.h"
#include "dart/transfer.h"
#include "dart/update.h"

static bool joined, joining;

static cw_front_end_t front_end = {.init = "dart_init",
                                   .finalize = "dart_exit",
                                   .more_threads = "dart_init_thread",
                                   .is_routine = drt_is_routine,
                                   .value_name = drt_value_name};

/** DART may come after another front end: then the program itself must call it. */
static bool is_wanted(void)
{
    return joining || cw_program_uses(drt_is_routine);
}

const cw_area_request_t drt_area_request = {
    .what = "memory for DART", .sparse = true, .is_wanted = is_wanted};

static CW_CONSTRUCTOR(101) void announce(void)
{
    cw_area_reserve(&drt_area_request);
    cw_private_expect(&drt_area_request, DRT_RANGES_AT);
    cw_device_serve();
    drt_places_expect();
    drt_updates_expect();
}

static bool is_start_of_mpi(const char *symbol)
{
    static const char *const names[] = {"MPI_Init",         "MPI_Init_thread", "PMPI_Init",
                                        "PMPI_Init_thread", "mpi_init_",       "mpi_init_thread_",
                                        "mpi_init",         "mpi_init_thread"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(symbol, names[i]) == 0)
            return true;
    return false;
}

/** For programs that leave it to DART. One that has a call of MPI_Init may make it later. MPI is
 *  finalised when the process ends: it cannot be initialised again, and DART can. */
static int start_mpi(const char *call, int level)
{
    return cw_program_calls(is_start_of_mpi) ? 0 : cw_mpi_start(call, level);
}

static dart_ret_t join(const char *call, int level)
{
    if (joined)
        return drt_refuse(call, DART_ERR_OTHER, "called again before dart_exit");
    cw_front_end_register(&front_end);
    if (start_mpi(call, level))
        return DART_ERR_OTHER;
    if (!cw_may_join(call, level, &drt_area_request, "DART"))
        return DART_ERR_OTHER;
    if (!cw_area_beside_symmetric())
        cw_area_leave_data();
    cw_am_expect();
    joining = true;
    int rc = cw_init(level, call);
    joining = false;
    if (rc)
        return DART_ERR_OTHER;  // reported
    drt_memory_open();
    drt_teams_open();
    drt_messages_open(call);
    cw_private_open(call);
    drt_places_open();
    drt_gets.on = level == CW_THREAD_SINGLE;
    joined = true;
    return DART_OK;
}

DRT_API dart_ret_t dart_init(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    return join(__func__, CW_THREAD_SINGLE);
}

DRT_API dart_ret_t dart_init_thread(int *argc, char ***argv,
                                    dart_thread_support_level_t *thread_safety)
{
    (void)argc, (void)argv;
    DRT_WANT(thread_safety);
    const bool multiple = !cw_world.initialized || cw_world.thread_multiple;
    dart_ret_t rc = join(__func__, multiple ? CW_THREAD_MULTIPLE : CW_THREAD_SINGLE);
    if (rc != DART_OK)
        return rc;
    *thread_safety = multiple ? DART_THREAD_MULTIPLE : DART_THREAD_SINGLE;
    if (!multiple)
        cwu_debug("%s: the job was joined by %s with thread level %d: DART_THREAD_SINGLE is "
                  "provided",
                  __func__, cw_world.init_call, cw_world.thread_level);
    return DART_OK;
}

DRT_API dart_ret_t dart_exit(void)
{
    if (!joined)
        return drt_refuse(__func__, DART_ERR_NOTINIT, "called without dart_init");
    {
        CW_WATCH(cw_watch_call(__func__));
        drt_gets_finish();
        drt_check_flushed(__func__);
    }
    if (CW_CHECKING())
        cw_check_blocks_left(drt_is_routine);
    cw_finalize_meets(__func__);  // the area goes with the last finalize
    joined = false;
    cw_known_void();
    drt_messages_close();
    drt_teams_close();
    cw_private_close();
    drt_places_close();
    drt_memory_close();
    drt_refusals_close();
    cw_finalize(__func__);
    return DART_OK;
}

DRT_API bool dart_initialized(void)
{
    return joined;
}

DRT_API void dart_abort(int errorcode)
{
    fflush(stdout);
    cwu_error("dart_abort: called with %d", errorcode);
    cw_global_exit(cw_failure_status(errorcode));
}
