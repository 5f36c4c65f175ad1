// SPDX-License-Identifier: BSD-3-Clause
//
// DART 3.2: files of several units, by HDF5 and MPI-IO. dart.h does not include this header.
#ifndef DART__IO_H_
#define DART__IO_H_

#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef H5_VERS_MAJOR  // hdf5.h may come later: the same type since HDF5 1.10
typedef int64_t hid_t;
#endif

/** Files that are opened with the property list (of class H5P_FILE_ACCESS) are read and written by
 *  MPI-IO, by all units of the team together. The program has MPI and a parallel HDF5; without them
 *  DART_ERR_OTHER. Collective over the team. */
dart_ret_t dart__io__hdf5__prep_mpio(hid_t plist_id, dart_team_t teamid) DART_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif
