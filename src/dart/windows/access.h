// SPDX-License-Identifier: BSD-3-Clause
//
// Private to the files of this folder.
#ifndef DRT_WINDOWS_ACCESS_H
#define DRT_WINDOWS_ACCESS_H

#include <pthread.h>
#include <stdnoreturn.h>

#include "dart/windows/plugin.h"
#include "dart/windows/windows.h"

typedef struct drt_windows {
    const drt_mpi_plugin_t *plugin;
    cwu_mpi_facts_t facts;
    pthread_t main;  // the thread that may call MPI if only one may
} drt_windows_t;
extern drt_windows_t drt_windows CW_HIDDEN;

/** pe: or -1. */
noreturn void drt_windows_failed(const char *what, int pe, int code) CW_COLD;

#endif
