// SPDX-License-Identifier: BSD-3-Clause
//
// What kernels of this PE's device use (causeway/device.h): the node object as the device sees it,
// the table of the node's PEs, the ring, and the thread that serves it.
//
// cw_device_world_open enlists the node's static data and symmetric heaps, up to their last block,
// which gives them memory; later blocks are reached by requests until the next call. From the first
// call on a kernel makes processors' atomics on device memory (core/device/copy.h): exact beside
// those of kernels.
//
// The thread polls while there are users; without requests it naps, up to a millisecond, and wakes
// PEs of the node whose word has changed, since a kernel rings no doorbell. Without users
// it sleeps.
#ifndef CW_CORE_DEVICE_WORLD_H
#define CW_CORE_DEVICE_WORLD_H

#include "causeway/device-wire.h"

/** Adds a user. Collective over the world, with a device heap, while no other thread of the process
 *  is in the library and no kernel uses a handle. CW_EINVAL, CW_ENOTSUP, CW_ENOMEM: reported by the
 *  PE where it failed; no PE has a handle then, and earlier ones are void. [waits] */
int cw_device_world_open(cwd_world_t *world_p);
/** Its kernels have ended. CW_EINVAL: there is no user. */
int cw_device_world_end(void);
/** The job ends: so does the thread, while transfers are possible. [waits] */
void cw_device_world_leave(void);
/** The driver forgets the node object. */
void cw_device_world_close(void);

#endif
