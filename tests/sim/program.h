// SPDX-License-Identifier: BSD-3-Clause
//
// Runs a program of OpenSHMEM's operations (shmem_ops.h) and checks what each of them observes
// (oracle.h): for scenes of the generator (generate.h), and those that it has shrunk.
#ifndef SIM_PROGRAM_H
#define SIM_PROGRAM_H

#include <pthread.h>
#include <shmem.h>
#include <stdlib.h>

#include "shmem_ops.h"

// ---------------------------------------------------------------- symmetric memory

static long data[DATA][BLOCK];
static uint64_t words[ATOMICS], swapped[SWAPS], flags[FLAGS];
static long from[OPS][BLOCK], into[OPS][BLOCK];  // of each operation its own
static uint64_t fetched[OPS];
static shmem_ctx_t shared_ctx;
static _Thread_local shmem_ctx_t own_ctx;
static _Thread_local bool has_own_ctx;

static void refuse(int op, const char *what, long value)
{
    char line[80];
    write_op(&ops[op], line, sizeof line);
    print_program();
    sim_failed(__FILE__, __LINE__, line, "%s (%ld)", what, value);
}

static shmem_ctx_t ctx_of(const op_t *op)
{
    if (op->ctx == 1 && !has_own_ctx) {
        has_own_ctx = true;
        if (shmem_ctx_create(SHMEM_CTX_PRIVATE, &own_ctx) != 0)
            own_ctx = SHMEM_CTX_DEFAULT;
    }
    return op->ctx == 0 ? SHMEM_CTX_DEFAULT : op->ctx == 1 ? own_ctx : shared_ctx;
}

// ---------------------------------------------------------------- what is permitted

UNSEEN uint64_t issued_bits(int word)
{
    uint64_t bits = 0;
    for (int i = 0; i < nops; i++)
        if (updates(ops[i].kind) && ops[i].a == word && oracle->issued[i])
            bits |= UINT64_C(1) << i;
    return bits;
}

static uint8_t was_read[THREADS][DATA][BLOCK];  // the epoch, by a thread of this PE

/** A thread that waits for its gets reads nothing older later. */
UNSEEN bool goes_back(const op_t *op, int i, int epoch)
{
    uint8_t *last = &was_read[op->thread][op->d][i];
    if (op->kind == OP_get_nbi)
        return false;
    if (epoch < *last)
        return true;
    *last = (uint8_t)epoch;
    return false;
}

UNSEEN void check_data(int at, const long *values, const knows_t *least, int length)
{
    const op_t *op = &ops[at];
    for (int i = 0; i < length; i++) {
        long v = values[i];
        int put = (int)(v & 0xff) - 1;
        if (v == 0 && least->epoch[op->d] == 0)
            continue;
        if (v == 0)
            refuse(at, "nothing, where a put must be visible", i);
        if (put < 0 || put >= nops || v >> 8 != op->d + 1 || ops[put].d != op->d ||
            !puts_data(ops[put].kind) || !oracle->issued[put])
            refuse(at, "a value that was not put", v);
        if (oracle->carried[put].epoch[op->d] < least->epoch[op->d])
            refuse(at, "the value of a put before those that must be visible, by operation", put);
        if (goes_back(op, i, oracle->carried[put].epoch[op->d]))
            refuse(at, "the value of a put before one that was read, by operation", put);
        learn(&oracle->of[op->pe][op->thread].knows, &oracle->behind[put]);
    }
}

/** The set of updates that a word's value stands for. */
UNSEEN uint64_t bits_of(int word, uint64_t value)
{
    return word % 4 == 3 ? ~value : value;
}

UNSEEN void check_word(int at, int word, uint64_t value, const knows_t *least, bool own)
{
    const op_t *op = &ops[at];
    uint64_t bits = bits_of(word, value), mine = own ? UINT64_C(1) << at : 0;
    const char *wrong = oracle_bits(word, bits, issued_bits(word), least);
    if (!wrong && (bits & mine))
        wrong = "its own update, before it";
    if (!wrong && own)
        wrong = oracle_bits(word, bits | mine, issued_bits(word), least);
    if (wrong)
        refuse(at, wrong, (long)bits);
    for (int i = 0; i < nops; i++)
        if ((bits | mine) >> i & 1)
            oracle_observe(i, op->pe, op->thread);
}

