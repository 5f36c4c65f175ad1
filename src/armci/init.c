// SPDX-License-Identifier: BSD-3-Clause
//
// Joining and leaving the job, and its end by an error.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "armci/device.h"
#include "armci/group.h"
#include "base/error.h"
#include "core/am/am.h"
#include "core/device/remote.h"
#include "core/life/mpi.h"
#include "core/mem/area.h"
#include "core/world/front_end.h"

aci_state_t aci;
cw_owner_t aci_owner;

static bool is_routine(const char *symbol)
{
    return strncmp(symbol, "ARMCI", 5) == 0 || strncmp(symbol, "armci_", 6) == 0 ||
           strncmp(symbol, "PARMCI_", 7) == 0 || strncmp(symbol, "parmci_", 7) == 0;
}

static cw_front_end_t front_end = {.init = "ARMCI_Init",
                                   .finalize = "ARMCI_Finalize",
                                   .more_threads = "ARMCI_Init_thread",
                                   .is_routine = is_routine};

/** What a program has yet to call. */
static void name_finalize(void)
{
    int inits = aci.joined - aci.messages;
    aci.most = inits > aci.most || aci.joined == 0 ? inits : aci.most;
    front_end.finalize = inits <= 0      ? "armci_msg_finalize"
                         : aci.most == 1 ? "ARMCI_Finalize"
                                         : "ARMCI_Finalize as often as ARMCI_Init";
}

/** ARMCI may come after another front end: then the program, or a library of it, must call it. */
static bool is_wanted(void)
{
    return aci.joined || cw_program_uses(is_routine);
}

const cw_area_request_t aci_area_request = {
    .what = "memory for ARMCI", .sparse = true, .is_wanted = is_wanted};

static CW_CONSTRUCTOR(101) void announce(void)
{
    cw_area_reserve(&aci_area_request);
    cw_device_serve();
}

static void begin_wait(cw_wait_t *w)
{
    (void)w;
}

static bool shares(const void *addr, size_t nbytes)
{
    (void)addr, (void)nbytes;
    return false;  // what mapping and network do not reach, is not reached
}

static void open_memory(const char *call, bool mixed)
{
    const cw_owner_config_t config = {.call = call,
                                      .wakes = mixed,
                                      .wait_begin = begin_wait,
                                      .wait_round = cw_wait_round,
                                      .shares = shares};
    aci.check = aci.looks = aci.pairs = CW_CHECKING();
    cw_owner_open(&aci_owner, &config);
    aci_order_open();
    aci_memory_open();
    aci_notify_open();
    cw_owner_publish(&aci_owner);
    cw_ctx_puts_in_order();  // order.h
    cw_p2p_open(call);
    aci_groups_open();
}

int aci_join(const char *call, int level)
{
    aci.joined++;
    name_finalize();
    if (aci.joined == 1)
        aci.rejoined = false;
    if (aci.joined > 1) {
        cw_finalize_renamed(call);
        return 0;
    }
    bool mixed = cw_area_beside_symmetric();
    cw_front_end_register(&front_end);
    if (!cw_may_join(call, level, &aci_area_request, "ARMCI")) {
        aci.joined = 0;
        return 1;
    }
    if (!mixed)
        cw_area_leave_data();
    cw_am_expect();
    if (cw_init(level, call)) {
        aci.joined = 0;
        return 1;
    }
    open_memory(call, mixed);
    return 0;
}

/** Global Arrays initialises twice over a communicator and ends once, as ComEx takes it: the first
 *  ARMCI_Init behind ARMCI_Init_mpi_comm is the same initialisation. */
static int join(const char *call)
{
    if (aci.joined == 1 && aci.messages == 0 && !aci.rejoined && aci_mpi_gave_world()) {
        aci.rejoined = true;
        return 0;
    }
    return aci_join(call, cw_mpi_thread_level());
}

ACI_API int PARMCI_Init(void)
{
    return join(aci_call(__func__));
}
ACI_WEAK(ARMCI_Init);

ACI_API int PARMCI_Init_args(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    return join(aci_call(__func__));
}
ACI_WEAK(ARMCI_Init_args);

/** The levels of MPI have these numbers in all its implementations. */
_Static_assert(CW_THREAD_SINGLE == 0 && CW_THREAD_FUNNELED == 1 && CW_THREAD_SERIALIZED == 2 &&
                   CW_THREAD_MULTIPLE == 3,
               "as ARMCI_Init_thread has them");

int aci_check_level(const char *call, int level)
{
    if (level >= CW_THREAD_SINGLE && level <= CW_THREAD_MULTIPLE)
        return 0;
    cwu_error("%s: level %d is none of 0 (single) to 3 (multiple)", call, level);
    return 1;
}

ACI_API int PARMCI_Init_thread(int level)
{
    const char *call = aci_call(__func__);
    return aci_check_level(call, level) ? 1 : aci_join(call, level);
}
ACI_WEAK(ARMCI_Init_thread);

ACI_API int PARMCI_Initialized(void)
{
    return aci.joined > aci.messages;
}
ACI_WEAK(ARMCI_Initialized);

void aci_leave(const char *call)
{
    aci_order_complete(call);
    aci.joined--;
    name_finalize();
    if (aci.joined > 0) {
        cw_finalize_renamed(call);
        return;
    }
    aci_agree(cw_group_world, call);
    if (aci.check) {
        aci_mutexes_left();
        cw_check_blocks_left(is_routine);
    }
    cw_finalize_meets(call);  // the area goes with the last finalize
    cw_owner_close(&aci_owner);
    aci_device_close();
    aci_mpi_close();
    aci_mutexes_close();
    aci_groups_close();
    cw_p2p_close(ACI_P2P);
    aci_memory_close();
    aci_order_close();
    aci_notify_close();
    cw_finalize(call);
}

ACI_API int PARMCI_Finalize(void)
{
    if (aci.joined == 0 && aci.rejoined) {  // of a program that has one for each
        aci.rejoined = false;
        return 0;
    }
    ACI_ENTER();
    aci_leave(aci_call(__func__));
    return 0;
}
ACI_WEAK(ARMCI_Finalize);

ACI_API void armci_msg_init(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    aci.messages++;
    if (cw_mpi_start(__func__, CW_THREAD_SINGLE) || aci_join(__func__, cw_mpi_thread_level()))
        cw_global_exit(1);  // reported
}

/** Of programs that have left with ARMCI_Finalize, MPI_Finalize is what remains. */
ACI_API void armci_msg_finalize(void)
{
    if (aci.joined == 0 && cw_mpi_is_live()) {
        cw_mpi_end();
        return;
    }
    ACI_ENTER();
    if (aci.messages == 0)
        aci_fail(__func__, "called without armci_msg_init");
    aci.messages--;
    aci_leave(__func__);
    cw_mpi_end_started();
}

ACI_API void ARMCI_Cleanup(void)
{
}

ACI_API void ARMCI_Error(const char *text, int code)
{
    fflush(stdout);
    cwu_error("ARMCI_Error: %s (%d)", text, code);
    cw_global_exit(cw_failure_status(code));
}
