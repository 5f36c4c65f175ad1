// SPDX-License-Identifier: BSD-3-Clause
//
// Memory registration: keys that the provider chooses, the record of registered memory,
// descriptors.
#include "mock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

// Bytes of the range in pages that have no memory behind them: a NIC would have to allocate these.
static uint64_t untouched_bytes(const struct iovec *iov)
{
    enum { CHUNK = 1 << 16 };
    static _Thread_local unsigned char resident[CHUNK];
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), absent = 0;
    uint64_t start = (uint64_t)iov->iov_base, end = start + iov->iov_len;
    for (uint64_t at = start & ~(page - 1); at < end; at += CHUNK * page) {
        uint64_t npages = min_u64(CHUNK, (end - at + page - 1) / page);
        bool known = mincore((void *)(uintptr_t)at, npages * page, resident) == 0;
        for (uint64_t i = 0; i < npages; i++) {
            uint64_t from = at + i * page < start ? start : at + i * page;
            if (!known || !(resident[i] & 1))
                absent += min_u64(at + (i + 1) * page, end) - from;
        }
    }
    return absent;
}

static uint64_t whole_pages(const struct fi_mr_attr *attr)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), nbytes = 0;
    for (size_t i = 0; i < attr->iov_count; i++) {
        uint64_t start = (uint64_t)attr->mr_iov[i].iov_base, end = start + attr->mr_iov[i].iov_len;
        nbytes += ((end + page - 1) & ~(page - 1)) - (start & ~(page - 1));
    }
    return nbytes;
}

static _Atomic uint64_t pinned;

// What may be locked: MOCK_FABRIC_LOCKED bytes, else as `ulimit -l` says.
static uint64_t lockable(void)
{
    struct rlimit most;
    const char *text = getenv("MOCK_FABRIC_LOCKED");
    if (text)
        return strtoull(text, NULL, 10);
    return getrlimit(RLIMIT_MEMLOCK, &most) == 0 && most.rlim_cur != RLIM_INFINITY ? most.rlim_cur
                                                                                   : UINT64_MAX;
}

// Counts the pages of a region as locked. mr_locked: as many as a process may, as the kernel counts
// for cards, whatever privileges the process has.
static bool pin(uint64_t nbytes)
{
    uint64_t now = atomic_fetch_add(&pinned, nbytes) + nbytes;
    if (mock_want.mr_locked && now > lockable()) {
        atomic_fetch_sub(&pinned, nbytes);
        mock_count(N_MR_UNLOCKED);
        return false;
    }
    mock_raise(N_MR_PINNED, now);
    return true;
}

static void account(const struct fi_mr_attr *attr)
{
    mock_count(OP_MR_REG);
    for (size_t i = 0; i < attr->iov_count; i++) {
        mock_add(N_MR_BYTES, attr->mr_iov[i].iov_len);
    }
}

// May the program write all of the range? By /proc/self/maps, since trying would write.
static bool writable(const struct iovec *iov)
{
    uint64_t at = (uint64_t)iov->iov_base, end = at + iov->iov_len;
    char line[4096], perms[8];
    unsigned long long from, to;
    FILE *f = fopen("/proc/self/maps", "re");
    while (f && at < end && fgets(line, sizeof line, f))
        if (sscanf(line, "%llx-%llx %7s", &from, &to, perms) == 3 && from <= at && at < to) {
            if (perms[1] != 'w')
                break;
            at = to;
        }
    if (f)
        fclose(f);
    return at >= end;
}

// A device writes where it receives or reads to; a cache of registrations asks for that always.
static bool may_register(const struct fi_mr_attr *attr)
{
    if (mock_want.mr_fault && (attr->access & (FI_REMOTE_READ | FI_REMOTE_WRITE)))
        return false;
    bool writes = mock_want.mr_writable || (attr->access & (FI_RECV | FI_READ));
    for (size_t i = 0; mock_want.mr_local && writes && i < attr->iov_count; i++)
        if (attr->mr_iov[i].iov_len >= 65536 && !writable(&attr->mr_iov[i]))
            return false;
    return true;
}

// mr_allocated: every page has memory before it is registered.
static bool backed(const struct fi_mr_attr *attr)
{
    uint64_t absent = 0;
    for (size_t i = 0; mock_want.mr_allocated && i < attr->iov_count; i++)
        absent += untouched_bytes(&attr->mr_iov[i]);
    mock_add(N_MR_UNTOUCHED_BYTES, absent);
    return absent == 0;
}