UNSEEN void check_swap(int at, uint64_t value, uint64_t expected, bool always)
{
    const op_t *op = &ops[at];
    int x = op->x;
    if (value > (uint64_t)nops || (value && !(swaps(ops[value - 1].kind) && ops[value - 1].x == x &&
                                              oracle->issued[value - 1])))
        refuse(at, "a value that was not stored", (long)value);
    bool stored = always || value == expected;
    if (stored && oracle->consumed[x][value])
        refuse(at, "a value that another swap has taken", (long)value);
    oracle->consumed[x][value] |= stored;
    oracle->of[op->pe][op->thread].swapped[x] = stored ? at + 1 : (int)value;
}

/** Behind a fence or a quiet on a context; `data` are the blocks that the thread puts with it. */
UNSEEN void behind_order(int pe, int thread, int ctx, unsigned data, bool completes)
{
    actor_t *a = &oracle->of[pe][thread];
    for (int dest = 0; dest < PES; dest++)
        learn(&a->fenced[ctx][dest], &a->pending[ctx][dest]);
    if (completes)
        oracle_complete(pe, thread, ctx, -1);
    for (int i = 0; i < DATA; i++)
        oracle->epoch[i] += data >> i & 1;
}

UNSEEN knows_t known_to(const op_t *op)
{
    return oracle->of[op->pe][op->thread].knows;
}

/** Results of non-blocking operations, behind a quiet. */
UNSEEN void check_outstanding(int pe, int thread, int ctx)
{
    for (int i = 0; i < nops; i++) {
        const op_t *op = &ops[i];
        if (op->pe != pe || op->thread != thread || op->ctx != ctx || !oracle->outstanding[i])
            continue;
        oracle->outstanding[i] = false;
        if (op->kind == OP_get_nbi)
            check_data(i, into[i], &oracle->before[i], lengths[op->d]);
        else
            check_word(i, op->a, fetched[i], &oracle->before[i], true);
    }
}

/** The blocks that a thread puts with a context, whose epoch ends. */
UNSEEN unsigned data_of(int pe, int thread, int ctx)
{
    unsigned set = 0;
    for (int i = 0; i < nops; i++)
        if (puts_data(ops[i].kind) && ops[i].pe == pe && ops[i].ctx == ctx &&
            (thread < 0 || ops[i].thread == thread))
            set |= 1u << ops[i].d;
    return set;
}

// ---------------------------------------------------------------- operations

UNSEEN void do_put(int at, const op_t *op, shmem_ctx_t ctx)
{
    int dest = op->d % npes, n = lengths[op->d];
    knows_t effect = {0};
    effect.epoch[op->d] = (uint8_t)(oracle->epoch[op->d] + 1);
    if (raises(op->kind))
        effect.flags = UINT64_C(1) << op->f;
    for (int i = 0; i < n; i++)
        from[at][i] = (long)(op->d + 1) << 8 | (at + 1);
    oracle_issue(at, op->pe, op->thread, op->ctx, dest, &effect);
    switch (op->kind) {
    case OP_put:
        shmem_ctx_long_put(ctx, data[op->d], from[at], (size_t)n, dest);
        break;
    case OP_put_nbi:
        shmem_ctx_long_put_nbi(ctx, data[op->d], from[at], (size_t)n, dest);
        break;
    case OP_iput:  // one half, then the other
        shmem_ctx_long_iput(ctx, data[op->d], from[at], 2, 2, (size_t)(n + 1) / 2, dest);
        shmem_ctx_long_iput(ctx, data[op->d] + 1, from[at] + 1, 2, 2, (size_t)n / 2, dest);
        break;
    case OP_p:
        shmem_ctx_long_p(ctx, data[op->d], from[at][0], dest);
        break;
    case OP_put_signal:
        shmem_ctx_long_put_signal(ctx, data[op->d], from[at], (size_t)n, &flags[op->f], 1,
                                  SHMEM_SIGNAL_SET, dest);
        break;
    default:
        shmem_ctx_long_put_signal_nbi(ctx, data[op->d], from[at], (size_t)n, &flags[op->f], 1,
                                      SHMEM_SIGNAL_ADD, dest);
    }
}

