// SPDX-License-Identifier: BSD-3-Clause
//
// Devices: fabric, domain, completion queue, and what the endpoint mode needs besides.
#include "device.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define FEWEST_ENTRIES 64u  // of a completion queue

bool ofi_no_files(void)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (fd >= 0)
        close(fd);
    return fd < 0 && (errno == EMFILE || errno == ENFILE);
}

/** Descriptors are numbered from below, so the lowest free number is about their count. */
bool ofi_few_files(uint64_t spare)
{
    struct rlimit lim;
    if (getrlimit(RLIMIT_NOFILE, &lim) != 0 || lim.rlim_cur == RLIM_INFINITY)
        return false;
    int fd = dup(STDERR_FILENO);
    if (fd >= 0)
        close(fd);
    if (lim.rlim_cur / 8 > spare)
        spare = lim.rlim_cur / 8;
    return fd < 0 ? ofi_no_files() : (uint64_t)fd + spare > lim.rlim_cur;
}

void ofi_report_files(void)
{
    struct rlimit lim = {0, 0};
    bool of_system = ofi_no_files() && errno == ENFILE;
    getrlimit(RLIMIT_NOFILE, &lim);
    cwu_error("out of file descriptors: %s allows %llu, and each connection takes one; raise it "
              "(ulimit -n), or use fewer PEs a node%s",
              of_system ? "the system" : "this process", (unsigned long long)lim.rlim_cur,
              ofi_choice.msg ? ", or CAUSEWAY_ENDPOINT=rdm" : "");
}

bool ofi_out_of_files(void)
{
    if (!ofi_no_files())
        return false;
    ofi_report_files();
    return true;
}

/** Did libfabric's call fail for that? Another thread may have freed one meanwhile. */
static bool lacks_files(int rc)
{
    return ofi_errno_to_cw(rc) == CW_EFILES || ofi_no_files();
}

static int failed(const char *what, int rc)
{
    if (!ofi_out_of_files())
        cwu_error("libfabric (%s): %s failed: %s", ofi_choice.info->fabric_attr->prov_name, what,
                  ofi_reason(rc));
    int code = ofi_errno_to_cw(rc);
    return code == CW_EAGAIN || code == CW_EFILES ? CW_ESYS : code;
}

static int wait_fd_of(struct fid *fid)
{
    int fd = -1;
    return fi_control(fid, FI_GETWAIT, &fd) == 0 ? fd : -1;
}

static bool provider_is(const char *name)
{
    return strcmp(ofi_choice.info->fabric_attr->prov_name, name) == 0;
}

static int try_cq(ofi_device_t *device, uint32_t entries, bool roomy)
{
    struct fi_cq_attr attr = {.format = FI_CQ_FORMAT_DATA, .wait_obj = FI_WAIT_FD, .size = entries};
    bool naps = roomy && ((ofi_choice.msg && provider_is("tcp")) || provider_is("net"));
    int rc =
        naps || device->bell ? -FI_ENOSYS : fi_cq_open(device->domain, &attr, &device->cq, NULL);
    if (rc == 0) {
        device->cq_fd = wait_fd_of(&device->cq->fid);
        return 0;
    }
    attr.wait_obj = FI_WAIT_NONE;  // it cannot be slept on: waits nap instead
    return fi_cq_open(device->domain, &attr, &device->cq, NULL);
}

static int open_cq(ofi_device_t *device, uint32_t entries, bool roomy)
{
    int rc;
    while ((rc = try_cq(device, entries, roomy)) != 0 && entries / 2 >= FEWEST_ENTRIES)
        entries /= 2;
    if (rc != 0)
        return failed("opening a completion queue", rc);
    device->cq_entries = device->cq_free = entries;
    return 0;
}

int ofi_device_cq_failed(const ofi_device_t *device, ssize_t err)
{
    const char *name = ofi_choice.info->fabric_attr->prov_name;
    if (err == FI_EOVERRUN || err == -FI_EOVERRUN)
        cwu_error("libfabric (%s): a completion queue of %u entries has overrun, so completions "
                  "are lost; use fewer contexts (CAUSEWAY_CTX_ENDPOINTS) or connections "
                  "(CAUSEWAY_MAX_CONNECTIONS), or another CAUSEWAY_PROVIDER",
                  name, device->cq_entries);
    else
        cwu_error("libfabric (%s): reading the completion queue failed: %s", name, ofi_reason(err));
    return CW_ELOST;
}

/** Over net of libfabric 1.17 (tcp from 1.18 on) completions set a signal on their queue's own
 *  descriptor that only a sleeping call resets, so it stays readable from the first one on. An
 *  event queue's descriptor becomes readable with every socket of its fabric, and only connection
 *  events set its own signal: the device sleeps on that one. */
