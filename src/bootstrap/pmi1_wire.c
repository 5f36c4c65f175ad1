// SPDX-License-Identifier: BSD-3-Clause
//
// Lines to and from a PMI-1 launcher (pmi1_wire.h).
#include "bootstrap/pmi1_wire.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/env.h"
#include "base/error.h"

static noreturn void launcher_gone(const char *doing)
{
    // The job cannot be ended through the launcher; the other PEs see the same and end too.
    cwu_error("the launcher is gone (%s); ending", doing);
    _exit(1);
}

void pmi1_send(pmi1_wire_t *w, const char *line)
{
    size_t left = strlen(line);
    while (left) {
        ssize_t n = send(w->fd, line, left, MSG_NOSIGNAL);
        if (n < 0 && errno == ENOTSOCK)
            n = write(w->fd, line, left);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN) {
            struct pollfd p = {.fd = w->fd, .events = POLLOUT};
            poll(&p, 1, 100);
            continue;
        }
        if (n < 0)
            launcher_gone(strerror(errno));
        line += n;
        left -= (size_t)n;
    }
}

// Waits for bytes; returns whether there are any.
static bool readable(const pmi1_wire_t *w, int timeout_ms)
{
    struct pollfd p = {.fd = w->fd, .events = POLLIN};
    return poll(&p, 1, timeout_ms) > 0;
}

static void receive(pmi1_wire_t *w)
{
    ssize_t n = read(w->fd, w->in + w->in_nbytes, sizeof w->in - w->in_nbytes);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (n <= 0)
        launcher_gone(n == 0 ? "it closed the connection" : strerror(errno));
    w->in_nbytes += (size_t)n;
}

// Takes one line off the buffer, without its newline.
static bool take_line(pmi1_wire_t *w, char line[PMI1_LINE_MAX])
{
    char *end = memchr(w->in, '\n', w->in_nbytes);
    if (!end)
        return false;
    size_t n = (size_t)(end - w->in);
    memcpy(line, w->in, n);
    line[n] = '\0';
    w->in_nbytes -= n + 1;
    memmove(w->in, end + 1, w->in_nbytes);
    return true;
}

static bool is_command(const char *line, const char *name)
{
    char command[64];
    return pmi1_field(line, "cmd", command, sizeof command) >= 0 && !strcmp(command, name);
}

static int await_reply(pmi1_wire_t *w, const char *expect, char line[PMI1_LINE_MAX])
{
    uint64_t limit_ns = cwu_now_ns() + (uint64_t)cwu_env.timeout * 1000 * CWU_MS;
    for (;;) {
        while (take_line(w, line)) {
            if (is_command(line, expect))
                return 0;
            if (!is_command(line, "barrier_out")) {
                cwu_error("the launcher replied \"%.200s\" where %s was due", line, expect);
                return CW_EPROTO;
            }
            w->fence_done = true;
        }
        if (w->in_nbytes == sizeof w->in) {
            cwu_error("the launcher sent a line of more than %d characters", PMI1_LINE_MAX - 1);
            return CW_EPROTO;
        }
        if (cwu_now_ns() >= limit_ns) {
            cwu_error("the launcher did not reply in %ld s (CAUSEWAY_TIMEOUT; %s was due)",
                      cwu_env.timeout, expect);
            return CW_ETIMEOUT;
        }
        if (readable(w, 100))
            receive(w);
    }
}

int pmi1_ask(pmi1_wire_t *w, const char *line, const char *expect, char reply[PMI1_LINE_MAX])
{
    pthread_mutex_lock(&w->lock);
    pmi1_send(w, line);
    int rc = await_reply(w, expect, reply);
    pthread_mutex_unlock(&w->lock);
    return rc;
}

/** Reads what has arrived, without waiting. Returns whether the fence is complete, or an error
 *  (reported). */
static int look_for_fence(pmi1_wire_t *w, bool *done_p)
{
    char line[PMI1_LINE_MAX];
    int rc = 0;
    pthread_mutex_lock(&w->lock);
    if (!w->fence_done && readable(w, 0))
        receive(w);
    while (rc == 0 && take_line(w, line)) {
        if (is_command(line, "barrier_out")) {
            w->fence_done = true;
        } else {
            cwu_error("the launcher replied \"%.200s\" where barrier_out was due", line);
            rc = CW_EPROTO;
        }
    }
    *done_p = w->fence_done;
    pthread_mutex_unlock(&w->lock);
    return rc;
}

bool pmi1_fence_is_over(pmi1_wire_t *w)
{
    bool done = false;
    return look_for_fence(w, &done) == 0 && done;
}

// The lock is not held during the sleep: another thread may get a key meanwhile, and read the reply
// to this fence.
int pmi1_await_fence(pmi1_wire_t *w)
{
    uint64_t limit_ns = cwu_now_ns() + (uint64_t)cwu_env.timeout * 1000 * CWU_MS;
    for (;;) {
        bool done = false;
        int rc = look_for_fence(w, &done);
        if (rc || done)
            return rc;
        if (cwu_now_ns() >= limit_ns) {
            cwu_error("not all PEs reached the start-up fence in %ld s (CAUSEWAY_TIMEOUT)",
                      cwu_env.timeout);
            return CW_ETIMEOUT;
        }
        readable(w, 100);
    }
}

int pmi1_field(const char *reply, const char *name, char *value, size_t capacity)
{
    size_t len = strlen(name);
    for (const char *p = reply; *p;) {
        p += strspn(p, " ");
        size_t n = strcspn(p, " ");
        if (n > len && !strncmp(p, name, len) && p[len] == '=') {
            size_t nvalue = n - len - 1;
            if (nvalue >= capacity)
                return -1;
            memcpy(value, p + len + 1, nvalue);
            value[nvalue] = '\0';
            return (int)nvalue;
        }
        p += n;
    }
    return -1;
}

bool pmi1_is_hung_up(const pmi1_wire_t *w)
{
    struct pollfd p = {.fd = w->fd, .events = POLLRDHUP};
    return poll(&p, 1, 0) > 0 && p.revents & (POLLHUP | POLLRDHUP | POLLERR);
}

void pmi1_await_end(const pmi1_wire_t *w, int timeout_ms)
{
    char ignored[256];
    uint64_t limit_ns = cwu_now_ns() + (uint64_t)timeout_ms * CWU_MS;
    while (cwu_now_ns() < limit_ns)
        if (readable(w, 50) && read(w->fd, ignored, sizeof ignored) <= 0)
            return;
}