UNSEEN void do_get(int at, const op_t *op, shmem_ctx_t ctx)
{
    int source = op->d % npes, n = lengths[op->d];
    oracle->before[at] = known_to(op);
    if (op->kind == OP_g) {
        into[at][0] = shmem_ctx_long_g(ctx, data[op->d], source);
    } else if (op->kind == OP_get) {
        shmem_ctx_long_get(ctx, into[at], data[op->d], (size_t)n, source);
    } else if (op->kind == OP_iget) {
        shmem_ctx_long_iget(ctx, into[at], data[op->d], 2, 2, (size_t)(n + 1) / 2, source);
        shmem_ctx_long_iget(ctx, into[at] + 1, data[op->d] + 1, 2, 2, (size_t)n / 2, source);
    } else {
        shmem_ctx_long_get_nbi(ctx, into[at], data[op->d], (size_t)n, source);
        oracle->outstanding[at] = true;
        return;
    }
    check_data(at, into[at], &oracle->before[at], n);
}

UNSEEN void do_raise(int at, const op_t *op, shmem_ctx_t ctx)
{
    int dest = op->f % npes;
    knows_t effect = {.flags = UINT64_C(1) << op->f};
    oracle_issue(at, op->pe, op->thread, op->ctx, dest, &effect);
    if (op->kind == OP_set)
        shmem_ctx_uint64_atomic_set(ctx, &flags[op->f], 1, dest);
    else
        shmem_ctx_uint64_p(ctx, &flags[op->f], 1, dest);
}

UNSEEN void do_wait(const op_t *op)
{
    knows_t known = known_to(op);
    bool is = true;
    if (op->kind == OP_wait)
        shmem_uint64_wait_until(&flags[op->f], SHMEM_CMP_NE, 0);
    else
        is = shmem_uint64_test(&flags[op->f], SHMEM_CMP_NE, 0);
    if (!is && known.flags >> op->f & 1)
        refuse((int)(op - ops), "a flag is down that must be up", op->f);
    for (int i = 0; is && i < nops; i++)
        if (raises(ops[i].kind) && ops[i].f == op->f)
            oracle_observe(i, op->pe, op->thread);
}

