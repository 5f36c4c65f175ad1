// SPDX-License-Identifier: BSD-3-Clause
//
// What kernels of this PE's device use (causeway/device.h): the node object as the device sees it,
// the table of the node's PEs, the ring, and the thread of this library that serves it.
//
// cw_device_world_open enlists static data and symmetric heaps of the node with the device, as far
// as there are blocks, which gives it memory; blocks that come later behind them are reached by
// requests until it is called again. From the first time on atomics of processors on device memory
// are made by a kernel (core/device/copy.h): exact beside those of kernels.
//
// The thread polls while there are users; without requests it naps, longer with the silence, to a
// millisecond, and at each look wakes the sleeping PEs of the node whose word has changed, since
// a kernel rings no doorbell. Without users it sleeps.
#ifndef CW_CORE_DEVICE_WORLD_H
#define CW_CORE_DEVICE_WORLD_H

#include "causeway/device-wire.h"

/** Collective over the world, with a device heap, while no other thread of the process is in the
 *  library, and without kernels that use a handle. One user more. CW_EINVAL, CW_ENOTSUP,
 *  CW_ENOMEM: reported by the PE where it failed; no PE has a handle then, and earlier ones are
 *  void. [waits] */
int cw_device_world_open(cwd_world_t *world_p);
/** One user less: its kernels have ended. CW_EINVAL: there is none. */
int cw_device_world_end(void);
/** The job ends: the thread does, while transfers are still possible. [waits] */
void cw_device_world_leave(void);
/** The driver forgets the node object. */
void cw_device_world_close(void);

#endif