static int open_eq(ofi_device_t *device, bool roomy)
{
    struct fi_eq_attr attr = {.wait_obj = FI_WAIT_FD, .size = 64};
    int rc = roomy && provider_is("net") ? -FI_ENOSYS
                                         : fi_eq_open(device->fabric, &attr, &device->eq, NULL);
    if (rc == 0) {
        device->eq_fd = wait_fd_of(&device->eq->fid);
        device->bell = provider_is("net") && device->eq_fd >= 0;
        return 0;
    }
    attr.wait_obj = FI_WAIT_NONE;
    rc = fi_eq_open(device->fabric, &attr, &device->eq, NULL);
    return rc == 0 ? 0 : failed("opening an event queue", rc);
}

static int open_rdm(ofi_device_t *device)
{
    struct fi_av_attr attr = {.type = device->info->domain_attr->av_type};
    int rc = fi_av_open(device->domain, &attr, &device->av, NULL);
    if (rc != 0)
        return failed("opening an address vector", rc);
    rc = ofi_device_endpoint(device, device->info, NULL, &device->ep);
    if (rc == CW_EFILES)
        ofi_report_files();
    return rc;
}

int ofi_device_open(ofi_device_t *device, struct fi_info *info, uint32_t cq_entries, bool roomy)
{
    memset(device, 0, sizeof *device);
    device->cq_fd = device->eq_fd = -1;
    device->info = info;
    int rc = ofi_lib.fabric(info->fabric_attr, &device->fabric, NULL);
    if (rc != 0)
        return failed("opening the fabric", rc);
    rc = fi_domain(device->fabric, info, &device->domain, NULL);
    if (rc != 0) {
        device->domain = NULL;
        rc = failed("opening a domain", rc);
    } else if (ofi_choice.msg || (provider_is("net") && !roomy)) {
        rc = open_eq(device, roomy);
    }
    if (rc == 0)
        rc = open_cq(device, cq_entries, roomy);
    if (rc == 0 && !ofi_choice.msg)
        rc = open_rdm(device);
    if (rc != 0)
        ofi_device_close(device);
    return rc;
}

void ofi_device_close(ofi_device_t *device)
{
    struct fid *fids[] = {
        device->ep ? &device->ep->fid : NULL,         device->av ? &device->av->fid : NULL,
        device->eq ? &device->eq->fid : NULL,         device->cq ? &device->cq->fid : NULL,
        device->domain ? &device->domain->fid : NULL, device->fabric ? &device->fabric->fid : NULL};
    for (size_t i = 0; i < sizeof fids / sizeof fids[0]; i++) {
        int rc = fids[i] ? fi_close(fids[i]) : 0;
        if (rc != 0)
            cwu_debug("libfabric: closing part %zu of a device: %s", i, ofi_reason(rc));
    }
    memset(device, 0, sizeof *device);
    device->cq_fd = device->eq_fd = -1;
}

/** rxm opens the device's completion queue here, with room for FI_UNIVERSE_SIZE peers. */
static int not_enabled(int rc)
{
    return failed(strstr(ofi_choice.info->fabric_attr->prov_name, "ofi_rxm")
                      ? "enabling an endpoint (if its completion queue is too long for the device, "
                        "a lower FI_UNIVERSE_SIZE, as 32, or CAUSEWAY_ENDPOINT=msg helps)"
                      : "enabling an endpoint",
                  rc);
}

int ofi_device_endpoint(ofi_device_t *device, struct fi_info *info, void *context,
                        struct fid_ep **ep_p)
{
    struct fid_ep *ep;
    int rc = fi_endpoint(device->domain, info, &ep, context);
    if (rc != 0)
        return lacks_files(rc) ? CW_EFILES : failed("opening an endpoint", rc);
    rc = ofi_choice.msg ? fi_ep_bind(ep, &device->eq->fid, 0) : 0;
    if (rc == 0 && device->av)
        rc = fi_ep_bind(ep, &device->av->fid, 0);
    if (rc == 0)
        rc = fi_ep_bind(ep, &device->cq->fid, FI_TRANSMIT | FI_RECV);
    if (rc == 0)
        rc = fi_enable(ep);
    if (rc != 0) {
        rc = not_enabled(rc);
        fi_close(&ep->fid);
        return rc;
    }
    device->endpoints++;
    *ep_p = ep;
    return 0;
}

int ofi_device_endpoint_to(ofi_device_t *device, const void *addr, size_t nbytes, void *context,
                           struct fid_ep **ep_p)
{
    struct fi_info *info = ofi_lib.dupinfo(device->info);
    if (!info)
        return CW_ENOMEM;
    free(info->dest_addr);
    info->dest_addr = malloc(nbytes);
    info->dest_addrlen = nbytes;
    int rc = info->dest_addr ? 0 : CW_ENOMEM;
    if (rc == 0) {
        memcpy(info->dest_addr, addr, nbytes);
        rc = ofi_device_endpoint(device, info, context, ep_p);
    }
    ofi_lib.freeinfo(info);
    return rc;
}

