// SPDX-License-Identifier: BSD-3-Clause
//
// Quiet completes everything: non-blocking puts and gets, strided puts, atomics, and the values
// that non-blocking atomics fetch. Each round a PE issues a random mix to random PEs, quiets, and
// checks: gets and fetched values itself, at once; puts and atomics by a witness, another PE which
// reads them after a notification by an unordered store.
#include "litmus.h"

#define OPS 12
#define LENGTH 4096

enum { FETCHED, GOT, SEEN_BY_WITNESS };
enum { PUT_NBI, GET_NBI, IPUT, SET, FETCH_ADD_NBI, SWAP_NBI, FETCH_NBI, P, KINDS };

typedef struct op {
    int kind, pe;
    size_t n;
    long result[LENGTH], source[LENGTH];
    uint64_t fetched;
} op_t;

static long *target[OPS];      // [npes * LENGTH]: a block for each writer
static uint64_t *words;        // [npes * OPS]: of each writer
static long readable[LENGTH];  // the source of gets: (pe, index)
static uint64_t notified[64], seen[64];
static op_t *ops;

static uint64_t *word(int writer, int k)
{
    return &words[(size_t)writer * OPS + (size_t)k];
}

static long *block(int writer, int k)
{
    return target[k] + (size_t)writer * LENGTH;
}

static long value_of(int writer, int k, size_t i)
{
    return litmus_round * 1000003 + writer * 10007 + k * 101 + (long)i;
}

static void issue(op_t *o, int writer, int k, uint64_t before)
{
    for (size_t i = 0; i < o->n; i++) {
        o->source[i] = value_of(writer, k, i);
        o->result[i] = -1;
    }
    o->fetched = UINT64_MAX;
    switch (o->kind) {
    case PUT_NBI:
        shmem_long_put_nbi(block(writer, k), o->source, o->n, o->pe);
        break;
    case GET_NBI:
        shmem_long_get_nbi(o->result, readable, o->n, o->pe);
        break;
    case IPUT:
        shmem_long_iput(block(writer, k), o->source, 1, 1, o->n, o->pe);
        break;
    case SET:
        shmem_uint64_atomic_set(word(writer, k), before + 1, o->pe);
        break;
    case FETCH_ADD_NBI:
        shmem_uint64_atomic_fetch_add_nbi(&o->fetched, word(writer, k), 1, o->pe);
        break;
    case SWAP_NBI:
        shmem_uint64_atomic_swap_nbi(&o->fetched, word(writer, k), before + 1, o->pe);
        break;
    case FETCH_NBI:
        shmem_uint64_atomic_fetch_nbi(&o->fetched, word(writer, k), o->pe);
        break;
    default:
        for (size_t i = 0; i < o->n && i < 8; i++)
            shmem_long_p(block(writer, k) + i, o->source[i], o->pe);
    }
}

static void look(const op_t *o, int writer, int k, uint64_t before)
{
    bool remote = litmus_node[o->pe] != litmus_node[writer];
    if (o->kind == FETCH_ADD_NBI || o->kind == SWAP_NBI || o->kind == FETCH_NBI) {
        if (o->fetched != before)
            forbidden("operation %d (kind %d) at PE %d fetched %lld instead of %llu behind quiet",
                      k, o->kind, o->pe, (long long)o->fetched, (unsigned long long)before);
        saw(FETCHED, remote);
    }
    for (size_t i = 0; o->kind == GET_NBI && i < o->n; i++)
        if (o->result[i] != o->pe * 100000 + (long)i) {
            forbidden("a get of %zu words from PE %d has %ld at %zu behind quiet", o->n, o->pe,
                      o->result[i], i);
            break;
        }
    if (o->kind == GET_NBI)
        saw(GOT, remote);
}

