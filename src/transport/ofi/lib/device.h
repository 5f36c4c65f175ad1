// SPDX-License-Identifier: BSD-3-Clause
//
// Devices: a fabric, a domain and a completion queue, with what the endpoint mode needs besides.
// The server has one, each client has one, so the two halves never share a lock of the provider.
//
// Threads: one at a time, but ofi_device_block, which reads descriptors only.
#ifndef CWT_OFI_DEVICE_H
#define CWT_OFI_DEVICE_H

#include <rdma/fi_eq.h>
#include <stdatomic.h>

#include "lib.h"

typedef struct ofi_device {
    struct fi_info *info;  // what it was opened with; not its own
    struct fid_fabric *fabric;
    struct fid_domain *domain;
    struct fid_cq *cq;
    uint32_t cq_entries, cq_free;   // of these, so many have no operation yet that may use them
    struct fid_eq *eq;              // MSG; RDM with a bell: without events, for its descriptor
    struct fid_ep *ep;              // RDM only
    struct fid_av *av;              // RDM only
    int cq_fd, eq_fd;               // -1: no wait object
    bool bell;                      // eq_fd signals completions, too; cq has no wait object
    uint64_t endpoints;             // opened so far
    _Atomic uint32_t short_sleeps;  // in a row that a queue's descriptor ended at once
    _Atomic bool is_due;            // the last sleep ended by its descriptors, or by no other's
} ofi_device_t;

/** A provider that refuses a completion queue of that many entries is asked for fewer.
 *  roomy: the machine has a core for every PE. A client then waits by polling and the tcp
 *  provider's wait object, which costs two system calls for every two completions, a tenth of a
 *  get, is not asked for: its rare sleeps are naps. */
int ofi_device_open(ofi_device_t *device, struct fi_info *info, uint32_t cq_entries, bool roomy);
void ofi_device_close(ofi_device_t *device);
/** Creates, binds and enables an endpoint on the device. CW_EFILES, not reported: a descriptor may
 *  yet become free. */
int ofi_device_endpoint(ofi_device_t *device, struct fi_info *info, void *context,
                        struct fid_ep **ep_p);
/** The same with MSG endpoints, to be connected to that address. */
int ofi_device_endpoint_to(ofi_device_t *device, const void *addr, size_t nbytes, void *context,
                           struct fid_ep **ep_p);
/** Sets up to `want` entries of the completion queue aside for operations that may be under way at
 *  the same time, a queue's overrun being an error; but not more than one of `parts` parts of what
 *  is left, if that is one at least. Returns how many. */
static inline uint32_t ofi_device_take(ofi_device_t *device, uint32_t want, uint32_t parts)
{
    uint32_t share = device->cq_free / parts, least = device->cq_free > 0;
    share = share > least ? share : least;
    want = want < share ? want : share;
    device->cq_free -= want;
    return want;
}
static inline void ofi_device_give(ofi_device_t *device, uint32_t n)
{
    device->cq_free += n;
}
/** Reports that the completion queue failed with this error of the provider; returns CW_ELOST. */
int ofi_device_cq_failed(const ofi_device_t *device, ssize_t err);
/** How many receives an endpoint takes at a time. */
static inline uint32_t ofi_device_receives(const ofi_device_t *device)
{
    size_t most = device->info->rx_attr->size;
    return most > 0 && most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
}
/** False: something came since the last poll, which a sleep could miss. With the lock that polls
 *  are made under. */
bool ofi_device_may_block(ofi_device_t *device);
/** Sleeps until the queues or extra_fd have something, or the timeout; *extra_p (or NULL): extra_fd
 *  has. With a bell, completions that a read of connection events brought in end no sleep: the
 *  completion queue must have been read since. Returns 0 when the timeout has passed and nothing
 *  can have come, 1, or an error. */
int ofi_device_block(ofi_device_t *device, int extra_fd, uint64_t timeout_ns, bool *extra_p);
/** The same for two devices, of which the second may be NULL. */
int ofi_devices_block(ofi_device_t *device, ofi_device_t *other, int extra_fd, uint64_t timeout_ns,
                      bool *extra_p);
/** The descriptor of a queue that stays readable with nothing behind it (net of libfabric 1.17: its
 *  trywait does not reset the signal of the last event): gets it reset. To be called by the thread
 *  that may poll the queue, when ofi_device_stuck(), with a poll behind it; waits up to 1 ms. */
void ofi_device_unstick(ofi_device_t *device);
static inline bool ofi_device_stuck(const ofi_device_t *device)
{
    return device->short_sleeps >= 8;
}

// ---------------------------------------------------------------- register.c
/** Reports that registering nbytes of something failed, with the provider's reason and what to do
 *  about it. */
void ofi_register_failed(const char *what, size_t nbytes, ssize_t rc);
/** The key that a region should have; the provider may take fewer of its bytes. */
typedef uint64_t ofi_key_fn(void *arg, uint32_t attempt);
/** Registers memory and tries other keys while one is taken; 0 or the provider's error. The key it
 *  has then is fi_mr_key's. */
int ofi_register_keyed(const ofi_device_t *device, const void *buf, size_t nbytes, uint64_t access,
                       ofi_key_fn *key, void *arg, struct fid_mr **mr_p);
/** Registers local memory with this access; 0 or the provider's error. */
int ofi_register(const ofi_device_t *device, const void *buf, size_t nbytes, uint64_t access,
                 struct fid_mr **mr_p);
/** Registers buffers of the transport for all uses if the provider demands it; else *mr_p = NULL. 0
 *  or CW_E…, reported. */
int ofi_register_buffers(const ofi_device_t *device, const void *buf, size_t nbytes,
                         struct fid_mr **mr_p);

/** Has the process no descriptor left? */
bool ofi_no_files(void);
/** Has it no more than that many, or an eighth of its limit? */
bool ofi_few_files(uint64_t spare);
/** Reports that the process has none left, and what to do. */
void ofi_report_files(void);
/** Reports it when that is the case, and returns it. */
bool ofi_out_of_files(void);

#endif
