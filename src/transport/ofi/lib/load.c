// SPDX-License-Identifier: BSD-3-Clause
//
// Loads libfabric at run time: a job on one node must not pay for it, and a machine without it gets
// a clear message.
#include "lib.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/resource.h>

#include "base/install.h"
#include "probe.h"

ofi_lib_t ofi_lib;

static bool bind_symbol(void *handle, const char *name, void **function_p)
{
    *function_p = dlsym(handle, name);
    return *function_p != NULL;
}

/** Each endpoint takes a descriptor: raises the limit to the hard one. */
static void raise_file_limit(void)
{
    struct rlimit lim;
    if (getrlimit(RLIMIT_NOFILE, &lim) == 0 && lim.rlim_cur < lim.rlim_max) {
        lim.rlim_cur = lim.rlim_max;
        setrlimit(RLIMIT_NOFILE, &lim);
    }
}

int ofi_lib_open(void)
{
    const char *path = cwu_env.libfabric ? cwu_env.libfabric : "libfabric.so.1";
    void *handle = ofi_probe_load(path);
    if (!handle) {
        cwu_error("cannot load libfabric, which reaches other nodes: %s; install Debian's package "
                  "libfabric1, or name "
                  "the library in CAUSEWAY_LIBFABRIC",
                  cwu_load_error());
        return CW_ENOENT;
    }
    bool ok = bind_symbol(handle, "fi_getinfo", (void **)&ofi_lib.getinfo) &&
              bind_symbol(handle, "fi_freeinfo", (void **)&ofi_lib.freeinfo) &&
              bind_symbol(handle, "fi_dupinfo", (void **)&ofi_lib.dupinfo) &&
              bind_symbol(handle, "fi_fabric", (void **)&ofi_lib.fabric) &&
              bind_symbol(handle, "fi_strerror", (void **)&ofi_lib.strerror) &&
              bind_symbol(handle, "fi_version", (void **)&ofi_lib.fversion);
    if (!ok) {
        cwu_error("%s is not a libfabric (%s); name another in CAUSEWAY_LIBFABRIC", path,
                  dlerror());
        dlclose(handle);
        return CW_ENOENT;
    }
    ofi_lib.version = ofi_lib.fversion();
    if (FI_VERSION_LT(ofi_lib.version, OFI_API)) {
        cwu_error(
            "%s is libfabric %u.%u; at least %u.%u is needed; name another in CAUSEWAY_LIBFABRIC",
            path, FI_MAJOR(ofi_lib.version), FI_MINOR(ofi_lib.version), FI_MAJOR(OFI_API),
            FI_MINOR(OFI_API));
        dlclose(handle);
        return CW_ENOENT;
    }
    raise_file_limit();
    ofi_lib.handle = handle;
    return 0;
}

const char *ofi_reason(ssize_t err)
{
    return ofi_lib.strerror ? ofi_lib.strerror((int)(err < 0 ? -err : err)) : "unknown";
}

int ofi_errno_to_cw(ssize_t err)
{
    switch (err < 0 ? -err : err) {
    case 0:
        return 0;
    case FI_EAGAIN:
        return CW_EAGAIN;
    case FI_ENOMEM:
        return CW_ENOMEM;
    case FI_EINVAL:
        return CW_EINVAL;
    case FI_ENOSYS:
    case FI_EOPNOTSUPP:
        return CW_ENOTSUP;
    case FI_ECONNREFUSED:
        return CW_EREFUSED;
    case FI_ETIMEDOUT:
        return CW_ETIMEOUT;
    case FI_ENODATA:
        return CW_ENOENT;
    case FI_EMFILE:
    case ENFILE:
        return CW_EFILES;
    default:
        return CW_ELOST;
    }
}

bool ofi_is_definite(ssize_t err)
{
    switch (err < 0 ? -err : err) {
    case FI_EINVAL:
    case FI_ENOSYS:
    case FI_EOPNOTSUPP:
    case FI_EACCES:
    case FI_EPERM:
    case FI_EFAULT:
    case FI_EBADF:
    case FI_ENODEV:
    case FI_EMSGSIZE:
    case FI_ETOOSMALL:
        return true;
    default:
        return false;
    }
}

uint64_t ofi_timeout_ns(void)
{
    return (uint64_t)(cwu_env.timeout > 0 ? cwu_env.timeout : 60) * 1000000000u;
}
