// SPDX-License-Identifier: BSD-3-Clause
//
// The driver that this process uses, and what its devices are to each other. Threads: any.
// Blocking: the first call loads the driver.
#ifndef CW_CORE_DEVICE_DRIVER_H
#define CW_CORE_DEVICE_DRIVER_H

#include "base/compiler.h"
#include "core/device/vendor.h"

typedef struct cw_device_driver {
    const cw_device_vendor_t *vendor;  // NULL: none was loaded
    int ndevices;
    int device;  // whose context asks what an address is; -1: none was used
} cw_device_driver_t;
extern cw_device_driver_t cw_device_driver CW_HIDDEN;

/** CW_OK, or what vendor->open gives. */
int cw_device_load(void);
/** The device of this PE: CAUSEWAY_DEVICE, else its place in the node in turn. A driver is loaded.
 *  CW_OK, CW_EINVAL (reported). */
int cw_device_choose(int *device_p);
/** Memory of that device will be used: the first one of a process is the one that is asked. */
void cw_device_adopt(int device);
/** The device of this process with that UUID. CW_ENOENT: there is none; other errors: reported. */
int cw_device_with_uuid(const uint8_t *uuid, int *device_p);
/** The device with that address in its memory; -1: none. Only where the program has loaded a driver
 *  it is asked. */
int cw_device_find(const void *addr);
/** Can `device` load and store memory of `other`? Asked once a pair. */
bool cw_device_reaches(int device, int other);

#endif
