// SPDX-License-Identifier: BSD-3-Clause
//
// Files by HDF5 and MPI-IO. The library links neither: the program has both, or the call fails.
#include <dlfcn.h>

#include "base/error.h"
#include "core/life/mpi.h"
#include "core/sync/fused.h"
#include "dart/drt.h"

#include "dash/dart/if/dart_io.h"

/** Of HDF5; handles of MPI pass in a register, as numbers or addresses. */
typedef int (*set_fapl_mpio_t)(hid_t plist_id, void *comm, void *info);

/** Collective: all members get the same answer. Why not, if the answer is no, *why_p says. */
static bool is_possible(const drt_team_t *team, set_fapl_mpio_t *set_p, const char **why_p)
{
    *(void **)set_p = dlsym(RTLD_DEFAULT, "H5Pset_fapl_mpio");
    *why_p = !*set_p             ? "the program has no HDF5 with MPI-IO (H5Pset_fapl_mpio)"
             : !cw_mpi_is_live() ? "MPI is not initialised, or is finalised"
                                 : "another unit of the team has no HDF5 with MPI-IO, or no MPI";
    return cw_fused_all(team->group, *set_p && cw_mpi_is_live());
}

DRT_API dart_ret_t dart__io__hdf5__prep_mpio(hid_t plist_id, dart_team_t teamid)
{
    set_fapl_mpio_t set;
    const char *why;
    void *comm = NULL, *info = NULL;
    DRT_TEAM(team, teamid);
    if (!is_possible(team, &set, &why))
        return drt_refuse(__func__, DART_ERR_OTHER, "%s", why);
    if (cw_mpi_comm(team->group, &comm, 0))
        return DART_ERR_OTHER;  // reported
    // HDF5 keeps a copy of the communicator
    int rc = cw_mpi_no_info(&info) ? -1 : set(plist_id, comm, info);
    cw_mpi_free(&comm);
    if (rc < 0)
        return drt_refuse(__func__, DART_ERR_OTHER, "H5Pset_fapl_mpio refuses property list %lld",
                          (long long)plist_id);
    return DART_OK;
}
