// SPDX-License-Identifier: BSD-3-Clause
//
// `no_events`: RMA as a card executes it. The data goes straight into or out of the target's
// memory, which is mapped here (mock_remote.c); the target's endpoint sees nothing, no descriptor
// of its process becomes readable, and no thread of it has to run. Messages go through the real
// provider.
#include "mock.h"

#include <string.h>
#include <sys/uio.h>

bool mock_is_direct(const struct mock_op *op)
{
    return mock_want.no_events && op->kind >= OP_WRITE && op->kind <= OP_READMSG;
}

// As a card does: aligned words at once, in ascending order.
static void copy(char *to, const char *from, size_t nbytes)
{
    while (nbytes > 0) {
        size_t n = 1;
        if ((uintptr_t)to % 8 == 0 && nbytes >= 8) {
            uint64_t word;
            n = 8;
            memcpy(&word, from, 8);
            __atomic_store_n((uint64_t *)(void *)to, word, __ATOMIC_RELEASE);
        } else if ((uintptr_t)to % 4 == 0 && nbytes >= 4) {
            uint32_t word;
            n = 4;
            memcpy(&word, from, 4);
            __atomic_store_n((uint32_t *)(void *)to, word, __ATOMIC_RELEASE);
        } else {
            __atomic_store_n(to, *from, __ATOMIC_RELEASE);
        }
        to += n, from += n, nbytes -= n;
    }
}

// Memory of the target that is not shared: tables of keys.
static void copy_private(int pid, uint64_t addr, void *local, size_t nbytes, bool reads)
{
    struct iovec here = {local, nbytes}, there = {(void *)(uintptr_t)addr, nbytes};
    ssize_t n = reads ? process_vm_readv(pid, &here, 1, &there, 1, 0)
                      : process_vm_writev(pid, &here, 1, &there, 1, 0);
    if (n != (ssize_t)nbytes)
        mock_violation("%zu bytes at %#llx of pid %d cannot be reached", nbytes,
                       (unsigned long long)addr, pid);
}

static void move(const struct mock_op *op)
{
    size_t i = 0, k = 0, at = 0, there = 0;  // entry of iov and rma, and how far in it
    while (i < op->niov && k < op->nrma) {
        size_t left = op->iov[i].iov_len - at, room = op->rma[k].len - there;
        size_t n = left < room ? left : room;
        int pid;
        if (n > 0) {
            uint64_t addr = mock_key_resolve(op->rma[k].key, op->rma[k].addr + there, n, &pid);
            char *remote = mock_remote_shared(pid, addr, n);
            char *local = (char *)op->iov[i].iov_base + at;
            if (!remote)
                copy_private(pid, addr, local, n, op->kind >= OP_READ);
            else if (op->kind >= OP_READ)
                copy(local, remote, n);
            else
                copy(remote, local, n);
        }
        at += n, there += n;
        if (at == op->iov[i].iov_len)
            i++, at = 0;
        if (there == op->rma[k].len)
            k++, there = 0;
    }
}

ssize_t mock_direct(struct mock_ep *ep, const struct mock_op *op)
{
    if (op->kind == OP_WRITEDATA || op->kind == OP_INJECT_WRITEDATA)
        return -FI_EOPNOTSUPP;
    bool reads = op->kind >= OP_READ;
    bool is_msg = op->kind == OP_WRITEMSG || op->kind == OP_READMSG;
    uint64_t flags = is_msg ? op->flags : ep->tx_flags;
    move(op);
    mock_count(N_DIRECT);
    struct mock_cntr *cntr = reads ? ep->read_cntr : ep->write_cntr;
    if (cntr)
        cntr->real->add(cntr->fid, 1);
    if (op->kind == OP_INJECT_WRITE || !ep->tx_cq || (ep->selective && !(flags & FI_COMPLETION)))
        return 0;
    struct fi_cq_err_entry entry = {.op_context = op->context,
                                    .flags = FI_RMA | (reads ? FI_READ : FI_WRITE)};
    mock_cq_post(ep->tx_cq, &entry);
    return 0;
}