static bool remote(uint64_t access)
{
    return access & (FI_REMOTE_READ | FI_REMOTE_WRITE);
}

// A region is closed before its memory goes: afterwards a cache of registrations could take other
// memory at that address for it.
static void refuse_if_gone(const struct mock_mr *mr)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < mr->niov; i++) {
        enum { STEP = 256 };
        unsigned char resident[STEP];
        uint64_t at = (uint64_t)mr->iov[i].iov_base, end = at + mr->iov[i].iov_len;
        for (at &= ~(page - 1); at < end; at += STEP * page)
            if (mincore((void *)(uintptr_t)at, min_u64(STEP * page, end - at), resident) != 0)
                mock_violation("a region of %zu bytes was closed after its memory was unmapped",
                               mr->iov[i].iov_len);
    }
}

static void refuse_if_held(struct mock_domain *domain, const struct fid_mr *fid)
{
    for (struct mock_ep *ep = domain->eps; ep; ep = ep->next)
        for (struct mock_op *op = ep->held; op; op = op->next)
            for (size_t i = 0; op->has_desc && i < op->niov; i++)
                if (op->desc[i] && op->desc[i] == fid->mem_desc)
                    mock_violation("a memory region was closed while an operation still used it");
}

static int mr_close(struct fid *fid)
{
    struct mock_mr *mr = mock_state(fid);
    struct mock_domain *domain = mr->domain;
    if (mock_want.mr_allocated)
        refuse_if_gone(mr);
    pthread_mutex_lock(&domain->lock);
    if (mock_want.mr_local)
        refuse_if_held(domain, mr->fid);
    for (struct mock_mr **p = &domain->mrs; *p; p = &(*p)->next)
        if (*p == mr) {
            *p = mr->next;
            break;
        }
    if (mock_own_keys() && remote(mr->access) && mr->enabled)
        mock_key_withdraw(mr->key);
    pthread_mutex_unlock(&domain->lock);
    atomic_fetch_sub(&pinned, mr->pinned);
    int rc = mr->base.real->close(fid);
    free(mr);
    return rc;
}

// With mr_local, local buffers too.
static bool by_endpoint(const struct mock_mr *mr)
{
    return mock_want.mr_endpoint && mr->domain->rdm && (remote(mr->access) || mock_want.mr_local);
}

static void enable(struct mock_mr *mr)
{
    mr->enabled = true;
    mr->fid->key = mr->key;
    if (mock_own_keys() && remote(mr->access))
        mock_key_publish(mr->key, (uint64_t)mr->iov[0].iov_base, mr->iov[0].iov_len);
}

static int mr_bind(struct fid *fid, struct fid *other, uint64_t flags)
{
    struct mock_mr *mr = mock_state(fid);
    if (!by_endpoint(mr) || other->fclass != FI_CLASS_EP)
        return mr->base.real->bind(fid, other, flags);
    mr->bound = true;
    return 0;
}

static int mr_control(struct fid *fid, int command, void *arg)
{
    struct mock_mr *mr = mock_state(fid);
    if (!by_endpoint(mr) || command != FI_ENABLE)
        return mr->base.real->control(fid, command, arg);
    if (!mr->bound)
        return -FI_EINVAL;
    if (!mr->enabled)
        enable(mr);
    return 0;
}

// key2: two bytes, and every other one is taken.
static int check_key(uint64_t key)
{
    if (!mock_want.key2 || mock_own_keys())
        return 0;
    if (key >> (8 * MOCK_KEY)) {
        fprintf(stderr, "mock-fabric: key %llx has more than %d bytes\n", (unsigned long long)key,
                MOCK_KEY);
        mock_count(N_VIOLATIONS);
        return -FI_EKEYREJECTED;
    }
    if (!mock_chance(2))
        return 0;
    mock_count(N_KEYS_TAKEN);
    return -FI_ENOKEY;
}

