// SPDX-License-Identifier: BSD-3-Clause
//
// `atomics`: a fabric whose device executes atomics. The CPU plays the device: the target's memory
// is mapped here (mock_remote.c), the call executes the operation and queues its completion. One
// element per call, 32 and 64 bit integers, any operation.
#include "mock.h"

#include <string.h>

static size_t width(enum fi_datatype type)
{
    if (type == FI_INT32 || type == FI_UINT32)
        return 4;
    return type == FI_INT64 || type == FI_UINT64 ? 8 : 0;
}

static bool is_signed(enum fi_datatype type)
{
    return type == FI_INT32 || type == FI_INT64;
}

static int64_t as_signed(uint64_t value, size_t nbytes)
{
    return nbytes == 4 ? (int32_t)(uint32_t)value : (int64_t)value;
}

static bool less(enum fi_datatype type, uint64_t a, uint64_t b)
{
    size_t n = width(type);
    return is_signed(type) ? as_signed(a, n) < as_signed(b, n) : a < b;
}

// Whether a compare-and-swap stores: "compare OP target" holds.
static bool swaps(enum fi_op op, enum fi_datatype type, uint64_t compare, uint64_t target)
{
    switch (op) {
    case FI_CSWAP:
        return compare == target;
    case FI_CSWAP_NE:
        return compare != target;
    case FI_CSWAP_LE:
        return !less(type, target, compare);
    case FI_CSWAP_LT:
        return less(type, compare, target);
    case FI_CSWAP_GE:
        return !less(type, compare, target);
    default:  // FI_CSWAP_GT
        return less(type, target, compare);
    }
}

static uint64_t combine(enum fi_op op, enum fi_datatype type, uint64_t target, uint64_t operand,
                        uint64_t compare)
{
    switch (op) {
    case FI_MIN:
        return less(type, operand, target) ? operand : target;
    case FI_MAX:
        return less(type, target, operand) ? operand : target;
    case FI_SUM:
        return target + operand;
    case FI_PROD:
        return target * operand;
    case FI_LOR:
        return target || operand;
    case FI_LAND:
        return target && operand;
    case FI_LXOR:
        return !target != !operand;
    case FI_BOR:
        return target | operand;
    case FI_BAND:
        return target & operand;
    case FI_BXOR:
        return target ^ operand;
    case FI_ATOMIC_READ:
        return target;
    case FI_ATOMIC_WRITE:
        return operand;
    case FI_MSWAP:
        return (operand & compare) | (target & ~compare);
    default:
        return swaps(op, type, compare, target) ? operand : target;
    }
}

static uint64_t load_operand(const void *buf, size_t nbytes)
{
    uint32_t narrow = 0;
    uint64_t wide = 0;
    if (!buf)
        return 0;
    memcpy(nbytes == 4 ? (void *)&narrow : (void *)&wide, buf, nbytes);
    return nbytes == 4 ? narrow : wide;
}

// Returns the previous value.
static uint64_t execute(void *target, enum fi_op op, enum fi_datatype type, uint64_t operand,
                        uint64_t compare)
{
    if (width(type) == 4) {
        _Atomic uint32_t *word = target;
        uint32_t old = atomic_load(word);
        while (!atomic_compare_exchange_weak(word, &old,
                                             (uint32_t)combine(op, type, old, operand, compare)))
            ;
        return old;
    }
    _Atomic uint64_t *word = target;
    uint64_t old = atomic_load(word);
    while (!atomic_compare_exchange_weak(word, &old, combine(op, type, old, operand, compare)))
        ;
    return old;
}

struct request {
    enum mock_kind kind;
    enum fi_datatype type;
    enum fi_op op;
    const void *operand, *compare;
    void *result;
    void *desc[3];  // of operand, compare, result
    size_t count;
    uint64_t addr, key, flags;
    void *context;
};

