// SPDX-License-Identifier: BSD-3-Clause
//
// Parts: device memory of front ends' and programs' own that its PE shares, wherever the device's
// allocator put it. A PE writes what it shares into a table in the node object: where it lies, and,
// if the driver gives one, the handle by which other processes of the machine map the allocation
// that it lies in. Then it is reached without its owner's help:
//
//     own part               copies by this process
//     of this node           the same, at the addresses where this process has mapped it
//     of another node        requests to its node server, which does the same (remote.h)
//     no handle, or no process that could use it: memory of another allocator, a device that is
//     not visible            copies by the owner, when it polls (core/owner/copy.h)
//
// A part is mapped, and how a part of another node is reached is found out, at its first transfer.
// The name of a part is of its PE; it is not used again for another for a long time.
// Threads: any. Blocking: transfers, for the device, for room to send and for replies; with copies
// by the owner, for the owner. Errors: transfers end the job.
#ifndef CW_CORE_DEVICE_PART_H
#define CW_CORE_DEVICE_PART_H

#include "core/device/remote.h"
#include "core/mem/layout.h"

enum { CW_DEVICE_PARTS = 64 };  // of a PE at a time

/** The table, in the node object. */
extern cw_section_t cw_device_section;

/** This process has memory on that device. CW_ENOENT, CW_EINVAL …: reported. */
int cw_device_use(int device);
/** Does all of [begin, +nbytes) lie in one allocation of that device? */
bool cw_device_is_on(int device, const void *begin, size_t nbytes);

/** Is it memory of a device of this process? Also where only the program uses one. */
bool cw_device_holds(const void *addr);

/** From here on other PEs may reach these bytes, of the device. owned: they are of
 *  cw_device_allocate, and cw_device_unshare frees them. CW_ENOMEM: there are too many parts; what
 *  is owned is freed. */
int cw_device_share(int device, void *begin, size_t nbytes, bool owned, uint32_t *name_p);
/** No transfer of the part is under way. */
void cw_device_unshare(uint32_t name);
/** Memory of the device. NULL: reported. */
void *cw_device_allocate(int device, size_t nbytes);

/** Rows between `rows.here`, memory of any kind of this process, and the part of the PE that
 *  rows.part names; all lie in it, as the caller has checked. addr: where row 0 lies in the owner.
 *  Puts: `here` may change on return; true: complete at the next quiet of the default context,
 *  else on return, as gets are. */
bool cw_device_part_put(const char *call, int pe, const cw_device_rows_there_t *rows,
                        uint64_t addr);
void cw_device_part_get(const char *call, int pe, const cw_device_rows_there_t *rows,
                        uint64_t addr);
/** A PE is about to end a part, to which this one makes no transfer any more: unmaps it here, or in
 *  the node server that has made this one's. [waits] */
void cw_device_forget(int pe, uint32_t name);

// ---- inside core/device
bool cw_device_shares(const void *addr, size_t nbytes);
/** Where this process has a part of its node; NULL: it cannot have it. *nbytes_p: its size; 0: that
 *  PE has no such part. by_server: for PEs of other nodes, for which it is mapped apart. */
char *cw_device_part_here(bool by_server, int slot, uint32_t name, uint64_t *nbytes_p);
/** PEs of other nodes have no use for it: the server unmaps it. */
void cw_device_server_forget(int slot, uint32_t name);
/** The job ends. */
void cw_device_parts_close(void);

#endif
