// SPDX-License-Identifier: BSD-3-Clause
/*
 * The least code that connects two processes of one host through libfabric, for the raw baseline:
 * one endpoint each side (RDM or MSG), one completion queue, one registered region of the peer.
 * Errors end the program with a message. One thread a process; both run fabric_open at the same
 * time and meet through `struct fabric_meet` in shared memory.
 */
#ifndef BENCH_FABRIC_H
#define BENCH_FABRIC_H

#include "../common.h"

#include <rdma/fabric.h>
#include <stdatomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_rma.h>

struct fabric_side {
    char addr[256]; // endpoint name, or the listener's (MSG)
    size_t addrlen;
    uint64_t base, key;
    _Atomic int ready; // release: fields above are filled; pairs with the acquire in await()
};

struct fabric_meet {
    struct fabric_side side[2];
    _Atomic int stop; // the origin is done
};

struct fabric {
    struct fi_info *info;
    struct fid_fabric *fabric;
    struct fid_domain *domain;
    struct fid_ep *ep;
    struct fid_pep *pep;
    struct fid_eq *eq;
    struct fid_cq *cq;
    struct fid_av *av;
    struct fid_mr *mr;
    void *desc;
    fi_addr_t peer;       // RDM; 0 in MSG mode
    uint64_t rbase, rkey; // the peer's region
    char *mem;            // own region
    size_t nbytes;
    size_t in_flight; // operations whose completion is still to be read
};

void fabric_check(long ret, const char *what);

// side 0 connects, side 1 listens.
void fabric_open(struct fabric *f, const struct bench_opts *opts, struct fabric_meet *meet,
                 int side, size_t nbytes);
void fabric_close(struct fabric *f);

// Reads completions that are there; never blocks.
static inline void fabric_poll(struct fabric *f)
{
    struct fi_cq_entry entry[16];
    ssize_t n = fi_cq_read(f->cq, entry, 16);
    if (n > 0)
        f->in_flight -= (size_t)n;
    else if (n != -FI_EAGAIN)
        fabric_check(n, "fi_cq_read");
}

#endif