static bool valid(enum mock_kind kind, enum fi_datatype type, enum fi_op op)
{
    if (!width(type) || op >= FI_ATOMIC_OP_LAST)
        return false;
    if (kind == OP_COMPARE_ATOMIC)
        return op >= FI_CSWAP;
    return op < FI_CSWAP && (op != FI_ATOMIC_READ || kind == OP_FETCH_ATOMIC);
}

static void check_buffers(struct mock_ep *ep, const struct request *r)
{
    const void *buffers[3] = {r->op == FI_ATOMIC_READ ? NULL : r->operand, r->compare, r->result};
    for (int i = 0; i < 3; i++) {
        struct mock_op op = {.kind = r->kind, .niov = buffers[i] ? 1 : 0, .has_desc = true};
        op.iov[0] = (struct iovec){(void *)buffers[i], width(r->type)};
        op.desc[0] = r->desc[i];
        mock_check_local(ep->domain, &op, i == 2 ? FI_READ : FI_WRITE);
    }
}

static void complete(struct mock_ep *ep, const struct request *r)
{
    bool fetches = r->kind == OP_FETCH_ATOMIC || r->kind == OP_COMPARE_ATOMIC;
    struct mock_cntr *cntr = fetches ? ep->read_cntr : ep->write_cntr;
    if (cntr)
        cntr->real->add(cntr->fid, 1);
    if (r->kind == OP_INJECT_ATOMIC || !ep->tx_cq || (ep->selective && !(r->flags & FI_COMPLETION)))
        return;
    struct fi_cq_err_entry entry = {.op_context = r->context,
                                    .flags = FI_ATOMIC | (fetches ? FI_READ : FI_WRITE)};
    mock_cq_post(ep->tx_cq, &entry);
}

static ssize_t perform(struct fid_ep *fid, const struct request *r)
{
    struct mock_ep *ep = mock_state(&fid->fid);
    size_t nbytes = width(r->type);
    mock_count(r->kind);
    if (!valid(r->kind, r->type, r->op))
        return -FI_EOPNOTSUPP;
    if (r->count != MOCK_ATOMIC_COUNT)
        return -FI_EINVAL;
    if (mock_want.eagain && mock_chance(3)) {
        mock_count(N_EAGAIN);
        return -FI_EAGAIN;
    }
    pthread_mutex_lock(&ep->domain->lock);
    if (mock_want.mr_local && r->kind != OP_INJECT_ATOMIC && !(r->flags & FI_INJECT))
        check_buffers(ep, r);
    if (r->kind != OP_INJECT_ATOMIC)
        mock_use_context(r->context);
    mock_step(ep->domain);
    int pid;
    uint64_t there = mock_key_resolve(r->key, r->addr, nbytes, &pid);
    if (there % nbytes)
        mock_violation("an atomic on the unaligned address %#llx", (unsigned long long)there);
    uint64_t old = execute(mock_remote_map(pid, there, nbytes), r->op, r->type,
                           load_operand(r->operand, nbytes), load_operand(r->compare, nbytes));
    uint32_t narrow = (uint32_t)old;
    if (r->result)
        memcpy(r->result, nbytes == 4 ? (void *)&narrow : (void *)&old, nbytes);
    complete(ep, r);
    pthread_mutex_unlock(&ep->domain->lock);
    return 0;
}

static uint64_t default_flags(struct fid_ep *fid)
{
    return ((struct mock_ep *)mock_state(&fid->fid))->tx_flags;
}

static ssize_t do_atomic(struct fid_ep *ep, const void *buf, size_t count, void *desc,
                         fi_addr_t peer, uint64_t addr, uint64_t key, enum fi_datatype type,
                         enum fi_op op, void *context)
{
    (void)peer;
    struct request r = {.kind = OP_ATOMIC,
                        .type = type,
                        .op = op,
                        .operand = buf,
                        .desc = {desc},
                        .count = count,
                        .addr = addr,
                        .key = key,
                        .flags = default_flags(ep),
                        .context = context};
    return perform(ep, &r);
}

