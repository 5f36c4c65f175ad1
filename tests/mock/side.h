// SPDX-License-Identifier: BSD-3-Clause
//
// One end of a connection for the self-test of the mock: opened through the mock library, by
// dlopen, as the transport opens libfabric. The target is a child process that shares `struct
// shared` with the initiator.
#ifndef SIDE_H
#define SIDE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include "frame/check.h"

enum {
    DATA_BYTES = 1 << 16,
    ALL_MR_MODES = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT
};

struct shared {  // in a memfd; the target registers `data`
    _Atomic int ready, stop;
    char name[128];
    size_t name_nbytes, cm_nbytes;
    uint64_t key, base;
    _Atomic uint64_t received;  // first word of the last message
    _Alignas(4096) unsigned char data[DATA_BYTES];
};

struct side {
    bool msg;      // MSG endpoints, else RDM
    bool no_desc;  // give no descriptors
    struct shared *shared;
    struct fi_info *info;
    struct fid_fabric *fabric;
    struct fid_domain *domain;
    struct fid_cq *cq;
    struct fid_av *av;
    struct fid_eq *eq;
    struct fid_pep *pep;
    struct fid_ep *ep;
    struct fid_mr *mr;  // of the initiator's `buffer`, or of the target's `data`
    fi_addr_t peer;
    uint64_t base;  // added to an offset in `data`
    unsigned char buffer[4096];
};

// The mock's functions. The first call of one loads the real libfabric, in each process separately.
void side_load(const char *mock);
// Exits with 77 if there is no libfabric behind the mock.
struct fi_info *side_hints(bool msg, uint64_t mr_mode, uint64_t caps);
int side_getinfo(bool msg, const struct fi_info *hints, struct fi_info **info);
void side_freeinfo(struct fi_info *info);

// Starts the target process, then opens the initiator and (unless connect is false) connects to it.
void side_start(struct side *s, bool msg, uint64_t caps, bool connect);
pid_t side_target(void);  // its process
int side_connect(struct side *s, size_t param_nbytes);
// MSG: connects to where nothing listens; the error that the event queue gives.
int side_refused(struct side *s);
void side_stop(struct side *s);

void *side_desc(struct side *s);
ssize_t side_write(struct side *s, size_t offset, const void *from, size_t nbytes, uint64_t flags);
void *side_next(struct side *s);  // context of the next completion (side_write: `from`);
                                  // fails on an error
void side_wait(struct side *s, int completions);
int side_wait_error(struct side *s);        // the error of the next completion, 0 if it was none
bool side_try(struct side *s, ssize_t rc);  // true: done; false: again; fails on errors

#endif