#define UPDATE(name, ...)                                                                 \
    (word % 4 == 0   ? shmem_ctx_uint64_atomic_##name##add(ctx, __VA_ARGS__, bit, dest)   \
     : word % 4 == 1 ? shmem_ctx_uint64_atomic_##name## or (ctx, __VA_ARGS__, bit, dest)  \
     : word % 4 == 2 ? shmem_ctx_uint64_atomic_##name## xor (ctx, __VA_ARGS__, bit, dest) \
                     : shmem_ctx_uint64_atomic_##name## and (ctx, __VA_ARGS__, ~bit, dest))
#define UPDATE_NBI(...)                                                                   \
    (word % 4 == 0   ? shmem_ctx_uint64_atomic_fetch_add_nbi(ctx, __VA_ARGS__, bit, dest) \
     : word % 4 == 1 ? shmem_ctx_uint64_atomic_fetch_or_nbi(ctx, __VA_ARGS__, bit, dest)  \
     : word % 4 == 2 ? shmem_ctx_uint64_atomic_fetch_xor_nbi(ctx, __VA_ARGS__, bit, dest) \
                     : shmem_ctx_uint64_atomic_fetch_and_nbi(ctx, __VA_ARGS__, ~bit, dest))

UNSEEN void do_update(int at, const op_t *op, shmem_ctx_t ctx)
{
    int word = op->a, dest = word % npes;
    uint64_t bit = UINT64_C(1) << at;
    knows_t effect = {0};
    effect.bits[word] = bit;
    oracle->before[at] = known_to(op);
    oracle_issue(at, op->pe, op->thread, op->ctx, dest, &effect);
    if (op->kind == OP_update) {
        UPDATE(, &words[word]);
    } else if (op->kind == OP_fetch_update) {
        fetched[at] = UPDATE(fetch_, &words[word]);
        check_word(at, word, fetched[at], &oracle->before[at], true);
    } else {
        UPDATE_NBI(&fetched[at], &words[word]);
        oracle->outstanding[at] = true;
    }
}

UNSEEN void do_swap(int at, const op_t *op, shmem_ctx_t ctx)
{
    int dest = op->x % npes;
    uint64_t expected = (uint64_t)oracle->of[op->pe][op->thread].swapped[op->x], new = at + 1u;
    knows_t none = {0};
    oracle_issue(at, op->pe, op->thread, op->ctx, dest, &none);
    uint64_t old =
        op->kind == OP_swap
            ? shmem_ctx_uint64_atomic_swap(ctx, &swapped[op->x], new, dest)
            : shmem_ctx_uint64_atomic_compare_swap(ctx, &swapped[op->x], expected, new, dest);
    check_swap(at, old, expected, op->kind == OP_swap);
}

UNSEEN void do_order(const op_t *op, shmem_ctx_t ctx)
{
    bool completes = op->kind == OP_quiet;
    if (completes)
        shmem_ctx_quiet(ctx);
    else
        shmem_ctx_fence(ctx);
    behind_order(op->pe, op->thread, op->ctx, data_of(op->pe, op->thread, op->ctx), completes);
    if (completes)
        check_outstanding(op->pe, op->thread, op->ctx);
}

UNSEEN void do_op(int at)
{
    const op_t *op = &ops[at];
    shmem_ctx_t ctx = ctx_of(op);
    if (puts_data(op->kind)) {
        do_put(at, op, ctx);
    } else if (gets_data(op->kind)) {
        do_get(at, op, ctx);
    } else if (raises(op->kind)) {
        do_raise(at, op, ctx);
    } else if (updates(op->kind)) {
        do_update(at, op, ctx);
    } else if (swaps(op->kind)) {
        do_swap(at, op, ctx);
    } else if (op->kind == OP_wait || op->kind == OP_test) {
        do_wait(op);
    } else if (op->kind == OP_fence || op->kind == OP_quiet) {
        do_order(op, ctx);
    } else if (op->kind == OP_fetch) {
        knows_t known = known_to(op);
        uint64_t value = shmem_ctx_uint64_atomic_fetch(ctx, &words[op->a], op->a % npes);
        check_word(at, op->a, value, &known, false);
    } else if (op->kind == OP_session) {
        shmem_ctx_session_start(ctx, 0, NULL, 0);
    } else if (op->kind == OP_session_end) {
        shmem_ctx_session_stop(ctx);
    }
    for (int i = 0; op->kind == OP_delay && i < op->n; i++)
        sim_yield();
}

// ---------------------------------------------------------------- threads and phases

static int phase_now;

UNSEEN void *run_thread(void *arg)
{
    int me = shmem_my_pe(), thread = (int)(long)arg;
    for (int i = 0; i < nops; i++)
        if (ops[i].pe == me && ops[i].thread == thread && ops[i].phase == phase_now &&
            !ends_phase(ops[i].kind))
            do_op(i);
    if (has_own_ctx) {
        if (own_ctx != SHMEM_CTX_DEFAULT)
            shmem_ctx_destroy(own_ctx);  // completes
        has_own_ctx = false;
        behind_order(me, thread, 1, data_of(me, thread, 1), own_ctx != SHMEM_CTX_DEFAULT);
        if (own_ctx != SHMEM_CTX_DEFAULT)
            check_outstanding(me, thread, 1);
    }
    return NULL;
}

/** Each PE's word at all, a word of one of them, and what all add up to. */
UNSEEN void gather(int me)
{
    static long mine, sum, all[PES], one;
    const int root = phase_now % npes;
    const long base = 100 * (phase_now + 1);
    mine = base + me;
    shmem_long_fcollect(SHMEM_TEAM_WORLD, all, &mine, 1);
    shmem_long_broadcast(SHMEM_TEAM_WORLD, &one, &mine, 1, root);
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum, &mine, 1);
    for (int pe = 0; pe < npes; pe++)
        SIM_CHECK(all[pe] == base + pe, "fcollect gives %ld of PE %d", all[pe], pe);
    SIM_CHECK(one == base + root, "broadcast gives %ld of PE %d", one, root);
    SIM_CHECK(sum == npes * base + npes * (npes - 1) / 2, "the sum is %ld", sum);
}

