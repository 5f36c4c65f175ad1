// SPDX-License-Identifier: BSD-3-Clause
//
// The descriptors of the standard streams, and the flush of output at the end of the job.
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/futex.h"
#include "base/wait.h"

void cwu_open_standard_files(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
            continue;
        int opened = open("/dev/null", O_RDWR);  // the lowest number that is free, which is fd
        if (opened > STDERR_FILENO)              // another thread has taken that
            close(opened);
    }
}

static _Atomic uint32_t flushed;  // futex

static void (*_Atomic flush_more)(void);

static void *flush_all(void *arg)
{
    (void)arg;
    void (*more)(void) = atomic_load(&flush_more);
    fflush(NULL);
    if (more)
        more();
    atomic_store(&flushed, 1);
    cwu_futex_wake((uint32_t *)&flushed, 1);
    return NULL;
}

bool cwu_flush_output(void (*more)(void))
{
    pthread_t thread;
    atomic_store(&flushed, 0);
    atomic_store(&flush_more, more);
    if (pthread_create(&thread, NULL, flush_all, NULL))
        return false;
    pthread_detach(thread);
    uint64_t start = cwu_now_ns();
    for (uint64_t waited = 0; !atomic_load(&flushed) && waited < CWU_WAIT_NS(SECOND);
         waited = cwu_now_ns() - start)
        cwu_futex_wait((uint32_t *)&flushed, 0, CWU_WAIT_NS(SECOND) - waited);
    return atomic_load(&flushed);
}

/** Is it a pipe with bytes that no process has read? */
static bool is_unread(int fd)
{
    struct stat st;
    int nbytes = 0;
    return fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode) && ioctl(fd, FIONREAD, &nbytes) == 0 &&
           nbytes > 0;
}

void cwu_await_output_read(void)
{
    const uint64_t limit_ns = cwu_now_ns() + CWU_WAIT_NS(SECOND);
    while ((is_unread(STDOUT_FILENO) || is_unread(STDERR_FILENO)) && cwu_now_ns() < limit_ns)
        cwu_sleep_ns(CWU_WAIT_NS(LISTEN));
}
