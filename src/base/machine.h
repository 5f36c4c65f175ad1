// SPDX-License-Identifier: BSD-3-Clause
//
// What this machine has. The query takes longer than most of start-up, so a launcher makes it once
// for all its PEs.
#ifndef CW_BASE_MACHINE_H
#define CW_BASE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

/** Bytes of memory available to a job here: RAM and swap, or the lowest limit of this process's
 *  control groups and of those above them. 0: not known. */
uint64_t cwu_machine_memory(void);
/** That limit, from a file like /proc/self/cgroup and a tree like /sys/fs/cgroup; UINT64_MAX: there
 *  is none. */
uint64_t cwu_group_memory(const char *groups, const char *mounts);
/** The lowest limit of this process's control groups, and of those above them, on what a controller
 *  counts ("memory", "pids"); UINT64_MAX: there is none. */
uint64_t cwu_group_limit(const char *controller);
/** The processors that their quotas leave, the lowest; 0: there is no quota. */
double cwu_group_processors(void);
/** Processes that the kernel has killed for lack of memory: of this process's control group, or of
 *  the machine where groups do not count. */
uint64_t cwu_memory_kills(void);
/** The namespace of this process's number; 0: not known. */
uint32_t cwu_pid_namespace(void);
/** Bytes of addresses that this process may have (ulimit -v); UINT64_MAX: no limit. */
uint64_t cwu_address_limit(void);
/** Bytes that a file, or an object of shared memory, may have (ulimit -f); UINT64_MAX: no limit.
 *  Beyond it a process is killed. */
uint64_t cwu_file_limit(void);
/** Bytes of the largest cache in a folder like /sys/devices/system/cpu/cpu0/cache; 0: not known. */
uint64_t cwu_machine_cache(const char *folder);
/** Does the kernel place programs that this process executes, and their libraries, at random
 *  addresses? Children have it from their parents. */
bool cwu_addresses_random(void);
/** From now on at fixed addresses, or at random ones again. False: it may not say that. */
bool cwu_addresses_fix(bool fixed);
/** File descriptors that this process may still open. */
long cwu_free_files(void);

#endif