static ssize_t do_inject(struct fid_ep *ep, const void *buf, size_t count, fi_addr_t peer,
                         uint64_t addr, uint64_t key, enum fi_datatype type, enum fi_op op)
{
    (void)peer;
    struct request r = {.kind = OP_INJECT_ATOMIC,
                        .type = type,
                        .op = op,
                        .operand = buf,
                        .count = count,
                        .addr = addr,
                        .key = key};
    return perform(ep, &r);
}

static ssize_t do_fetch(struct fid_ep *ep, const void *buf, size_t count, void *desc, void *result,
                        void *result_desc, fi_addr_t peer, uint64_t addr, uint64_t key,
                        enum fi_datatype type, enum fi_op op, void *context)
{
    (void)peer;
    struct request r = {.kind = OP_FETCH_ATOMIC,
                        .type = type,
                        .op = op,
                        .operand = buf,
                        .result = result,
                        .desc = {desc, NULL, result_desc},
                        .count = count,
                        .addr = addr,
                        .key = key,
                        .flags = default_flags(ep),
                        .context = context};
    return perform(ep, &r);
}

static ssize_t do_compare(struct fid_ep *ep, const void *buf, size_t count, void *desc,
                          const void *compare, void *compare_desc, void *result, void *result_desc,
                          fi_addr_t peer, uint64_t addr, uint64_t key, enum fi_datatype type,
                          enum fi_op op, void *context)
{
    (void)peer;
    struct request r = {.kind = OP_COMPARE_ATOMIC,
                        .type = type,
                        .op = op,
                        .operand = buf,
                        .compare = compare,
                        .result = result,
                        .desc = {desc, compare_desc, result_desc},
                        .count = count,
                        .addr = addr,
                        .key = key,
                        .flags = default_flags(ep),
                        .context = context};
    return perform(ep, &r);
}

// The msg forms, with one vector entry per side: the most there can be with one element per call.
static ssize_t from_msg(struct fid_ep *ep, enum mock_kind kind, const struct fi_msg_atomic *msg,
                        const struct fi_ioc *compare, void **compare_desc, struct fi_ioc *result,
                        void **result_desc, uint64_t flags)
{
    if (msg->rma_iov_count != 1 || (msg->iov_count != 1 && msg->op != FI_ATOMIC_READ))
        return -FI_EINVAL;
    struct request r = {.kind = kind,
                        .type = msg->datatype,
                        .op = msg->op,
                        .operand = msg->iov_count ? msg->msg_iov->addr : NULL,
                        .compare = compare ? compare->addr : NULL,
                        .result = result ? result->addr : NULL,
                        .desc = {msg->desc ? msg->desc[0] : NULL,
                                 compare_desc ? compare_desc[0] : NULL,
                                 result_desc ? result_desc[0] : NULL},
                        .count = msg->rma_iov->count,
                        .addr = msg->rma_iov->addr,
                        .key = msg->rma_iov->key,
                        .flags = flags,
                        .context = msg->context};
    return perform(ep, &r);
}

static ssize_t do_atomicmsg(struct fid_ep *ep, const struct fi_msg_atomic *msg, uint64_t flags)
{
    return from_msg(ep, OP_ATOMIC, msg, NULL, NULL, NULL, NULL, flags);
}

static ssize_t do_fetchmsg(struct fid_ep *ep, const struct fi_msg_atomic *msg,
                           struct fi_ioc *result, void **result_desc, size_t result_count,
                           uint64_t flags)
{
    return result_count != 1
               ? -FI_EINVAL
               : from_msg(ep, OP_FETCH_ATOMIC, msg, NULL, NULL, result, result_desc, flags);
}

static ssize_t do_comparemsg(struct fid_ep *ep, const struct fi_msg_atomic *msg,
                             const struct fi_ioc *compare, void **compare_desc,
                             size_t compare_count, struct fi_ioc *result, void **result_desc,
                             size_t result_count, uint64_t flags)
{
    if (compare_count != 1 || result_count != 1)
        return -FI_EINVAL;
    return from_msg(ep, OP_COMPARE_ATOMIC, msg, compare, compare_desc, result, result_desc, flags);
}

