// SPDX-License-Identifier: BSD-3-Clause
//
// Line-wise forwarding: a line of a PE reaches oshrun's stdout or stderr in one piece. What follows
// the last newline waits; it goes out as it is when the PE closes the stream, or when it exceeds
// PARTIAL_MAX. If another PE writes next, its output begins on a new line. oshrun never blocks in
// write: output waits in a queue until poll reports that a write of that size cannot block.
// Messages of the library wait for equal ones of other PEs (collect.c).
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "collect.h"
#include "oshrun.h"

#define PARTIAL_MAX (1u << 20)
#define QUEUE_HIGH (1u << 18)

typedef struct sink {
    int fd;
    char *queue;
    size_t start, len, cap;
    // the PE whose unterminated line was queued last; NO_PE: the queue ends with a newline
    int open_line_pe;
    int error;  // of a write, or for want of memory; then nothing is taken any more
    enum { TO_FILE, TO_PIPE, TO_SOCKET, TO_TERMINAL } kind;
} sink_t;

enum { NO_PE = -1, OSHRUN = -2 };

static sink_t sinks[3] = {
    {.fd = 0}, {.fd = 1, .open_line_pe = NO_PE}, {.fd = 2, .open_line_pe = NO_PE}};
// Both point to the same sink when stdout and stderr are one file.
static sink_t *sink_of[3] = {NULL, &sinks[1], &sinks[2]};
static bool label;
static bool interactive;

static int kind_of(int fd)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return TO_FILE;
    if (S_ISFIFO(st.st_mode))
        return TO_PIPE;
    if (S_ISSOCK(st.st_mode))
        return TO_SOCKET;
    return isatty(fd) ? TO_TERMINAL : TO_FILE;
}

static bool same_file(int a, int b)
{
    struct stat x, y;
    return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino &&
           x.st_rdev == y.st_rdev;
}

void output_init(bool with_label, bool prompt_at_once)
{
    if (same_file(1, 2))
        sink_of[2] = &sinks[1];
    label = with_label;
    interactive = prompt_at_once;
    for (int i = 1; i <= 2; i++)
        sinks[i].kind = kind_of(sinks[i].fd);
}

int output_open_dir(const char *path)
{
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        die(1, "--output %s: cannot make this directory: %s", path, strerror(errno));
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        die(1, "--output %s: %s", path, strerror(errno));
    return fd;
}

