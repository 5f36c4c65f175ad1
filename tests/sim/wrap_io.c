// SPDX-License-Identifier: BSD-3-Clause
//
// System calls that block, that change what others see, or whose answers differ from run to run.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "fault.h"
#include "model.h"
#include "mpi.h"
#include "wrap.h"

// ---------------------------------------------------------------- descriptors

int __real_poll(struct pollfd *fds, nfds_t n, int timeout_ms);

static int poll_until(struct pollfd *fds, nfds_t n, uint64_t deadline, bool waits)
{
    sim_fence(__ATOMIC_SEQ_CST);
    sim_point();
    for (;;) {
        int rc = __real_poll(fds, n, 0);
        if (rc != 0 || !waits)
            return rc;
        if (!sim_wait("descriptors", 0, deadline, true))
            return __real_poll(fds, n, 0);
    }
}

SIM_WRAPPER(int, poll, struct pollfd *fds, nfds_t n, int timeout_ms)
{
    if (!sim_inside())
        return __real_poll(fds, n, timeout_ms);
    uint64_t deadline = timeout_ms > 0 ? sim_clock() + (uint64_t)timeout_ms * 1000000u : 0;
    return poll_until(fds, n, deadline, timeout_ms != 0);
}

SIM_WRAPPER(int, ppoll, struct pollfd *fds, nfds_t n, const struct timespec *ts,
            const sigset_t *mask)
{
    if (!sim_inside())
        return __real_ppoll(fds, n, ts, mask);
    uint64_t ns = ts ? (uint64_t)ts->tv_sec * 1000000000u + (uint64_t)ts->tv_nsec : 0;
    return poll_until(fds, n, ns ? sim_clock() + ns : 0, !ts || ns > 0);
}

/** False: the call would block, and the descriptor says that it does not. */
static void await_readable(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    struct pollfd p = {.fd = fd, .events = POLLIN};
    if (flags >= 0 && !(flags & O_NONBLOCK))
        poll_until(&p, 1, 0, true);
}

SIM_WRAPPER(ssize_t, read, int fd, void *buf, size_t nbytes)
{
    if (sim_inside()) {
        sim_fence(__ATOMIC_SEQ_CST);
        sim_point();
        await_readable(fd);
    }
    return __real_read(fd, buf, nbytes);
}

SIM_WRAPPER(ssize_t, write, int fd, const void *buf, size_t nbytes)
{
    if (!sim_inside())
        return __real_write(fd, buf, nbytes);
    sim_fence(__ATOMIC_SEQ_CST);
    sim_point();
    ssize_t n = __real_write(fd, buf, nbytes);
    if (fd > 2)
        sim_io();
    return n;
}

SIM_WRAPPER(int, close, int fd)
{
    int rc = __real_close(fd);
    if (sim_inside())
        sim_io();
    return rc;
}

// Sockets of the node's PEs: what one does another may wait for.

SIM_WRAPPER(ssize_t, sendmsg, int fd, const struct msghdr *message, int flags)
{
    ssize_t n = __real_sendmsg(fd, message, flags);
    if (sim_inside())
        sim_io();
    return n;
}

SIM_WRAPPER(ssize_t, recvmsg, int fd, struct msghdr *message, int flags)
{
    if (sim_inside())
        await_readable(fd);
    return __real_recvmsg(fd, message, flags);
}

pid_t __real_getppid(void);

/** The name among those of this driver's job: jobs of all drivers have one name, and the kernel's
 *  abstract names hold for the whole machine. */
static socklen_t own_name(struct sockaddr_un *own, const struct sockaddr *name, socklen_t nbytes)
{
    const struct sockaddr_un *un = (const struct sockaddr_un *)name;
    const size_t before = offsetof(struct sockaddr_un, sun_path) + 1;
    own->sun_family = AF_UNIX;
    // the driver is the parent of each PE, copies too
    int n = snprintf(own->sun_path + 1, sizeof own->sun_path - 1, "simulated.%d.%.*s",
                     (int)__real_getppid(), (int)(nbytes - before), un->sun_path + 1);
    if (n < 0 || (size_t)n >= sizeof own->sun_path - 1)
        sim_stop(SIM_STUCK, "the name of a socket is too long");
    return (socklen_t)(before + (size_t)n);
}

