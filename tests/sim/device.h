// SPDX-License-Identifier: BSD-3-Clause
//
// The simulated device (device.c), for scenes: its memory as the program allocates it, and what
// makes a thread of a scene a kernel of causeway/device.h.
#ifndef SIM_DEVICE_H
#define SIM_DEVICE_H

#include "sim.h"

/** Memory of the program's own on the device; NULL: there is none left. */
SIM_EXPORT void *sim_device_alloc(size_t nbytes);
SIM_EXPORT void *sim_device_alloc_on(int device, size_t nbytes);
SIM_EXPORT void sim_device_free(void *at);
/** The file that is the device's memory, in all processes of a run. */
SIM_EXPORT int sim_device_fd(void);

#define CWD_THREAD() 0u
#define CWD_THREADS() 1u
#define CWD_BLOCK_SYNC() ((void)0)
#define CWD_WARP_SYNC() ((void)0)
#define CWD_PAUSE() sim_device_pause()
#ifndef SIM_LOOKS  // of a kernel, between two naps: few where it waits for the network
#define SIM_LOOKS 4
#endif
/** Of a kernel that waits. */
static inline void sim_device_pause(void)
{
    if (sim_draw(SIM_LOOKS))
        sim_yield();
    else
        usleep(20);
}
#include "causeway/device.h"

#endif
