// SPDX-License-Identifier: BSD-3-Clause
//
// Parts: device memory of front ends and programs that its PE shares, wherever its allocator put
// it. A table in the node object has its place and the driver's handle, if any, by which other
// processes of the machine map its allocation:
//
//     own part               copies by this process
//     of this node           the same, at the addresses where this process has mapped it
//     of another node        requests to its node server, which does the same (remote.h)
//     without a handle, or a process that could use it
//                            copies by the owner, when it polls (core/owner/copy.h)
//
// The first transfer maps a part, or finds the way to it. A part's name is its PE's, and not soon
// used again.
// Threads: any. Blocking: transfers, for the device, room to send, replies, or the owner that
// copies. Errors: transfers end the job.
#ifndef CW_CORE_DEVICE_PART_H
#define CW_CORE_DEVICE_PART_H

#include "core/device/remote.h"
#include "core/mem/layout.h"

enum { CW_DEVICE_PARTS = 64 };  // of a PE at a time

/** The table, in the node object. */
extern cw_section_t cw_device_section;

/** This process has memory on that device. CW_ENOENT, CW_EINVAL …: reported. */
int cw_device_use(int device);
/** Does [begin, +nbytes) lie in one allocation of that device? */
bool cw_device_is_on(int device, const void *begin, size_t nbytes);

/** Does a device of this process hold it? Also where only the program uses one. */
bool cw_device_holds(const void *addr);

/** Other PEs may reach these bytes of the device from here on. owned: by cw_device_allocate, freed
 *  by cw_device_unshare. CW_ENOMEM: too many parts; owned memory is freed. */
int cw_device_share(int device, void *begin, size_t nbytes, bool owned, uint32_t *name_p);
/** No transfer of the part is under way. */
void cw_device_unshare(uint32_t name);
/** Memory of the device. NULL: reported. */
void *cw_device_allocate(int device, size_t nbytes);

/** Rows between `rows.here`, any memory of this process, and the PE's part rows.part, checked to
 *  lie in it. addr: of row 0 in the owner. Puts: `here` is free on return; true: complete at the
 *  next quiet of the default context, else on return, as gets are. */
bool cw_device_part_put(const char *call, int pe, const cw_device_rows_there_t *rows,
                        uint64_t addr);
void cw_device_part_get(const char *call, int pe, const cw_device_rows_there_t *rows,
                        uint64_t addr);
/** A PE is about to end a part that this one uses no more: unmaps it here, or in the server that
 *  mapped it. [waits] */
void cw_device_forget(int pe, uint32_t name);

// ---- inside core/device
bool cw_device_shares(const void *addr, size_t nbytes);
/** Where this process has a part of its node; NULL: it cannot. *nbytes_p: its size; 0: no such
 *  part. by_server: for PEs of other nodes, mapped apart. */
char *cw_device_part_here(bool by_server, int slot, uint32_t name, uint64_t *nbytes_p);
/** PEs of other nodes are done with it. */
void cw_device_server_forget(int slot, uint32_t name);
/** The job ends. */
void cw_device_parts_close(void);

#endif