static bool is_abstract(const struct sockaddr *name, socklen_t nbytes)
{
    return name->sa_family == AF_UNIX && nbytes > offsetof(struct sockaddr_un, sun_path) &&
           ((const struct sockaddr_un *)name)->sun_path[0] == '\0';
}

/** Where the kernel would choose a name, of five digits, it is one that each run chooses. */
static socklen_t chosen_name(struct sockaddr_un *chosen)
{
    static unsigned n;
    chosen->sun_family = AF_UNIX;
    snprintf(chosen->sun_path + 1, 6, "%02x%03x", (unsigned)SIM_ME->pe & 0xff, n++ & 0xfff);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 6);
}

SIM_WRAPPER(int, bind, int fd, const struct sockaddr *name, socklen_t nbytes)
{
    struct sockaddr_un own = {0}, chosen = {0};
    if (sim_inside() && name->sa_family == AF_UNIX && nbytes == sizeof(sa_family_t)) {
        nbytes = chosen_name(&chosen);
        name = (const struct sockaddr *)&chosen;
    }
    if (!sim_inside() || !is_abstract(name, nbytes))
        return __real_bind(fd, name, nbytes);
    nbytes = own_name(&own, name, nbytes);
    return __real_bind(fd, (const struct sockaddr *)&own, nbytes);
}

/** The name without what own_name puts before it. */
SIM_WRAPPER(int, getsockname, int fd, struct sockaddr *name, socklen_t *nbytes_p)
{
    int rc = __real_getsockname(fd, name, nbytes_p);
    if (!sim_inside() || rc != 0 || !is_abstract(name, *nbytes_p))
        return rc;
    const size_t before = offsetof(struct sockaddr_un, sun_path) + 1;
    char *text = ((struct sockaddr_un *)name)->sun_path + 1;
    const char *dot = memrchr(text, '.', *nbytes_p - before);
    if (!dot)
        return rc;
    const size_t left = *nbytes_p - before - (size_t)(dot + 1 - text);
    memmove(text, dot + 1, left);
    *nbytes_p = (socklen_t)(before + left);
    return rc;
}

SIM_WRAPPER(int, connect, int fd, const struct sockaddr *name, socklen_t nbytes)
{
    struct sockaddr_un own = {0};
    if (!sim_inside())
        return __real_connect(fd, name, nbytes);
    if (is_abstract(name, nbytes)) {
        nbytes = own_name(&own, name, nbytes);
        name = (const struct sockaddr *)&own;
    }
    int rc = __real_connect(fd, name, nbytes);
    sim_io();
    return rc;
}

SIM_WRAPPER(int, accept4, int fd, struct sockaddr *name, socklen_t *nbytes_p, int flags)
{
    if (sim_inside())
        await_readable(fd);
    int rc = __real_accept4(fd, name, nbytes_p, flags);
    if (sim_inside())
        sim_io();
    return rc;
}

SIM_WRAPPER(int, listen, int fd, int most)
{
    int rc = __real_listen(fd, most);
    if (sim_inside())
        sim_io();
    return rc;
}

SIM_WRAPPER(int, shutdown, int fd, int how)
{
    int rc = __real_shutdown(fd, how);
    if (sim_inside())
        sim_io();
    return rc;
}

// ---------------------------------------------------------------- memory

static void *mapped(void *at, size_t nbytes, int flags, int fd, off_t offset)
{
    if (at != MAP_FAILED && sim)
        sim_mapped(at, nbytes, flags, fd, offset);
    return at;
}

SIM_WRAPPER(void *, mmap, void *at, size_t nbytes, int prot, int flags, int fd, off_t offset)
{
    if (sim_fault_hits(SIM_FAULT_MEMORY)) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    sim_drain();
    return mapped(__real_mmap(at, nbytes, prot, flags, fd, offset), nbytes, flags, fd, offset);
}

