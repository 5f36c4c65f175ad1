// SPDX-License-Identifier: BSD-3-Clause
/*
 * What messages cost that are written directly against libfabric: fi_inject (fi_send above the
 * inject limit) on one side, posted receives on the other, both polling. Lines carry the names of
 * the active-message lines they stand beside (am.c).
 *   short_round_trip      8 B there and back over one connection
 *   short_round_trip_two  the same over a connection each way, as between two initiators and two
 *                         passive servers
 *   short, medium         floods; the last message of a window gets a reply, inside the clock
 */
#define _GNU_SOURCE
#include "fabric.h"

#include <rdma/fi_errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BUFFERS = 64, BUFFER = 4096, SHORT = 8, SENDING = 64, WINDOW = 256 };
enum { FLOOD = 1, REPLY, STOP };

struct op {
    struct fi_context2 context;  // first: the provider writes here
    struct op *next;             // of the free ones that send
    int is_receive;
    char *buf;
};

struct half {
    struct fabric f;
    struct op ops[BUFFERS + SENDING], *idle;
    uint64_t got[STOP + 1];  // messages of each kind
};

struct pair {
    struct half *out, *in;  // one and the same, but for two connections
    size_t nbytes;
};

static void post(struct half *h, struct op *op)
{
    ssize_t ret;
    while ((ret = fi_recv(h->f.ep, op->buf, BUFFER, h->f.desc, FI_ADDR_UNSPEC, &op->context)) ==
           -FI_EAGAIN)
        ;
    fabric_check(ret, "fi_recv");
}

static void poll_messages(struct half *h)
{
    struct fi_cq_entry entry[16];
    ssize_t n = fi_cq_read(h->f.cq, entry, 16);
    if (n != -FI_EAGAIN)
        fabric_check(n, "fi_cq_read");
    for (ssize_t i = 0; i < n; i++) {
        struct op *op = entry[i].op_context;
        if (op->is_receive) {
            h->got[*(uint64_t *)(void *)op->buf]++;
            post(h, op);
        } else {
            op->next = h->idle;
            h->idle = op;
        }
    }
}

static void poll_both(struct pair *p)
{
    poll_messages(p->in);
    if (p->out != p->in)
        poll_messages(p->out);
}

static void send_message(struct pair *p, uint64_t kind, size_t nbytes)
{
    struct half *h = p->out;
    struct op *op = NULL;
    uint64_t small[SHORT / sizeof(uint64_t)] = {kind};
    ssize_t ret;
    do {
        ret = -FI_EAGAIN;
        if (nbytes <= sizeof small) {
            ret = fi_inject(h->f.ep, small, sizeof small, h->f.peer);
        } else if (op || (op = h->idle)) {
            if (op == h->idle) {
                h->idle = op->next;
                memcpy(op->buf, &kind, sizeof kind);
            }
            ret = fi_send(h->f.ep, op->buf, nbytes, h->f.desc, h->f.peer, &op->context);
        }
        if (ret == -FI_EAGAIN)
            poll_messages(h);
    } while (ret == -FI_EAGAIN);
    fabric_check(ret, "a message");
}

static void await(struct pair *p, uint64_t kind, uint64_t count)
{
    while (p->in->got[kind] < count)
        poll_messages(p->in);
}

static void round_trips(void *ctx, size_t count)
{
    struct pair *p = ctx;
    while (count--) {
        uint64_t replies = p->in->got[REPLY] + 1;
        send_message(p, REPLY, SHORT);
        await(p, REPLY, replies);
    }
}

static void flood(void *ctx, size_t count)
{
    struct pair *p = ctx;
    uint64_t replies = p->in->got[REPLY] + 1;
    while (--count)
        send_message(p, FLOOD, p->nbytes);
    send_message(p, REPLY, p->nbytes);
    await(p, REPLY, replies);
}

static void serve(struct pair *p)
{
    for (uint64_t replied = 0; !p->in->got[STOP];) {
        poll_both(p);
        for (; replied < p->in->got[REPLY]; replied++)
            send_message(p, REPLY, SHORT);
    }
}

static void open_half(struct half *h, const struct bench_opts *opts, struct fabric_meet *meet,
                      int side)
{
    fabric_open(&h->f, opts, meet, side, (size_t)(BUFFERS + SENDING) * BUFFER);
    for (int i = 0; i < BUFFERS + SENDING; i++) {
        struct op *op = &h->ops[i];
        op->buf = h->f.mem + (size_t)i * BUFFER;
        op->is_receive = i < BUFFERS;
        if (op->is_receive) {
            post(h, op);
        } else {
            op->next = h->idle;
            h->idle = op;
        }
    }
}

// meet[0]: from the sender to the server; meet[1], with two connections: back.
static struct pair open_pair(const struct bench_opts *opts, struct fabric_meet meet[2], int server)
{
    static struct half halves[2];
    struct pair p = {.out = &halves[0], .in = &halves[0]};
    open_half(&halves[0], opts, &meet[0], server);
    if (opts->mode == 1) {
        open_half(&halves[1], opts, &meet[1], !server);
        if (server)
            p.out = &halves[1];
        else
            p.in = &halves[1];
    }
    return p;
}

static void measure(struct bench_opts *opts, struct pair *p)
{
    static const size_t sizes[] = {SHORT, 512, 3968};
    struct bench_series series = {0};
    opts->budget_ms *= 4;
    if (bench_wants(opts, "short_round_trip")) {
        bench_measure(opts, round_trips, NULL, p, &series);
        bench_emit(opts, "am", opts->mode == 1 ? "short_round_trip_two" : "short_round_trip", 0,
                   "ns", &series);
    }
    opts->budget_ms /= 2;
    for (size_t i = 0; opts->mode == 0 && i < sizeof sizes / sizeof sizes[0]; i++) {
        const char *op = i ? "medium_flood" : "short_flood";
        if (!bench_wants(opts, op))
            continue;
        p->nbytes = sizes[i];
        bench_measure_batch(opts, flood, NULL, p, WINDOW, &series);
        bench_emit(opts, "am", op, i ? sizes[i] : 0, "ns", &series);
    }
}

int main(int argc, char **argv)
{
    struct bench_opts opts;
    bench_parse(argc, argv, &opts);
    struct fabric_meet *meet =
        mmap(NULL, 2 * sizeof *meet, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (meet == MAP_FAILED) {
        perror("raw_messages: mmap");
        return 1;
    }
    pid_t child = fork();
    if (child < 0) {
        perror("raw_messages: fork");
        return 1;
    }
    bench_pin(child == 0);
    if (child == 0)
        alarm(600);  // ends the poll if the sender dies
    struct pair p = open_pair(&opts, meet, child == 0);
    if (child == 0) {
        serve(&p);
        _exit(0);
    }
    measure(&opts, &p);
    send_message(&p, STOP, SHORT);
    while (waitpid(child, NULL, WNOHANG) == 0)  // then it sees the end of the connection
        fi_cq_read(p.out->f.cq, NULL, 0);
    return 0;
}