void ofi_device_unstick(ofi_device_t *device)
{
    struct pollfd fd = {.fd = device->bell ? device->eq_fd : device->cq_fd, .events = POLLIN};
    uint32_t event;
    device->short_sleeps = 0;
    if (fd.fd < 0 || poll(&fd, 1, 0) != 1)
        return;
    // Readable right after a poll of the queue: stuck, or new traffic. The call reads no event; its
    // wait resets the signal.
    if (device->bell)
        (void)fi_eq_sread(device->eq, &event, NULL, 0, 1, FI_PEEK);
    else
        (void)fi_cq_sread(device->cq, NULL, 0, NULL, 1);
}

/** Counts sleeps that the descriptor for completions ended at once. */
static void watch_for_stuck(ofi_device_t *device, uint64_t slept_ns, bool ready)
{
    const uint64_t at_once_ns = 100000;
    if (ready && slept_ns < at_once_ns)
        device->short_sleeps++;
    else
        device->short_sleeps = 0;
}

/** Has a queue no descriptor to sleep on? */
static bool has_no_fd(const ofi_device_t *device)
{
    return (device->cq_fd < 0 && !device->bell) || (device->eq && device->eq_fd < 0);
}

bool ofi_device_may_block(ofi_device_t *device)
{
    struct fid *fids[2];
    int nfids = 0;
    if (device->cq_fd >= 0 || device->bell)
        fids[nfids++] = &device->cq->fid;
    if (device->eq && device->eq_fd >= 0)
        fids[nfids++] = &device->eq->fid;
    if (nfids == 0)
        return true;
    errno = 0;  // see server/msg.c
    // FI_EAGAIN: something came since the last poll; sleeping now could miss it
    return fi_trywait(device->fabric, fids, nfids) == 0;
}

/** A program that closes all descriptors above 2, as daemons do, closes those of libfabric, which
 *  then never wakes. */
static void refuse_closed(const struct pollfd *fds, nfds_t nfds)
{
    for (nfds_t i = 0; i < nfds; i++)
        if (fds[i].revents & POLLNVAL)
            cwu_fatal("file descriptor %d of libfabric (%s) is closed: the program, or a library, "
                      "has closed one that is "
                      "not its own; close all others before the job is joined",
                      fds[i].fd, ofi_choice.info->fabric_attr->prov_name);
}

/** Adds the descriptors of a device; that of completions is the first. */
static nfds_t add_fds(const ofi_device_t *device, struct pollfd *fds)
{
    nfds_t n = 0;
    if (device->cq_fd >= 0)
        fds[n++] = (struct pollfd){.fd = device->cq_fd, .events = POLLIN};
    if (device->eq && device->eq_fd >= 0)
        fds[n++] = (struct pollfd){.fd = device->eq_fd, .events = POLLIN};
    return n;
}

static void slept(ofi_device_t *device, const struct pollfd *fds, nfds_t nfds, int n,
                  uint64_t slept_ns)
{
    bool signals = n > 0 && (device->cq_fd >= 0 || device->bell), due = n <= 0 || has_no_fd(device);
    watch_for_stuck(device, slept_ns, signals && (fds[0].revents & POLLIN));
    for (nfds_t i = 0; i < nfds; i++)
        due |= fds[i].revents != 0;
    if (due)
        atomic_store_explicit(&device->is_due, true, memory_order_relaxed);
}

int ofi_devices_block(ofi_device_t *device, ofi_device_t *other, int extra_fd, uint64_t timeout_ns,
                      bool *extra_p)
{
    struct pollfd fds[5];
    // without a wait object: short naps, longer with each sleep
    const uint64_t nap_ns = 200000, naps = 20, least_ns = 50000;
    nfds_t first = add_fds(device, fds), second = other ? add_fds(other, fds + first) : 0,
           nfds = first + second;
    if (extra_p)
        *extra_p = false;
    bool blind = has_no_fd(device) || (other && has_no_fd(other));
    if (blind && timeout_ns > least_ns) {
        timeout_ns = timeout_ns / naps < nap_ns ? timeout_ns / naps : nap_ns;
        timeout_ns = timeout_ns < least_ns ? least_ns : timeout_ns;
    }
    if (extra_fd >= 0)
        fds[nfds++] = (struct pollfd){.fd = extra_fd, .events = POLLIN};
    struct timespec ts = {(time_t)(timeout_ns / 1000000000u), (long)(timeout_ns % 1000000000u)};
    uint64_t start = cwu_now_ns();
    int n = ppoll(fds, nfds, &ts, NULL);
    if (n > 0)
        refuse_closed(fds, nfds);
    slept(device, fds, first, n, cwu_now_ns() - start);
    if (other)
        slept(other, fds + first, second, n, cwu_now_ns() - start);
    if (extra_p)
        *extra_p = n > 0 && extra_fd >= 0 && fds[nfds - 1].revents;
    return n < 0 && errno != EINTR ? CW_ESYS : n != 0 || blind;
}

int ofi_device_block(ofi_device_t *device, int extra_fd, uint64_t timeout_ns, bool *extra_p)
{
    return ofi_devices_block(device, NULL, extra_fd, timeout_ns, extra_p);
}