SIM_WRAPPER(void *, mmap64, void *at, size_t nbytes, int prot, int flags, int fd, off_t offset)
{
    if (sim_fault_hits(SIM_FAULT_MEMORY)) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    sim_drain();
    return mapped(__real_mmap64(at, nbytes, prot, flags, fd, offset), nbytes, flags, fd, offset);
}

void *__real_mremap(void *at, size_t nbytes, size_t more, int flags, ...);
__attribute__((visibility("default"))) void *__wrap_mremap(void *at, size_t nbytes, size_t more,
                                                           int flags, ...);
void *__wrap_mremap(void *at, size_t nbytes, size_t more, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    void *wish = flags & MREMAP_FIXED ? va_arg(args, void *) : NULL;
    va_end(args);
    sim_drain();
    void *to = __real_mremap(at, nbytes, more, flags, wish);
    if (to != MAP_FAILED && sim)
        sim_remapped(at, nbytes, to, more);
    return to;
}

SIM_WRAPPER(int, munmap, void *at, size_t nbytes)
{
    sim_drain();
    if (sim)
        sim_unmapped(at, nbytes);
    return __real_munmap(at, nbytes);
}

SIM_WRAPPER(void, free, void *block)
{
    const size_t most = 65536;
    size_t nbytes = block && sim_inside() ? malloc_usable_size(block) : 0;
    if (nbytes) {
        sim_drain();
        sim_forget(block, nbytes < most ? nbytes : most);
    }
    __real_free(block);
}

SIM_WRAPPER(void *, memcpy, void *to, const void *from, size_t nbytes)
{
    if (sim_inside()) {
        sim_point();
        sim_plain_write(to, nbytes);
    }
    return __real_memcpy(to, from, nbytes);
}

SIM_WRAPPER(void *, memmove, void *to, const void *from, size_t nbytes)
{
    if (sim_inside()) {
        sim_point();
        sim_plain_write(to, nbytes);
    }
    return __real_memmove(to, from, nbytes);
}

SIM_WRAPPER(void *, memset, void *to, int value, size_t nbytes)
{
    if (sim_inside()) {
        sim_point();
        sim_plain_write(to, nbytes);
    }
    return __real_memset(to, value, nbytes);
}

// ---------------------------------------------------------------- random bytes

SIM_WRAPPER(ssize_t, getrandom, void *buf, size_t nbytes, unsigned flags)
{
    if (!sim_inside())
        return __real_getrandom(buf, nbytes, flags);
    for (size_t i = 0; i < nbytes; i++)
        ((uint8_t *)buf)[i] = (uint8_t)(sim_random(&sim->scene_random) >> 40);
    return (ssize_t)nbytes;
}

// ---------------------------------------------------------------- libraries

static void *the_fabric;  // the handle of the simulated libfabric: that of a library that is there

SIM_WRAPPER(void *, dlopen, const char *path, int flags)
{
    if (!sim_inside())
        return __real_dlopen(path, flags);
    if (path && strcmp(path, "libfabric-sim.so") == 0)
        return the_fabric = __real_dlopen("libm.so.6", RTLD_NOW);
    return sim_mpi_open(path);
}

SIM_WRAPPER(void *, dlsym, void *handle, const char *name)
{
    if (handle && handle == the_fabric)
        return sim_net_library(name);
    return sim_inside() ? sim_mpi_symbol(handle, name) : __real_dlsym(handle, name);
}

/** The plugin is a file of the library's installation. */
SIM_WRAPPER(int, access, const char *path, int mode)
{
    if (sim_inside() && sim_mpi_open(path))
        return 0;
    return sim_hides(path) ? -1 : __real_access(path, mode);
}

SIM_WRAPPER(int, dlclose, void *handle)
{
    return handle == the_fabric || sim_inside() ? 0 : __real_dlclose(handle);
}

SIM_WRAPPER(char *, dlerror, void)
{
    return sim_inside() ? (char *)(uintptr_t) "there are no libraries in the simulator"
                        : __real_dlerror();
}
