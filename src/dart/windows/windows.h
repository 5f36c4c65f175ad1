// SPDX-License-Identifier: BSD-3-Clause
//
// DART's memory in windows of the site's MPI (CAUSEWAY_DART_MEMORY=windows, ADR 82), in the
// arrangement that the reference implementation has published: a window of shared memory over the
// units of each node, for loads and stores, and around it a dynamic window of all units, for MPI's
// transfers between nodes and for atomics. Everything else of DART is as without it.
//
// Transfers make progress when the target calls MPI, which the waits of this library do
// (hooks.h, poll_beside). Errors of MPI end the job with its text.
// Threads: any, where MPI granted MPI_THREAD_MULTIPLE. Blocking: flushes and collective calls, in
// MPI.
#ifndef DRT_WINDOWS_H
#define DRT_WINDOWS_H

#include "dart/segment.h"

/** CAUSEWAY_DART_MEMORY=windows, and dart_init has found the MPI. */
extern bool drt_windows_on CW_HIDDEN;

/** After cw_init, before teams; and after the teams have gone. */
void drt_windows_open(const char *call);
void drt_windows_close(void);
/** Tries the MPI's atomics. Collective, before the program uses memory. */
void drt_windows_judge(const drt_team_t *all);

// ---------------------------------------------------------------- memory; collective
enum { DRT_POOL_NBYTES = 16 << 20 };  // of each unit, for dart_memalloc

/** A part on each member; NULL: a member has got none. */
drt_segment_t *drt_windows_allocate(drt_team_t *team, size_t nbytes);
void drt_windows_release(drt_segment_t *segment);
/** A team ends. */
void drt_windows_leave(drt_team_t *team);

/** Is [addr, +nbytes) memory of this unit in a window? *at_p: its name there. */
bool drt_windows_have(const void *addr, size_t nbytes, uint64_t *at_p);

// ---------------------------------------------------------------- transfers
/** A place in the memory of a unit. */
typedef struct drt_window {
    bool is_one;  // false: the memory is in no window
    int pe;
    uint64_t at;
} drt_window_t;

void drt_window_put(const drt_window_t *w, size_t at, const void *src, size_t nbytes);
void drt_window_get(const drt_window_t *w, size_t at, void *dest, size_t nbytes);
/** Does the MPI execute atomics on windows as it should? If not, none is asked for. */
bool drt_windows_have_atomics(void);
/** Of a basic type that has the operation. values are in use until a flush. */
void drt_window_accumulate(const drt_window_t *w, const void *values, size_t n,
                           dart_datatype_t type, dart_operation_t op);
/** Complete on return. */
void drt_window_fetch(const drt_window_t *w, const void *value, void *result, dart_datatype_t type,
                      dart_operation_t op);
void drt_window_exchange(const drt_window_t *w, const void *value, const void *compare,
                         void *result, dart_datatype_t type);
/** pe: or DRT_EVERY_UNIT. local: only buffers and results of this unit. */
enum { DRT_EVERY_UNIT = -1 };
void drt_window_flush(int pe, bool local);

#endif
