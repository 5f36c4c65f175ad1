// SPDX-License-Identifier: BSD-3-Clause
//
// Memory of devices: blocks of the _memdev calls that lie on one (core/device/part.h), and
// transfers with such memory on either side. Each member of the group that has a block knows those
// of all members; other processes have no way to them.
//
// From the first such block on aci.devices is set, and no transfer takes a fast path (aci_owner):
// all of them look at their addresses here. Transfers are complete on return, but for puts to other
// nodes, whose sources are free. Accumulates and ARMCI_Rmw on a block of a process are made under
// one lock of that process: read, changed here, written back.
//
// Threads: any, but no other thread of the process is in a call while the first block comes, and
// blocks of one group come and go by one thread at a time. Blocking: for the device, for room to
// send and for replies.
#ifndef ACI_DEVICE_H
#define ACI_DEVICE_H

#include "armci/aci.h"
#include "armci/section.h"
#include "base/numbers.h"

/** As aci_alloc_all, on what the name says: of NULL, "" and the names of host memory, memory of the
 *  host. Members may name different ones. */
int aci_device_alloc_all(const char *call, const void *place, const cw_group_t *group,
                         void *ptr_arr[], intptr_t nbytes, const char *name);
/** Of aci_release_all, behind its barrier. False: the members' blocks are no such blocks. */
bool aci_device_release_all(const char *call, const cw_group_t *group, void *ptr);
/** The group ends: its blocks stay, and are freed at the end. */
void aci_device_leave_group(const cw_group_t *group);
/** While leaving. */
void aci_device_close(void);

/** Do these bytes lie in such a block of the process? */
bool aci_device_has(int proc, const void *addr, size_t nbytes);

// Only where aci.devices is set; the remote side was checked. False: no memory of a device takes
// part, and nothing was done.
bool aci_device_section(const aci_op_t *op, const cwu_section_t *s);
bool aci_device_contiguous(const aci_op_t *op, void *remote, void *local, size_t nbytes);
bool aci_device_vector(const aci_op_t *op, const armci_giov_t *iov, int iov_len);
bool aci_device_accumulate(const aci_op_t *op, cwu_number_t type, const void *scale,
                           const cwu_section_t *s);
/** *old_p: the old value. */
bool aci_device_rmw(const aci_op_t *op, void *word, size_t nbytes, bool swaps, uint64_t operand,
                    uint64_t *old_p);
/** Within this process. */
bool aci_device_copy(void *dst, const void *src, size_t nbytes);
void aci_device_copy_section(const cwu_section_t *s);

#endif