static ssize_t do_atomicv(struct fid_ep *ep, const struct fi_ioc *iov, void **desc, size_t count,
                          fi_addr_t peer, uint64_t addr, uint64_t key, enum fi_datatype type,
                          enum fi_op op, void *context)
{
    if (count != 1)
        return -FI_EINVAL;
    return do_atomic(ep, iov->addr, iov->count, desc ? desc[0] : NULL, peer, addr, key, type, op,
                     context);
}

static ssize_t do_fetchv(struct fid_ep *ep, const struct fi_ioc *iov, void **desc, size_t count,
                         struct fi_ioc *result, void **result_desc, size_t result_count,
                         fi_addr_t peer, uint64_t addr, uint64_t key, enum fi_datatype type,
                         enum fi_op op, void *context)
{
    if (count != 1 || result_count != 1)
        return -FI_EINVAL;
    return do_fetch(ep, iov->addr, iov->count, desc ? desc[0] : NULL, result->addr,
                    result_desc ? result_desc[0] : NULL, peer, addr, key, type, op, context);
}

static ssize_t do_comparev(struct fid_ep *ep, const struct fi_ioc *iov, void **desc, size_t count,
                           const struct fi_ioc *compare, void **compare_desc, size_t compare_count,
                           struct fi_ioc *result, void **result_desc, size_t result_count,
                           fi_addr_t peer, uint64_t addr, uint64_t key, enum fi_datatype type,
                           enum fi_op op, void *context)
{
    if (count != 1 || compare_count != 1 || result_count != 1)
        return -FI_EINVAL;
    return do_compare(ep, iov->addr, iov->count, desc ? desc[0] : NULL, compare->addr,
                      compare_desc ? compare_desc[0] : NULL, result->addr,
                      result_desc ? result_desc[0] : NULL, peer, addr, key, type, op, context);
}

static int supported(bool ok, size_t *count)
{
    if (ok && count)
        *count = MOCK_ATOMIC_COUNT;
    return ok ? 0 : -FI_EOPNOTSUPP;
}

static int write_valid(struct fid_ep *ep, enum fi_datatype type, enum fi_op op, size_t *count)
{
    (void)ep;
    return supported(valid(OP_ATOMIC, type, op), count);
}

static int fetch_valid(struct fid_ep *ep, enum fi_datatype type, enum fi_op op, size_t *count)
{
    (void)ep;
    return supported(valid(OP_FETCH_ATOMIC, type, op), count);
}

static int compare_valid(struct fid_ep *ep, enum fi_datatype type, enum fi_op op, size_t *count)
{
    (void)ep;
    return supported(valid(OP_COMPARE_ATOMIC, type, op), count);
}

int mock_query_atomic(struct fid_domain *domain, enum fi_datatype type, enum fi_op op,
                      struct fi_atomic_attr *attr, uint64_t flags)
{
    (void)domain;
    enum mock_kind kind = (flags & FI_FETCH_ATOMIC)     ? OP_FETCH_ATOMIC
                          : (flags & FI_COMPARE_ATOMIC) ? OP_COMPARE_ATOMIC
                                                        : OP_ATOMIC;
    if (!valid(kind, type, op))
        return -FI_EOPNOTSUPP;
    if (attr)
        *attr = (struct fi_atomic_attr){MOCK_ATOMIC_COUNT, width(type)};
    return 0;
}

static struct fi_ops_atomic atomic_ops = {
    .size = sizeof(struct fi_ops_atomic),
    .write = do_atomic,
    .writev = do_atomicv,
    .writemsg = do_atomicmsg,
    .inject = do_inject,
    .readwrite = do_fetch,
    .readwritev = do_fetchv,
    .readwritemsg = do_fetchmsg,
    .compwrite = do_compare,
    .compwritev = do_comparev,
    .compwritemsg = do_comparemsg,
    .writevalid = write_valid,
    .readwritevalid = fetch_valid,
    .compwritevalid = compare_valid,
};

void mock_wrap_atomic(struct mock_ep *ep)
{
    ep->fid->atomic = &atomic_ops;
}
