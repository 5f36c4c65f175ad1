// SPDX-License-Identifier: BSD-3-Clause
//
// Registered memory: by domain or by endpoint, under keys that the provider may limit to a few
// bytes and that others may hold; what is said when it fails.
#include "device.h"

#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>

#include "base/pages.h"

#define KEYS_TRIED 256u  // before a registration fails because all keys are taken

/** Did a limit refuse it? Other errors are the provider's or the memory's. */
static bool is_limit(ssize_t rc)
{
    return rc == -FI_ENOMEM || rc == -FI_EAGAIN || rc == -FI_EPERM || rc == -FI_ENOSPC;
}

void ofi_register_failed(const char *what, size_t nbytes, ssize_t rc)
{
    const char *provider = ofi_choice.info->fabric_attr->prov_name;
    struct rlimit most;
    char limit[32] = "unlimited";
    if (!is_limit(rc)) {
        cwu_error("libfabric (%s): cannot register %zu bytes of %s: %s; no limit refused it: set "
                  "CAUSEWAY_PROVIDER to another one (causeway-info --libfabric)",
                  provider, nbytes, what, ofi_reason(rc));
        return;
    }
    if (getrlimit(RLIMIT_MEMLOCK, &most) == 0 && most.rlim_cur != RLIM_INFINITY)
        snprintf(limit, sizeof limit, "%llu KiB", (unsigned long long)most.rlim_cur / 1024);
    cwu_error(
        "libfabric (%s): cannot register %zu bytes of %s: %s; registered memory is locked, for "
        "all PEs of a node in its first PE: raise ulimit -l (now %s), lower %s, or start "
        "fewer PEs on this host",
        provider, nbytes, what, ofi_reason(rc), limit, CWU_ENV_NAME(symmetric_size));
}

static uint64_t cut(uint64_t key)
{
    size_t nbytes = ofi_choice.info->domain_attr->mr_key_size;
    if (nbytes > 0 && nbytes < 8)
        key &= ((uint64_t)1 << (8 * nbytes)) - 1;
    return key == FI_KEY_NOTAVAIL ? key - 1 : key;
}

/** Where regions belong to endpoints, they have no key and no descriptor before they are enabled;
 *  those of local buffers too. */
static int register_as(const ofi_device_t *device, const void *buf, size_t nbytes, uint64_t access,
                       uint64_t key, struct fid_mr **mr_p)
{
    struct fid_mr *mr;
    int rc = fi_mr_reg(device->domain, buf, nbytes, access, 0, key, 0, &mr, NULL);
    if (rc == 0 && ofi_choice.mr_endpoint) {
        rc = fi_mr_bind(mr, &device->ep->fid, 0);
        if (rc == 0)
            rc = fi_mr_enable(mr);
        if (rc != 0)
            fi_close(&mr->fid);
    }
    if (rc == 0)
        *mr_p = mr;
    return rc;
}

int ofi_register_keyed(const ofi_device_t *device, const void *buf, size_t nbytes, uint64_t access,
                       ofi_key_fn *key, void *arg, struct fid_mr **mr_p)
{
    int rc = -FI_ENOKEY;
    for (uint32_t i = 0; i < KEYS_TRIED && (rc == -FI_ENOKEY || rc == -FI_EKEYREJECTED); i++)
        rc = register_as(device, buf, nbytes, access, ofi_choice.prov_key ? 0 : cut(key(arg, i)),
                         mr_p);
    return rc;
}

/** Names a local registration, and is never sent. */
static uint64_t next_key(void *arg, uint32_t attempt)
{
    static _Atomic uint64_t next = 1;
    (void)arg, (void)attempt;
    return atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
}

int ofi_register(const ofi_device_t *device, const void *buf, size_t nbytes, uint64_t access,
                 struct fid_mr **mr_p)
{
    // a provider may need memory behind every page; only what is written to must be writable
    if (ofi_choice.pieces && cwu_pages_back(buf, nbytes, access & (FI_RECV | FI_READ)) != CW_OK)
        return -FI_EFAULT;
    return ofi_register_keyed(device, buf, nbytes, access, next_key, NULL, mr_p);
}

int ofi_register_buffers(const ofi_device_t *device, const void *buf, size_t nbytes,
                         struct fid_mr **mr_p)
{
    *mr_p = NULL;
    if (!ofi_choice.local_mr)
        return 0;
    int rc = ofi_register(device, buf, nbytes, FI_SEND | FI_RECV | FI_READ | FI_WRITE, mr_p);
    if (rc != 0) {
        ofi_register_failed("message buffers", nbytes, rc);
        return CW_ENOMEM;
    }
    return 0;
}