int output_file(int dir_fd, int pe, int sink)
{
    char name[32];
    snprintf(name, sizeof name, "pe.%d.%s", pe, sink == 1 ? "out" : "err");
    return openat(dir_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
}

static void append(sink_t *s, const char *bytes, size_t nbytes)
{
    if (s->error)
        return;
    if (s->start && s->start + s->len + nbytes > s->cap) {
        memmove(s->queue, s->queue + s->start, s->len);
        s->start = 0;
    }
    if (s->len + nbytes > s->cap) {
        size_t cap = (s->len + nbytes) * 2;
        char *queue = realloc(s->queue, cap);
        if (!queue) {
            s->error = ENOMEM;  // better an early end than a line with a hole
            return;
        }
        s->queue = queue;
        s->cap = cap;
    }
    memcpy(s->queue + s->start + s->len, bytes, nbytes);
    s->len += nbytes;
}

// Queues `text`, which has at most one newline, as its last byte, or is several whole lines;
// `first`: it begins a line.
static void put_piece(sink_t *s, int pe, const char *text, size_t len, bool first)
{
    if (s->open_line_pe != NO_PE && (s->open_line_pe != pe || first))
        append(s, "\n", 1);
    if (label && pe >= 0 && (first || s->open_line_pe != pe)) {
        char prefix[24];
        append(s, prefix, (size_t)snprintf(prefix, sizeof prefix, "[%d] ", pe));
    }
    append(s, text, len);
    s->open_line_pe = text[len - 1] == '\n' ? NO_PE : pe;
}

/** A message of one PE or of several, with its lines. */
static void put_collected(const char *pes, const char *text, size_t len)
{
    sink_t *s = sink_of[2];
    if (s->open_line_pe != NO_PE)
        append(s, "\n", 1);
    s->open_line_pe = NO_PE;
    while (len) {
        size_t n = (size_t)((const char *)memchr(text, '\n', len) - text) + 1;
        if (label && *pes) {
            append(s, "[", 1);
            append(s, pes, strlen(pes));
            append(s, "] ", 2);
        }
        append(s, text, n);
        text += n;
        len -= n;
    }
}

void output_collect(int npes)
{
    if (collect_init(npes, put_collected) != 0)
        die(1, "out of memory for %d PEs", npes);
}

static void put_lines(sink_t *s, int pe, const char *text, size_t len)
{
    while (len) {
        // Without labels all whole lines are one piece, except the first if it may need a newline
        // before it.
        bool all = !label && s->open_line_pe == NO_PE;
        const char *newline = all ? memrchr(text, '\n', len) : memchr(text, '\n', len);
        size_t n = newline ? (size_t)(newline - text) + 1 : len;
        put_piece(s, pe, text, n, s->open_line_pe != pe);
        text += n;
        len -= n;
    }
}

/** Whole lines of a PE's standard error, the first from its beginning. */
static void put_errors(int pe, const char *text, size_t len)
{
    uint64_t now_ns = cwu_now_ns();
    const char *plain = text, *end = text + len;
    for (const char *at = text; at < end;) {
        const char *next = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;
        bool may_wait = collect_waits() || *at == 'c';
        if (may_wait && at > plain)
            put_lines(sink_of[2], pe, plain, (size_t)(at - plain));
        if (may_wait)
            plain = collect_take(pe, at, (size_t)(next - at), now_ns) ? next : at;
        at = next;
    }
    if (end > plain)
        put_lines(sink_of[2], pe, plain, (size_t)(end - plain));
}

void output_flush_partial(stream_t *stream)
{
    if (stream->len && stream->sink == 2 && collect_waits())
        collect_put_of(stream->pe);
    if (stream->len)
        put_lines(sink_of[stream->sink], stream->pe, stream->partial, stream->len);
    stream->len = 0;
}

/** Whole lines, the first of which may have begun before. */
static void take_errors(stream_t *stream, const char *text, size_t len)
{
    sink_t *s = sink_of[2];
    size_t rest = 0;
    if (stream->len || s->open_line_pe == stream->pe) {
        rest = (size_t)((const char *)memchr(text, '\n', len) - text) + 1;
        if (collect_waits())
            collect_put_of(stream->pe);
        output_flush_partial(stream);
        put_lines(s, stream->pe, text, rest);
    }
    if (rest < len)
        put_errors(stream->pe, text + rest, len - rest);
}

static void keep_partial(stream_t *stream, const char *text, size_t len)
{
    if (stream->len + len > stream->cap) {
        size_t cap = (stream->len + len) * 2;
        char *partial = realloc(stream->partial, cap);
        if (!partial) {
            output_flush_partial(stream);
            put_lines(sink_of[stream->sink], stream->pe, text, len);
            return;
        }
        stream->partial = partial;
        stream->cap = cap;
    }
    memcpy(stream->partial + stream->len, text, len);
    stream->len += len;
    if (stream->len > PARTIAL_MAX || (interactive && stream->pe == 0))
        output_flush_partial(stream);
}

void output_bytes(stream_t *stream, const char *bytes, size_t nbytes)
{
    const char *last = memrchr(bytes, '\n', nbytes);
    size_t whole = last ? (size_t)(last - bytes) + 1 : 0;
    if (whole && stream->sink == 2) {
        take_errors(stream, bytes, whole);
    } else if (whole) {
        output_flush_partial(stream);
        put_lines(sink_of[stream->sink], stream->pe, bytes, whole);
    }
    if (whole < nbytes)
        keep_partial(stream, bytes + whole, nbytes - whole);
}

void output_end(stream_t *stream)
{
    output_flush_partial(stream);
    free(stream->partial);
    stream->partial = NULL;
    stream->cap = 0;
    stream->relayed = false;
    if (stream->fd >= 0)
        close(stream->fd);
    stream->fd = -1;
}

bool output_take(stream_t *stream)
{
    static char buffer[65536];
    ssize_t n = read(stream->fd, buffer, sizeof buffer);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    if (n <= 0) {
        output_end(stream);
        return false;
    }
    output_bytes(stream, buffer, (size_t)n);
    return true;
}

bool output_congested(void)
{
    return sinks[1].len > QUEUE_HIGH || sinks[2].len > QUEUE_HIGH;
}

int output_error(void)
{
    return sinks[1].error ? sinks[1].error : sinks[2].error;
}

int output_pollfds(struct pollfd *fds)
{
    int n = 0;
    for (int i = 1; i <= 2; i++)
        if (sinks[i].len)
            fds[n++] = (struct pollfd){.fd = sinks[i].fd, .events = POLLOUT};
    return n;
}

// A write of this size does not block after POLLOUT: a pipe then has a free page, a terminal some
// room.
static ssize_t write_some(const sink_t *s)
{
    const char *from = s->queue + s->start;
    if (s->kind == TO_FILE)
        return write(s->fd, from, s->len);
    if (s->kind == TO_SOCKET)
        return send(s->fd, from, s->len, MSG_DONTWAIT | MSG_NOSIGNAL);
    struct pollfd p = {.fd = s->fd, .events = POLLOUT};
    if (poll(&p, 1, 0) <= 0) {
        errno = EAGAIN;
        return -1;
    }
    size_t room = s->kind == TO_PIPE ? PIPE_BUF : 256;
    return write(s->fd, from, s->len < room ? s->len : room);
}

void output_push(void)
{
    for (int i = 1; i <= 2; i++) {
        sink_t *s = &sinks[i];
        while (s->len) {
            ssize_t n = write_some(s);
            if (n < 0 && errno == EINTR)
                continue;
            if (n < 0 && errno == EAGAIN)
                break;
            if (n < 0) {
                s->error = errno;
                s->len = 0;
                break;
            }
            s->start += (size_t)n;
            s->len -= (size_t)n;
        }
        if (!s->len)
            s->start = 0;
    }
}

void output_drain(void)
{
    output_push();
    while (sinks[1].len || sinks[2].len) {
        struct pollfd fds[2];
        if (poll(fds, (nfds_t)output_pollfds(fds), -1) < 0 && errno != EINTR)
            return;
        output_push();
    }
}

static void vsay(const char *fmt, va_list ap)
{
    char text[1024] = "oshrun: ";
    size_t n = strlen(text);
    vsnprintf(text + n, sizeof text - n - 1, fmt, ap);
    strcat(text, "\n");
    if (collect_waits())
        collect_own(text);
    else
        put_piece(sink_of[2], OSHRUN, text, strlen(text), true);
}

void say(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsay(fmt, ap);
    va_end(ap);
    output_push();
}

void die(int status, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsay(fmt, ap);
    va_end(ap);
    collect_put_all();
    output_drain();
    exit(status);
}
