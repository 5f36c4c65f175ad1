// SPDX-License-Identifier: BSD-3-Clause
//
// The C library's own functions behind those that the simulator stands in for (ld --wrap).
#ifndef SIM_WRAP_H
#define SIM_WRAP_H

#include <stdbool.h>

#define SIM_WRAPPER(type, name, ...)                                        \
    type __real_##name(__VA_ARGS__);                                        \
    __attribute__((visibility("default"))) type __wrap_##name(__VA_ARGS__); \
    type __wrap_##name(__VA_ARGS__)

// wrap_process.c: pidfd_open of a process that may be one of the job's
long sim_pidfd_open(int pid, long flags, long number);

// wrap_machine.c: is it a file that the simulated machine does not have? Sets errno.
bool sim_hides(const char *path);

#endif
