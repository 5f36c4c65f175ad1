// SPDX-License-Identifier: BSD-3-Clause
//
// Fence across sizes and paths: data of 1 byte to 1 MiB by every way of storing, a fence, a middle
// word by another way, a fence, a flag by a third: a reader that sees the flag must see middle and
// data. On the default context, and on one of its own where the library provides one. The reader
// lets each round begin, and replies.
#include "litmus.h"

#define MOST (1 << 20)

enum { ALL_THERE, LARGE };
enum { PUT, PUT_NBI, P_LOOP, IPUT, AMO_LOOP, SIGNALLED, STORE, DATA_PATHS };
enum { W_P, W_PUT, W_NBI, W_SET, W_ADD, W_IPUT, W_SIGNAL_SET, W_SIGNAL_ADD, W_STORE, WORD_PATHS };

static unsigned char *data, *source;  // symmetric; private
static uint64_t middle[WORD_PATHS], flag[WORD_PATHS], extra;
static uint64_t reply[64];  // by writer
static shmem_ctx_t ctx;

static unsigned char byte_of(size_t i, long round)
{
    return (unsigned char)(i * 7 + (size_t)round * 13 + (i >> 8) * 3);
}

static size_t draw_size(void)
{
    static const size_t odd[] = {1,   2,   3,   4,    7,    8,    16,    31,    64,   100,
                                 128, 129, 256, 1000, 4096, 8192, 16384, 16385, 40000};
    uint32_t which = draw(64);
    if (which == 0)
        return MOST;
    if (which < 4)
        return 65536 + draw(300000);
    return odd[draw(sizeof odd / sizeof odd[0])];
}

static void store_data(int path, size_t nbytes, int pe)
{
    unsigned char *direct = shmem_ptr(data, pe);
    switch (path) {
    case P_LOOP:
        for (size_t i = 0; i < nbytes; i++)
            shmem_ctx_uchar_p(ctx, &data[i], source[i], pe);
        return;
    case IPUT:
        shmem_ctx_uchar_iput(ctx, data, source, 1, 1, nbytes, pe);
        return;
    case AMO_LOOP:
        for (size_t i = 0; i < nbytes; i += 4) {
            uint32_t word;
            memcpy(&word, source + i, 4);
            shmem_ctx_uint32_atomic_set(ctx, (uint32_t *)(void *)(data + i), word, pe);
        }
        return;
    case SIGNALLED:
        shmem_ctx_putmem_signal_nbi(ctx, data, source, nbytes, &extra, 1, SHMEM_SIGNAL_SET, pe);
        return;
    case PUT_NBI:
        shmem_ctx_putmem_nbi(ctx, data, source, nbytes, pe);
        return;
    case STORE:
        if (direct) {
            for (size_t i = 0; i < nbytes; i++)
                direct[i] = source[i];
            return;
        }
        // fall through
    default:
        shmem_ctx_putmem(ctx, data, source, nbytes, pe);
    }
}

/** Changes the word to `value`, which is one more than before. `from` stays valid until the round's
 *  quiet. */
static void store_word(uint64_t *word, int path, uint64_t value, const uint64_t *from, int pe)
{
    uint64_t *direct = shmem_ptr(word, pe);
    switch (path) {
    case W_PUT:
        shmem_ctx_uint64_put(ctx, word, from, 1, pe);
        return;
    case W_NBI:
        shmem_ctx_uint64_put_nbi(ctx, word, from, 1, pe);
        return;
    case W_SET:
        shmem_ctx_uint64_atomic_set(ctx, word, value, pe);
        return;
    case W_ADD:
        shmem_ctx_uint64_atomic_add(ctx, word, 1, pe);
        return;
    case W_IPUT:
        shmem_ctx_uint64_iput(ctx, word, from, 1, 1, 1, pe);
        return;
    case W_SIGNAL_SET:
        shmem_ctx_signal_set(ctx, word, value, pe);
        return;
    case W_SIGNAL_ADD:
        shmem_ctx_signal_add(ctx, word, 1, pe);
        return;
    case W_STORE:
        if (direct) {
            __atomic_store_n(direct, value, __ATOMIC_RELAXED);
            return;
        }
        // fall through
    default:
        shmem_ctx_uint64_p(ctx, word, value, pe);
    }
}

