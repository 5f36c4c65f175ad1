// SPDX-License-Identifier: BSD-3-Clause
//
// Standard input of PE 0. A file or a pipe is inherited. A terminal is not: PE 0 is no member of
// the foreground process group, and a read from the terminal would stop it; so oshrun reads and
// forwards through a pipe.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "oshrun.h"

static int pipe_fd = -1;  // write end to PE 0, while oshrun forwards
static char buffer[4096];
static size_t start, len;

int input_open(void)
{
    if (!isatty(0))
        return 0;
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) != 0 || fcntl(fds[1], F_SETFL, O_NONBLOCK) < 0)
        die(1, "cannot create a pipe: %s", strerror(errno));
    pipe_fd = fds[1];
    return fds[0];
}

// In the background a read would stop oshrun. A shell that brings a job back sends SIGCONT only if
// the job was stopped, so the loop looks now and then.
enum { LOOK_MS = 200 };

static bool in_foreground(void)
{
    return tcgetpgrp(0) == getpgrp();
}

int input_pollfds(struct pollfd *fds)
{
    if (pipe_fd < 0)
        return 0;
    if (len)
        fds[0] = (struct pollfd){.fd = pipe_fd, .events = POLLOUT};
    else if (in_foreground())
        fds[0] = (struct pollfd){.fd = 0, .events = POLLIN};
    else
        return 0;
    return 1;
}

int input_timeout_ms(void)
{
    return pipe_fd >= 0 && !len && !in_foreground() ? LOOK_MS : -1;
}

static void stop(void)
{
    close(pipe_fd);
    pipe_fd = -1;
}

void input_move(const struct pollfd *fd)
{
    if (pipe_fd < 0 || !fd->revents)
        return;
    ssize_t n;
    if (fd->fd == 0) {
        n = read(0, buffer, sizeof buffer);
        if (n > 0) {
            start = 0;
            len = (size_t)n;
        }
    } else {
        n = write(pipe_fd, buffer + start, len);
        if (n > 0) {
            start += (size_t)n;
            len -= (size_t)n;
        }
    }
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        stop();  // end of input, or PE 0 has closed its end
}