/** Checks what the witness reads at the target. */
static void witness(const op_t *o, int writer, int k, uint64_t before)
{
    bool remote =
        litmus_node[o->pe] != litmus_node[writer] || litmus_node[me] != litmus_node[writer];
    bool put = o->kind == PUT_NBI || o->kind == IPUT || o->kind == P;
    size_t n = o->kind == P && o->n > 8 ? 8 : o->n, i = n ? n - 1 : 0;
    if (put && n) {
        long last = shmem_long_g(block(writer, k) + i, o->pe),
             first = shmem_long_g(block(writer, k), o->pe);
        if (first != value_of(writer, k, 0) || last != value_of(writer, k, i))
            forbidden("PE %d's operation %d (kind %d, %zu words) at PE %d is not there behind its "
                      "quiet: %ld, %ld",
                      writer, k, o->kind, n, o->pe, first, last);
    } else if (o->kind == SET || o->kind == SWAP_NBI || o->kind == FETCH_ADD_NBI) {
        uint64_t now = shmem_uint64_atomic_fetch(word(writer, k), o->pe);
        if (now != before + 1)
            forbidden("PE %d's atomic %d (kind %d) at PE %d: %llu instead of %llu behind its quiet",
                      writer, k, o->kind, o->pe, (unsigned long long)now,
                      (unsigned long long)before + 1);
    }
    saw(SEEN_BY_WITNESS, remote);
}

static void play(const int *role, uint64_t turn, uint64_t *before)
{
    bool writer = me == role[0], other = me == role[1];
    for (int k = 0; k < OPS; k++) {
        ops[k].kind = (int)draw(KINDS);
        ops[k].pe = (int)draw((uint32_t)npes);
        ops[k].n = draw(8) ? draw(64) + 1 : draw(LENGTH) + 1;
    }
    for (int k = 0; k < OPS && writer; k++)
        issue(&ops[k], role[0], k, before[(ops[k].pe * npes + role[0]) * OPS + k]);
    if (writer) {
        jitter();
        shmem_quiet();
        shmem_signal_set(&notified[role[0] % 64], turn, role[1]);
        for (int k = 0; k < OPS; k++)
            look(&ops[k], me, k, before[(ops[k].pe * npes + me) * OPS + k]);
    }
    if (other) {
        shmem_signal_wait_until(&notified[role[0] % 64], SHMEM_CMP_EQ, turn);
        for (int k = 0; k < OPS; k++)
            witness(&ops[k], role[0], k, before[(ops[k].pe * npes + role[0]) * OPS + k]);
        shmem_signal_set(&seen[role[1] % 64], turn, role[0]);
    }
    if (writer)
        shmem_signal_wait_until(&seen[role[1] % 64], SHMEM_CMP_EQ, turn);
    for (int k = 0; k < OPS; k++)  // every PE keeps the record
        if (ops[k].kind == SET || ops[k].kind == SWAP_NBI || ops[k].kind == FETCH_ADD_NBI)
            before[(ops[k].pe * npes + role[0]) * OPS + k]++;
}

int main(int argc, char **argv)
{
    outcome_name[FETCHED] = "fetched values there behind quiet";
    outcome_name[GOT] = "non-blocking gets there behind quiet";
    outcome_name[SEEN_BY_WITNESS] = "seen by another PE behind quiet";
    litmus_begin("quiet", argc, argv, 1500);
    for (int k = 0; k < OPS; k++)
        target[k] = shmem_malloc((size_t)npes * LENGTH * sizeof(long));
    words = shmem_calloc((size_t)npes * OPS, sizeof(uint64_t));
    ops = calloc(OPS, sizeof *ops);
    uint64_t *before = calloc((size_t)npes * (size_t)npes * OPS, sizeof *before), turn = 0;
    for (int i = 0; i < LENGTH; i++)
        readable[i] = me * 100000 + i;
    shmem_barrier_all();
    for (; litmus_round < litmus_rounds; litmus_round++) {
        int role[2];
        draw_roles(role, 2);
        play(role, ++turn, before);
    }
    shmem_barrier_all();
    free(before);
    free(ops);
    shmem_free(words);
    for (int k = 0; k < OPS; k++)
        shmem_free(target[k]);
    return litmus_end();
}
