// SPDX-License-Identifier: BSD-3-Clause
//
// Lanes: fabric, domain, completion queue, and what the endpoint mode needs besides.
#include "ofi.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

bool ofi_no_files(void)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (fd >= 0)
        close(fd);
    return fd < 0 && (errno == EMFILE || errno == ENFILE);
}

bool ofi_out_of_files(void)
{
    if (!ofi_no_files())
        return false;
    struct rlimit lim = {0, 0};
    getrlimit(RLIMIT_NOFILE, &lim);
    cwu_error("out of file descriptors: %s allows %llu, and each connection takes one; raise it "
              "(ulimit -n), or use "
              "fewer PEs a node, or CAUSEWAY_ENDPOINT=rdm",
              errno == ENFILE ? "the system" : "this process", (unsigned long long)lim.rlim_cur);
    return true;
}

static int failed(const char *what, int rc)
{
    if (!ofi_out_of_files())
        cwu_error("libfabric (%s): %s failed: %s", ofi_choice.info->fabric_attr->prov_name, what,
                  ofi_reason(rc));
    return ofi_errno_to_cw(rc) == CW_EAGAIN ? CW_ESYS : ofi_errno_to_cw(rc);
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

static int open_cq(ofi_lane_t *lane, size_t entries, bool roomy)
{
    struct fi_cq_attr attr = {.format = FI_CQ_FORMAT_DATA, .wait_obj = FI_WAIT_FD, .size = entries};
    bool naps = roomy && ((ofi_choice.msg && provider_is("tcp")) || provider_is("net"));
    int rc = naps || lane->bell ? -FI_ENOSYS : fi_cq_open(lane->domain, &attr, &lane->cq, NULL);
    if (rc == 0) {
        lane->cq_fd = wait_fd_of(&lane->cq->fid);
        return 0;
    }
    attr.wait_obj = FI_WAIT_NONE;  // no way to sleep on it: waiting naps instead
    rc = fi_cq_open(lane->domain, &attr, &lane->cq, NULL);
    return rc == 0 ? 0 : failed("opening a completion queue", rc);
}

/** Over net of libfabric 1.17 (tcp from 1.18 on) completions set a signal on their queue's own
 *  descriptor that only a sleeping call resets, so it says nothing from the first one on. An event
 *  queue's descriptor becomes readable with every socket of its fabric, and only connection events
 *  set its own signal: that one is slept on, and signals cost nothing. */
static int open_eq(ofi_lane_t *lane, bool roomy)
{
    struct fi_eq_attr attr = {.wait_obj = FI_WAIT_FD, .size = 64};
    int rc =
        roomy && provider_is("net") ? -FI_ENOSYS : fi_eq_open(lane->fabric, &attr, &lane->eq, NULL);
    if (rc == 0) {
        lane->eq_fd = wait_fd_of(&lane->eq->fid);
        lane->bell = provider_is("net") && lane->eq_fd >= 0;
        return 0;
    }
    attr.wait_obj = FI_WAIT_NONE;
    rc = fi_eq_open(lane->fabric, &attr, &lane->eq, NULL);
    return rc == 0 ? 0 : failed("opening an event queue", rc);
}

static int open_rdm(ofi_lane_t *lane)
{
    struct fi_av_attr attr = {.type = lane->info->domain_attr->av_type};
    int rc = fi_av_open(lane->domain, &attr, &lane->av, NULL);
    if (rc != 0)
        return failed("opening an address vector", rc);
    rc = ofi_lane_endpoint(lane, lane->info, NULL, &lane->ep);
    if (rc != 0)
        ofi_out_of_files();
    return rc;
}

int ofi_lane_open(ofi_lane_t *lane, struct fi_info *info, size_t cq_entries, bool roomy)
{
    memset(lane, 0, sizeof *lane);
    lane->cq_fd = lane->eq_fd = -1;
    lane->info = info;
    int rc = ofi_lib.fabric(info->fabric_attr, &lane->fabric, NULL);
    if (rc != 0)
        return failed("opening the fabric", rc);
    rc = fi_domain(lane->fabric, info, &lane->domain, NULL);
    if (rc != 0) {
        lane->domain = NULL;
        rc = failed("opening a domain", rc);
    } else if (ofi_choice.msg || (provider_is("net") && !roomy)) {
        rc = open_eq(lane, roomy);
    }
    if (rc == 0)
        rc = open_cq(lane, cq_entries, roomy);
    if (rc == 0 && !ofi_choice.msg)
        rc = open_rdm(lane);
    if (rc != 0)
        ofi_lane_close(lane);
    return rc;
}

void ofi_lane_close(ofi_lane_t *lane)
{
    struct fid *fids[] = {
        lane->ep ? &lane->ep->fid : NULL,         lane->av ? &lane->av->fid : NULL,
        lane->eq ? &lane->eq->fid : NULL,         lane->cq ? &lane->cq->fid : NULL,
        lane->domain ? &lane->domain->fid : NULL, lane->fabric ? &lane->fabric->fid : NULL};
    for (size_t i = 0; i < sizeof fids / sizeof fids[0]; i++) {
        int rc = fids[i] ? fi_close(fids[i]) : 0;
        if (rc != 0)
            cwu_debug("libfabric: closing part %zu of a lane: %s", i, ofi_reason(rc));
    }
    memset(lane, 0, sizeof *lane);
    lane->cq_fd = lane->eq_fd = -1;
}

int ofi_lane_endpoint(ofi_lane_t *lane, struct fi_info *info, void *context, struct fid_ep **ep_p)
{
    struct fid_ep *ep;
    int rc = fi_endpoint(lane->domain, info, &ep, context);
    if (rc != 0)
        return ofi_no_files() ? CW_ESYS : failed("opening an endpoint", rc);
    rc = ofi_choice.msg ? fi_ep_bind(ep, &lane->eq->fid, 0) : 0;
    if (rc == 0 && lane->av)
        rc = fi_ep_bind(ep, &lane->av->fid, 0);
    if (rc == 0)
        rc = fi_ep_bind(ep, &lane->cq->fid, FI_TRANSMIT | FI_RECV);
    if (rc == 0)
        rc = fi_enable(ep);
    if (rc != 0) {
        rc = failed("enabling an endpoint", rc);
        fi_close(&ep->fid);
        return rc;
    }
    lane->endpoints++;
    *ep_p = ep;
    return 0;
}

void ofi_lane_unstick(ofi_lane_t *lane)
{
    struct pollfd fd = {.fd = lane->bell ? lane->eq_fd : lane->cq_fd, .events = POLLIN};
    uint32_t event;
    lane->short_sleeps = 0;
    if (fd.fd < 0 || poll(&fd, 1, 0) != 1)
        return;
    // Readable right after a poll of the queue: stuck, or traffic of this very moment. Nothing is
    // taken; all the call does is to wait, which resets the signal.
    if (lane->bell)
        (void)fi_eq_sread(lane->eq, &event, NULL, 0, 1, FI_PEEK);
    else
        (void)fi_cq_sread(lane->cq, NULL, 0, NULL, 1);
}

/** Counts sleeps that the descriptor for completions ended at once. */
static void watch_for_stuck(ofi_lane_t *lane, uint64_t slept_ns, bool ready)
{
    const uint64_t at_once_ns = 100000;
    if (ready && slept_ns < at_once_ns)
        lane->short_sleeps++;
    else
        lane->short_sleeps = 0;
}

/** Has a queue no descriptor to sleep on? */
static bool deaf(const ofi_lane_t *lane)
{
    return (lane->cq_fd < 0 && !lane->bell) || (lane->eq && lane->eq_fd < 0);
}

bool ofi_lane_may_block(ofi_lane_t *lane)
{
    struct fid *fids[2];
    int nfids = 0;
    if (lane->cq_fd >= 0 || lane->bell)
        fids[nfids++] = &lane->cq->fid;
    if (lane->eq && lane->eq_fd >= 0)
        fids[nfids++] = &lane->eq->fid;
    if (nfids == 0)
        return true;
    errno = 0;  // see server_msg.c
    // FI_EAGAIN: something came since the last poll; sleeping now could miss it
    return fi_trywait(lane->fabric, fids, nfids) == 0;
}

/** Who closes all descriptors above 2, as daemons do, closes those of libfabric, which then waits
 *  for nothing. */
static void refuse_closed(const struct pollfd *fds, nfds_t nfds)
{
    for (nfds_t i = 0; i < nfds; i++)
        if (fds[i].revents & POLLNVAL)
            cwu_fatal("file descriptor %d of libfabric (%s) is closed: the program, or a library, "
                      "has closed one that is "
                      "not its own; close all others before the job is joined",
                      fds[i].fd, ofi_choice.info->fabric_attr->prov_name);
}

int ofi_lane_block(ofi_lane_t *lane, int extra_fd, uint64_t timeout_ns, bool *extra_p)
{
    struct pollfd fds[3];
    nfds_t nfds = 0;
    const uint64_t nap_ns = 200000, naps = 20;  // without a wait object: longer ones from sleep to
                                                // sleep
    if (lane->cq_fd >= 0)
        fds[nfds++] = (struct pollfd){.fd = lane->cq_fd, .events = POLLIN};
    if (lane->eq && lane->eq_fd >= 0)
        fds[nfds++] = (struct pollfd){.fd = lane->eq_fd, .events = POLLIN};
    if (extra_p)
        *extra_p = false;
    if (deaf(lane))
        timeout_ns = timeout_ns / naps < nap_ns ? timeout_ns / naps : nap_ns;
    if (extra_fd >= 0)
        fds[nfds++] = (struct pollfd){.fd = extra_fd, .events = POLLIN};
    struct timespec ts = {(time_t)(timeout_ns / 1000000000u), (long)(timeout_ns % 1000000000u)};
    uint64_t start = cwu_now_ns();
    int n = ppoll(fds, nfds, &ts, NULL);
    if (n > 0)
        refuse_closed(fds, nfds);
    bool tells = n > 0 && (lane->cq_fd >= 0 || lane->bell);  // then the first descriptor does
    watch_for_stuck(lane, cwu_now_ns() - start, tells && (fds[0].revents & POLLIN));
    if (extra_p)
        *extra_p = n > 0 && extra_fd >= 0 && fds[nfds - 1].revents;
    return n < 0 && errno != EINTR ? CW_ESYS : 0;
}