typedef struct round_plan {
    int writer, reader, data_path, middle_path, flag_path;
    size_t nbytes;
    uint64_t value;  // of middle and flag: the number of the round at this reader
} round_plan_t;

static void write_round(const round_plan_t *p)
{
    uint64_t from = p->value;
    for (size_t i = 0; i < p->nbytes; i++)
        source[i] = byte_of(i, litmus_round);
    store_data(p->data_path, p->nbytes, p->reader);
    shmem_ctx_fence(ctx);
    jitter();
    store_word(&middle[p->middle_path], p->middle_path, p->value, &from, p->reader);
    shmem_ctx_fence(ctx);
    store_word(&flag[p->flag_path], p->flag_path, p->value, &from, p->reader);
    shmem_signal_wait_until(&reply[p->reader % 64], SHMEM_CMP_EQ, p->value);
    shmem_ctx_quiet(ctx);  // source and from may be reused
}

static void read_round(const round_plan_t *p)
{
    shmem_uint64_wait_until(&flag[p->flag_path], SHMEM_CMP_EQ, p->value);
    if (*(volatile uint64_t *)&middle[p->middle_path] != p->value)
        forbidden("from PE %d: flag (way %d) before the middle word (way %d)", p->writer,
                  p->flag_path, p->middle_path);
    for (size_t i = 0; i < p->nbytes; i++)
        if (((volatile unsigned char *)data)[i] != byte_of(i, litmus_round)) {
            forbidden("from PE %d: flag (way %d) before byte %zu of %zu (way %d, middle by way %d)",
                      p->writer, p->flag_path, i, p->nbytes, p->data_path, p->middle_path);
            break;
        }
    saw(p->nbytes > 16384 ? LARGE : ALL_THERE, litmus_node[p->writer] != litmus_node[p->reader]);
    shmem_signal_set(&reply[me % 64], p->value, p->writer);
}

/** A word's next value must not depend on the way that it took the last time: all ways of a reader
 *  count together. */
static void level(const round_plan_t *p)
{
    for (int i = 0; i < WORD_PATHS; i++)
        middle[i] = flag[i] = p->value;
}

int main(int argc, char **argv)
{
    outcome_name[ALL_THERE] = "flag, middle and data (up to 16 KiB)";
    outcome_name[LARGE] = "flag, middle and data (more)";
    litmus_begin("fence across paths", argc, argv, 3000);
    data = shmem_align(64, MOST + 64);
    source = malloc(MOST + 64);
    if (shmem_ctx_create(0, &ctx) != 0)
        ctx = SHMEM_CTX_DEFAULT;
    shmem_ctx_t other = ctx;
    uint64_t *turn = calloc((size_t)npes, sizeof *turn);
    shmem_barrier_all();
    for (; litmus_round < litmus_rounds; litmus_round++) {
        int role[2];
        draw_roles(role, 2);
        round_plan_t p = {.writer = role[0],
                          .reader = role[1],
                          .data_path = (int)draw(DATA_PATHS),
                          .middle_path = (int)draw(WORD_PATHS),
                          .flag_path = (int)draw(WORD_PATHS),
                          .nbytes = draw_size(),
                          .value = ++turn[role[1]]};
        if ((p.data_path == P_LOOP || p.data_path == AMO_LOOP) && p.nbytes > 256)
            p.nbytes = 256;
        if (p.data_path == AMO_LOOP)
            p.nbytes = (p.nbytes + 3) / 4 * 4;
        ctx = draw(2) ? other : SHMEM_CTX_DEFAULT;
        begin_round(p.writer, p.reader);
        if (me == p.writer)
            write_round(&p);
        if (me == p.reader) {
            read_round(&p);
            level(&p);
        }
    }
    shmem_barrier_all();
    if (other != SHMEM_CTX_DEFAULT)
        shmem_ctx_destroy(other);
    free(turn);
    free(source);
    shmem_free(data);
    return litmus_end();
}
