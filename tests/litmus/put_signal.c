// SPDX-License-Identifier: BSD-3-Clause
//
// Put with signal: a visible signal means visible data; set and add, blocking and not, several in
// flight, of any size, observed by waits on the signal and by waits on sets of signals. The source
// of a blocking put is reusable at once, that of the others after quiet. After a fence, signals
// arrive in order.
#include "litmus.h"

#define SLOTS 8
#define MOST (256 * 1024)

enum { COMPLETE, IN_ORDER };

static unsigned char *data, *source;           // SLOTS times MOST
static uint64_t sig[SLOTS], reply[64], chain;  // reply: by reader

static unsigned char byte_of(int slot, size_t i)
{
    return (unsigned char)((size_t)litmus_round * 11 + (size_t)slot * 5 + i * 3 + (i >> 8));
}

typedef struct plan {
    int writer, reader, how;
    bool add, nbi, in_order;
    size_t nbytes[SLOTS];
} plan_t;

static void write_all(const plan_t *p, uint64_t value)
{
    for (int s = 0; s < SLOTS; s++) {
        unsigned char *src = source + (size_t)s * MOST, *dest = data + (size_t)s * MOST;
        for (size_t i = 0; i < p->nbytes[s]; i++)
            src[i] = byte_of(s, i);
        int op = p->add ? SHMEM_SIGNAL_ADD : SHMEM_SIGNAL_SET;
        uint64_t signal = p->add ? 1 : value;
        if (p->nbi) {
            shmem_putmem_signal_nbi(dest, src, p->nbytes[s], &sig[s], signal, op, p->reader);
        } else {
            shmem_putmem_signal(dest, src, p->nbytes[s], &sig[s], signal, op, p->reader);
            memset(src, 0xA5, p->nbytes[s]);  // reusable at once
        }
        if (p->in_order)
            shmem_fence();
        jitter();
    }
    shmem_signal_add(&chain, 1, p->reader);
    shmem_signal_wait_until(&reply[p->reader % 64], SHMEM_CMP_EQ, value);
    if (p->nbi)
        shmem_quiet();
}

static void check(const plan_t *p, int s)
{
    const volatile unsigned char *at = data + (size_t)s * MOST;
    for (size_t i = 0; i < p->nbytes[s]; i++)
        if (at[i] != byte_of(s, i)) {
            forbidden("signal %d of PE %d is here, byte %zu of %zu is not (%s, %s)", s, p->writer,
                      i, p->nbytes[s], p->add ? "add" : "set", p->nbi ? "nbi" : "blocking");
            break;
        }
    saw(COMPLETE, litmus_node[p->writer] != litmus_node[p->reader]);
}

static void read_any(const plan_t *p, uint64_t value)
{
    int done[SLOTS] = {0};
    for (int n = 0; n < SLOTS; n++) {
        size_t s = shmem_uint64_wait_until_any(sig, SLOTS, done, SHMEM_CMP_EQ, value);
        check(p, (int)s);
        done[s] = 1;
    }
}

static void read_some(const plan_t *p, uint64_t value)
{
    int done[SLOTS] = {0};
    size_t which[SLOTS], n, total = 0;
    while (total < SLOTS) {
        n = shmem_uint64_test_some(sig, SLOTS, which, done, SHMEM_CMP_EQ, value);
        for (size_t k = 0; k < n; k++) {
            check(p, (int)which[k]);
            done[which[k]] = 1;
        }
        total += n;
    }
}

/** Reads the last signal first: all signals before the fences must be there. */
static void read_in_order(const plan_t *p, uint64_t value)
{
    shmem_signal_wait_until(&sig[SLOTS - 1], SHMEM_CMP_EQ, value);
    for (int s = 0; s < SLOTS; s++) {
        if (shmem_signal_fetch(&sig[s]) != value)
            forbidden("signal %d of PE %d is late behind signal %d and a fence", s, p->writer,
                      SLOTS - 1);
        check(p, s);
    }
    saw(IN_ORDER, litmus_node[p->writer] != litmus_node[p->reader]);
}

static void read_all(const plan_t *p, uint64_t value)
{
    if (p->in_order)
        read_in_order(p, value);
    else if (p->how == 0)
        read_any(p, value);
    else if (p->how == 1)
        read_some(p, value);
    else
        for (int s = SLOTS; s-- > 0;) {
            shmem_signal_wait_until(&sig[s], SHMEM_CMP_EQ, value);
            check(p, s);
        }
    shmem_signal_wait_until(&chain, SHMEM_CMP_GE, 1);
    chain = 0;
    shmem_signal_set(&reply[me % 64], value, p->writer);
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {0,    1,    8,     63,    64,    100, 129,
                                   1000, 4000, 16384, 20000, 70000, MOST};
    outcome_name[COMPLETE] = "signal with all its data";
    outcome_name[IN_ORDER] = "signals in order behind fences";
    litmus_begin("put with signal", argc, argv, 3000);
    data = shmem_malloc((size_t)SLOTS * MOST);
    source = malloc((size_t)SLOTS * MOST);
    uint64_t *turn = calloc((size_t)npes, sizeof *turn);
    shmem_barrier_all();
    for (; litmus_round < litmus_rounds; litmus_round += SLOTS) {
        int role[2];
        draw_roles(role, 2);
        plan_t p = {.writer = role[0],
                    .reader = role[1],
                    .how = (int)draw(3),
                    .add = draw(2),
                    .nbi = draw(2),
                    .in_order = draw(3) == 0};
        for (int s = 0; s < SLOTS; s++)
            p.nbytes[s] = sizes[draw(draw(8) ? 10 : 13)];
        uint64_t value = ++turn[p.reader];
        begin_round(p.writer, p.reader);
        if (me == p.writer)
            write_all(&p, value);
        if (me == p.reader)
            read_all(&p, value);
    }
    shmem_barrier_all();
    free(turn);
    free(source);
    shmem_free(data);
    return litmus_end();
}