UNSEEN void run_phase(int me)
{
    pthread_t threads[THREADS];
    for (long i = 1; i < THREADS; i++)
        if (has_thread(me, (int)i, phase_now)) {
            oracle_follow(me, (int)i, 0);
            pthread_create(&threads[i], NULL, run_thread, (void *)i);
        }
    run_thread((void *)0L);
    for (int i = 1; i < THREADS; i++)
        if (has_thread(me, i, phase_now)) {
            pthread_join(threads[i], NULL);
            oracle_follow(me, 0, i);
        }
    for (int i = 0; i < nops; i++)
        if (ops[i].kind == OP_gather && ops[i].phase == phase_now)
            gather(me);
    oracle_meet(me, phase_now);
    shmem_barrier_all();
    oracle_met(me, phase_now);
    unsigned ended = data_of(me, -1, 0);
    for (int i = 0; i < DATA; i++)
        oracle->epoch[i] += ended >> i & 1;
    for (int i = 0; i < THREADS; i++)
        check_outstanding(me, i, 0);
}

/** The end: all is visible to all. */
UNSEEN void check_end(int me, int phase)
{
    for (int d = me; d < DATA; d += npes)
        for (int i = 0; i < nops; i++)
            if (puts_data(ops[i].kind) && ops[i].d == d) {
                knows_t all = oracle->all[phase];
                op_t was = ops[i];
                ops[i].pe = me;
                check_data(i, data[d], &all, lengths[d]);
                ops[i] = was;
                break;
            }
    for (int a = me; a < ATOMICS; a += npes)
        SIM_CHECK(bits_of(a, words[a]) == issued_bits(a),
                  "word %d ends with the updates %lx of %lx", a,
                  (unsigned long)bits_of(a, words[a]), (unsigned long)issued_bits(a));
    for (int x = me; x < SWAPS; x += npes)
        SIM_CHECK(swapped[x] <= (uint64_t)nops && !oracle->consumed[x][swapped[x]],
                  "word %d that is swapped ends with %lu", x, (unsigned long)swapped[x]);
}

/** Runs the text, or what the seed makes of `generate`, which is known behind sim_begin only. */
static void run_program(const char *text, void (*generate)(void), bool threads)
{
    int provided;
    npes = sim_scene.npes;
    for (int a = 3; a < ATOMICS; a += 4)
        words[a] = ~UINT64_C(0);
    if (text)
        read_program(text);
    if (text ? has_thread(-1, 1, -1) || has_thread(-1, 2, -1) : threads)
        shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    else
        shmem_init();
    int me = shmem_my_pe();
    if (shmem_ctx_create(0, &shared_ctx) != 0)
        shared_ctx = SHMEM_CTX_DEFAULT;
    shmem_barrier_all();
    sim_begin();
    oracle = sim_common(sizeof *oracle);
    if (!text)
        generate();
    int last = nops ? ops[nops - 1].phase : 0;
    for (phase_now = 0; phase_now <= last; phase_now++)
        run_phase(me);
    if (shared_ctx != SHMEM_CTX_DEFAULT)
        shmem_ctx_destroy(shared_ctx);
    for (int i = 0; i < THREADS; i++) {
        behind_order(me, i, 2, 0, true);
        check_outstanding(me, i, 2);
        oracle_follow(me, 0, i);
    }
    oracle_meet(me, phase_now);
    shmem_barrier_all();
    sim_end();
    check_end(me, phase_now);
    shmem_barrier_all();
    shmem_finalize();
}

#endif