static int regattr(struct fid *fid, const struct fi_mr_attr *attr, uint64_t flags,
                   struct fid_mr **mr_p)
{
    struct mock_domain *domain = mock_domain(fid);
    struct fi_mr_attr copy = *attr;
    if (attr->iov_count > MOCK_IOV)
        return -FI_EINVAL;
    if (!may_register(attr)) {
        mock_count(N_MR_REFUSED);
        return -FI_EFAULT;
    }
    if (!backed(attr))
        return -FI_EFAULT;
    int rc = check_key(attr->requested_key);
    if (rc)
        return rc;
    uint64_t nbytes = whole_pages(attr);
    if (!pin(nbytes))
        return -FI_ENOMEM;
    do {  // a key that is in use is drawn again
        if (mock_own_keys())
            copy.requested_key = mock_key_new();
        rc = fi_mr_regattr(domain->real, &copy, flags, mr_p);
    } while (rc == -FI_ENOKEY && mock_own_keys());
    if (rc) {
        atomic_fetch_sub(&pinned, nbytes);
        return rc;
    }
    account(attr);
    struct mock_mr *mr = mock_new(sizeof *mr);
    *mr = (struct mock_mr){.domain = domain,
                           .fid = *mr_p,
                           .access = attr->access,
                           .pinned = nbytes,
                           .niov = attr->iov_count};
    for (size_t i = 0; i < attr->iov_count; i++)
        mr->iov[i] = attr->mr_iov[i];
    mock_wrap(&(*mr_p)->fid, &mr->base, mr_close);
    mr->base.ops.table.bind = mr_bind;
    mr->base.ops.table.control = mr_control;
    mr->key = (*mr_p)->key;
    if (by_endpoint(mr))
        (*mr_p)->key = FI_KEY_NOTAVAIL;
    else
        enable(mr);
    pthread_mutex_lock(&domain->lock);
    mr->next = domain->mrs;
    domain->mrs = mr;
    pthread_mutex_unlock(&domain->lock);
    return 0;
}

static int regv(struct fid *fid, const struct iovec *iov, size_t count, uint64_t access,
                uint64_t offset, uint64_t key, uint64_t flags, struct fid_mr **mr, void *context)
{
    struct fi_mr_attr attr = {.mr_iov = iov,
                              .iov_count = count,
                              .access = access,
                              .offset = offset,
                              .requested_key = key,
                              .context = context};
    return regattr(fid, &attr, flags, mr);
}

static int reg(struct fid *fid, const void *buf, size_t len, uint64_t access, uint64_t offset,
               uint64_t key, uint64_t flags, struct fid_mr **mr, void *context)
{
    struct iovec iov = {(void *)buf, len};
    return regv(fid, &iov, 1, access, offset, key, flags, mr, context);
}

struct fi_ops_mr mock_mr_ops = {
    .size = sizeof(struct fi_ops_mr),
    .reg = reg,
    .regv = regv,
    .regattr = regattr,
};

static bool covers(const struct mock_mr *mr, const struct iovec *buffer)
{
    char *from = buffer->iov_base, *to = from + buffer->iov_len;
    for (size_t i = 0; i < mr->niov; i++) {
        char *base = mr->iov[i].iov_base;
        if (from >= base && to <= base + mr->iov[i].iov_len)
            return true;
    }
    return false;
}

// mr_local: each buffer needs the descriptor of a region of this domain that covers it and allows
// `access` (FI_SEND, FI_RECV, FI_READ or FI_WRITE; no access bits at all mean all of them). Called
// with domain->lock held.
void mock_check_local(struct mock_domain *domain, const struct mock_op *op, uint64_t access)
{
    for (size_t i = 0; i < op->niov; i++) {
        const struct iovec *buffer = &op->iov[i];
        if (buffer->iov_len == 0)
            continue;
        void *desc = op->has_desc ? op->desc[i] : NULL;
        struct mock_mr *mr = domain->mrs;
        while (mr && (!desc || mr->fid->mem_desc != desc))
            mr = mr->next;
        const char *fault = !desc                 ? "has no descriptor"
                            : !mr                 ? "has a descriptor unknown to its domain"
                            : !mr->enabled        ? "is in a region that is not enabled"
                            : !covers(mr, buffer) ? "is not covered by its region"
                            : mr->access && !(mr->access & access)
                                ? "is in a region without this access"
                                : NULL;
        if (fault)
            mock_violation("the local buffer %p + %zu of operation %d %s", buffer->iov_base,
                           buffer->iov_len, (int)op->kind, fault);
    }
}
