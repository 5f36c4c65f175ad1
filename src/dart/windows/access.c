// SPDX-License-Identifier: BSD-3-Clause
//
// Transfers and atomics by MPI.
#include "dart/windows/access.h"

#include "core/observe/watch.h"
#include "dart/type.h"

static void must(int code, const char *what, int pe)
{
    if (CW_UNLIKELY(code))
        drt_windows_failed(what, pe, code);
}

static size_t piece(size_t left, size_t most)
{
    return left < most ? left : most;
}

void drt_window_put(const drt_window_t *w, size_t at, const void *src, size_t nbytes)
{
    CW_WATCH(cw_watch_transfer(CW_OP_PUT, nbytes, w->pe));
    for (size_t done = 0, n; done < nbytes; done += n) {
        n = piece(nbytes - done, DRT_MPI_COUNT_MAX);
        must(drt_windows.plugin->put(w->pe, w->at + at + done, (const char *)src + done, n),
             "MPI_Put", w->pe);
    }
}

void drt_window_get(const drt_window_t *w, size_t at, void *dest, size_t nbytes)
{
    CW_WATCH(cw_watch_transfer(CW_OP_GET, nbytes, w->pe));
    for (size_t done = 0, n; done < nbytes; done += n) {
        n = piece(nbytes - done, DRT_MPI_COUNT_MAX);
        must(drt_windows.plugin->get(w->pe, w->at + at + done, (char *)dest + done, n), "MPI_Get",
             w->pe);
    }
}

void drt_window_flush(int pe, bool local)
{
    // what this unit stored into mapped memory
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    must(drt_windows.plugin->flush(pe, local), "MPI_Win_flush", pe);
}

void drt_window_accumulate(const drt_window_t *w, const void *values, size_t n,
                           dart_datatype_t type, dart_operation_t op)
{
    const size_t each = drt_basic_nbytes[type], most = DRT_MPI_COUNT_MAX / each;
    const drt_mpi_kind_t kind = {type, (int)op};
    for (size_t done = 0, part; done < n && op != DART_OP_NO_OP; done += part) {
        part = piece(n - done, most);
        must(drt_windows.plugin->accumulate(w->pe, w->at + done * each,
                                            (const char *)values + done * each, (int)part, kind),
             "MPI_Accumulate", w->pe);
    }
}

void drt_window_fetch(const drt_window_t *w, const void *value, void *result, dart_datatype_t type,
                      dart_operation_t op)
{
    const drt_mpi_kind_t kind = {type, (int)op};
    must(drt_windows.plugin->fetch(w->pe, w->at, value, result, kind), "MPI_Fetch_and_op", w->pe);
    drt_window_flush(w->pe, false);
}

void drt_window_exchange(const drt_window_t *w, const void *value, const void *compare,
                         void *result, dart_datatype_t type)
{
    must(drt_windows.plugin->exchange(w->pe, w->at, value, compare, result, type),
         "MPI_Compare_and_swap", w->pe);
    drt_window_flush(w->pe, false);
}
