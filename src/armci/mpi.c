// SPDX-License-Identifier: BSD-3-Clause
//
// ARMCI beside MPI. Handles of communicators come and go in a register, as numbers or addresses;
// the plugin for the MPI of the process knows which (core/life/mpi.h), so the library needs no
// mpi.h.
#include "core/life/mpi.h"

#include "armci/group.h"
#include "base/error.h"

static MPI_Comm of_world;  // what the program gave; NULL: nothing

static int join(const char *call, int level, MPI_Comm comm)
{
    if (!cw_mpi_is_live()) {
        cwu_error(
            "%s: MPI is not initialised (or is finalised); call MPI_Init first, or ARMCI_Init "
            "in a program without MPI",
            call);
        return 1;
    }
    if (cw_mpi_choose(call, &comm, 0) || aci_join(call, level))
        return 1;
    of_world = comm;
    return 0;
}

/** 1: joined. Global Arrays initialises itself behind this one only, so it is ComEx's value, the
 *  opposite of what the other calls have (ADR 142). */
ACI_API int PARMCI_Init_mpi_comm(MPI_Comm comm)
{
    return join(aci_call(__func__), cw_mpi_thread_level(), comm) == 0;
}
ACI_WEAK(ARMCI_Init_mpi_comm);

ACI_API int PARMCI_Init_thread_comm(int level, MPI_Comm comm)
{
    return aci_check_level(aci_call(__func__), level) ? 1 : join(aci_call(__func__), level, comm);
}
ACI_WEAK(ARMCI_Init_thread_comm);

ACI_API void armci_msg_init_comm(MPI_Comm comm)
{
    aci.messages++;
    if (join(__func__, cw_mpi_thread_level(), comm))
        cw_global_exit(1);  // reported
}

bool aci_mpi_gave_world(void)
{
    return of_world != NULL;
}

void aci_mpi_close(void)
{
    of_world = NULL;
}

ACI_API MPI_Comm armci_group_comm(ARMCI_Group *group)
{
    ACI_ENTER();
    aci_group_t *found = aci_group_of(__func__, group);
    if (found->team == cw_group_world && of_world)
        return of_world;
    if (!found->comm && cw_mpi_comm(found->team, &found->comm, 0))
        aci_fail(__func__, "no communicator of the group's %d processes could be made",
                 found->team->size);
    return found->comm;
}
