// SPDX-License-Identifier: BSD-3-Clause
//
// Runs a program of ARMCI's operations (armci_ops.h) and checks what each of them observes
// (armci_oracle.h): for scenes of the generator (armci_generate.h), and those that it has shrunk.
#ifndef SIM_ARMCI_PROGRAM_H
#define SIM_ARMCI_PROGRAM_H

#include <armci.h>
#include <message.h>
#include <pthread.h>
#include <stdlib.h>

#include "armci_oracle.h"

typedef struct mem {
    long data[DATA][BLOCK], words[ATOMICS], swapped[SWAPS], counts[MUTEXES];
    int flags[FLAGS];
} mem_t;
static mem_t *mem[PES];
static long from[OPS][BLOCK], into[OPS][BLOCK];  // of each operation its own
static armci_hdl_t handles[OPS];

/** Results of operations that were not waited for. */
UNSEEN void check_outstanding(int pe, int thread, bool explicitly)
{
    for (int i = 0; i < nops; i++) {
        const op_t *op = &ops[i];
        bool has_handle = op->kind != OP_put_nbi && op->kind != OP_get_nbi;
        if (op->pe != pe || op->thread != thread || !oracle->outstanding[i] ||
            has_handle != explicitly)
            continue;
        if (!has_handle)
            ;  // by ARMCI_WaitAll
        else if (sim_draw(2))
            ARMCI_Wait(&handles[i]);
        else
            while (ARMCI_Test(&handles[i]))
                sim_look_again();
        oracle->outstanding[i] = false;
        if (reads(op->kind))
            check_data(i, into[i], &oracle->before[i], false);
        else if (op->kind == OP_fetch_nb)
            check_word(i, into[i][0], &oracle->before[i]);
        else
            memset(from[i], 0xee, sizeof from[i]);
    }
}

// ---------------------------------------------------------------- sections

enum { TO, FROM, ADD };
typedef struct part {
    int stride, count[2];
    long at;
} part_t;

/** A block as rows: the even ones, or the odd ones, of which there may be none. */
static part_t part_of(int d, int odd)
{
    int row = lengths[d] < 10 ? 1 : lengths[d] / 10, rows = lengths[d] / row;
    return (part_t){.stride = 2 * row * (int)sizeof(long),
                    .count = {row * (int)sizeof(long), (rows + 1 - odd) / 2},
                    .at = odd * row};
}

UNSEEN void move_section(int at, int way, armci_hdl_t *handle)
{
    const op_t *op = &ops[at];
    int proc = op->d % npes;
    long one = 1, *theirs = mem[proc]->data[op->d];
    for (int odd = 0; odd < 2; odd++) {
        part_t p = part_of(op->d, odd);
        long *out = from[at] + p.at, *in = into[at] + p.at, *there = theirs + p.at;
        if (p.count[1] == 0)
            continue;
        if (way == ADD)
            ARMCI_AccS(ARMCI_ACC_LNG, &one, out, &p.stride, there, &p.stride, p.count, 1, proc);
        else if (way == TO && handle)
            ARMCI_NbPutS(out, &p.stride, there, &p.stride, p.count, 1, proc, handle);
        else if (way == TO)
            ARMCI_PutS(out, &p.stride, there, &p.stride, p.count, 1, proc);
        else if (handle)
            ARMCI_NbGetS(there, &p.stride, in, &p.stride, p.count, 1, proc, handle);
        else
            ARMCI_GetS(there, &p.stride, in, &p.stride, p.count, 1, proc);
    }
}

/** The same as a vector of rows. */
UNSEEN void move_vector(int at, int way)
{
    void *mine[BLOCK], *theirs[BLOCK];
    const op_t *op = &ops[at];
    int proc = op->d % npes, row = lengths[op->d] < 10 ? 1 : lengths[op->d] / 10,
        rows = lengths[op->d] / row;
    for (int i = 0; i < rows; i++) {
        mine[i] = (way == TO ? from[at] : into[at]) + (long)i * row;
        theirs[i] = mem[proc]->data[op->d] + (long)i * row;
    }
    armci_giov_t v = {.src_ptr_array = way == TO ? mine : theirs,
                      .dst_ptr_array = way == TO ? theirs : mine,
                      .ptr_array_len = rows,
                      .bytes = row * (int)sizeof(long)};
    if (way == TO)
        ARMCI_PutV(&v, 1, proc);
    else
        ARMCI_GetV(&v, 1, proc);
}

// ---------------------------------------------------------------- operations

/** By an aggregate handle, piece by piece; a wait sends them, or a fence, which needs none. True:
 *  that is left to do. */
UNSEEN bool collect(int at)
{
    const op_t *op = &ops[at];
    int proc = op->d % npes, piece = lengths[op->d] < 10 ? 1 : lengths[op->d] / 10;
    ARMCI_SET_AGGREGATE_HANDLE(&handles[at]);
    for (int i = 0; i < lengths[op->d]; i += piece)
        ARMCI_NbPut(from[at] + i, mem[proc]->data[op->d] + i, piece * (int)sizeof(long), proc,
                    &handles[at]);
    if (sim_draw(2)) {
        ARMCI_Wait(&handles[at]);
        return false;
    }
    ARMCI_Fence(proc);
    oracle_complete(op->pe, op->thread, 0, proc);
    return true;
}

/** True: its source stays in use. */
UNSEEN bool put(int at, const op_t *op, long *there, int nbytes)
{
    int proc = op->d % npes;
    switch (op->kind) {
    case OP_put:
        ARMCI_Put(from[at], there, nbytes, proc);
        return false;
    case OP_put_s:
        move_section(at, TO, NULL);
        return false;
    case OP_put_v:
        move_vector(at, TO);
        return false;
    case OP_value:
        ARMCI_PutValueLong(from[at][0], there, proc);
        return false;
    case OP_put_flag:
        ARMCI_Put_flag(from[at], there, nbytes, &mem[proc]->flags[op->f], 1, proc);
        return false;
    case OP_collect:
        return collect(at);
    case OP_put_s_nb:
        move_section(at, TO, &handles[at]);
        return true;
    default:
        ARMCI_NbPut(from[at], there, nbytes, proc, op->kind == OP_put_nb ? &handles[at] : NULL);
        return true;
    }
}

UNSEEN void accumulate(int at, const op_t *op, long *there, int nbytes)
{
    int proc = op->d % npes;
    long one = 1, old = 0;
    if (op->kind == OP_acc) {
        ARMCI_Acc(ARMCI_ACC_LNG, &one, from[at], there, nbytes, proc);
    } else if (op->kind == OP_acc_nbi) {
        ARMCI_NbAcc(ARMCI_ACC_LNG, &one, from[at], there, nbytes, proc, &handles[at]);
        ARMCI_Wait(&handles[at]);
    } else if (op->kind == OP_acc_s) {
        move_section(at, ADD, NULL);
    } else {
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, there, 1, proc);
        check_version(at, 0, old, known_to(op), true);
    }
}

UNSEEN void do_write(int at, const op_t *op)
{
    int proc = op->d % npes, version = version_before(op->d, at) + 1,
        nbytes = lengths[op->d] * (int)sizeof(long);
    bool accumulates = op->kind >= OP_acc && op->kind <= OP_bump;
    long *there = mem[proc]->data[op->d];
    knows_t effect = {0};
    if (raises(op->kind))
        effect.flags = UINT64_C(1) << op->f;
    effect.epoch[op->d] = oracle->epoch[op->d] = (uint8_t)version;
    shared->writer[op->d][version] = at;
    shared->complete[at] = oracle->of[op->pe][op->thread].quieted.epoch[op->d];
    for (int i = 0; i < lengths[op->d]; i++)
        from[at][i] = accumulates ? 1 : first_value(op->d) + version;
    issue(at, proc, &effect);
    if (accumulates)
        accumulate(at, op, there, nbytes);
    else
        oracle->outstanding[at] = put(at, op, there, nbytes);
    if (!oracle->outstanding[at])
        memset(from[at], 0xee, sizeof from[at]);  // it may be used again
}

UNSEEN void do_read(int at, const op_t *op)
{
    int proc = op->d % npes, nbytes = lengths[op->d] * (int)sizeof(long);
    long *there = mem[proc]->data[op->d];
    oracle->before[at] = *known_to(op);
    switch (op->kind) {
    case OP_get:
        ARMCI_Get(there, into[at], nbytes, proc);
        break;
    case OP_get_nbi:
    case OP_get_nb:
        oracle->outstanding[at] = true;
        ARMCI_NbGet(there, into[at], nbytes, proc, op->kind == OP_get_nb ? &handles[at] : NULL);
        return;
    case OP_get_s:
        move_section(at, FROM, NULL);
        break;
    case OP_get_s_nb:
        oracle->outstanding[at] = true;
        move_section(at, FROM, &handles[at]);
        return;
    case OP_get_v:
        move_vector(at, FROM);
        break;
    case OP_get_value:
        into[at][0] = ARMCI_GetValueLong(there, proc);
        break;
    case OP_peek:
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, into[at], there, 0, proc);
        break;
    default:
        ARMCI_Access_begin(mem[op->pe]);
        for (int i = 0; i < lengths[op->d]; i++)
            into[at][i] = there[i];
        ARMCI_Access_end(mem[op->pe]);
    }
    check_data(at, into[at], &oracle->before[at], true);
}

UNSEEN void do_word(int at, const op_t *op)
{
    int proc = op->a % npes;
    long *there = &mem[proc]->words[op->a], one = 1, old = 0;
    knows_t effect = {0};
    oracle->before[at] = *known_to(op);
    if (adds(op->kind)) {
        effect.bits[op->a] = bit_of(at);
        from[at][0] = (long)bit_of(at);
        issue(at, proc, &effect);
    }
    switch (op->kind) {
    case OP_add:
        ARMCI_Acc(ARMCI_ACC_LNG, &one, from[at], there, sizeof(long), proc);
        return;
    case OP_add_nbi:
        ARMCI_NbAcc(ARMCI_ACC_LNG, &one, from[at], there, sizeof(long), proc, &handles[at]);
        ARMCI_Wait(&handles[at]);
        return;
    case OP_fetch_add:
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, there, (int)from[at][0], proc);
        break;
    case OP_fetch:
        ARMCI_Get(there, &old, sizeof old, proc);
        break;
    default:
        oracle->outstanding[at] = true;
        ARMCI_NbGet(there, into[at], sizeof(long), proc, &handles[at]);
        return;
    }
    check_word(at, old, &oracle->before[at]);
}

UNSEEN void do_swap(int at, const op_t *op)
{
    int proc = op->x % npes, small = at + 1;
    long value = at + 1;
    knows_t none = {0};
    issue(at, proc, &none);
    if (op->x % 2) {
        ARMCI_Rmw(ARMCI_SWAP, &small, &mem[proc]->swapped[op->x], 0, proc);
        value = small;
    } else {
        ARMCI_Rmw(ARMCI_SWAP_LONG, &value, &mem[proc]->swapped[op->x], 0, proc);
    }
    check_swap(at, value);
}

UNSEEN void do_flag(int at, const op_t *op)
{
    int proc = op->f % npes, *flag = &mem[proc]->flags[op->f];
    knows_t effect = {.flags = UINT64_C(1) << op->f};
    bool known = known_to(op)->flags & effect.flags, is;
    if (op->kind == OP_raise) {
        issue(at, proc, &effect);
        ARMCI_PutValueInt(1, flag, proc);
        return;
    }
    while (!(is = __atomic_load_n(flag, __ATOMIC_ACQUIRE)) && op->kind == OP_wait)
        sim_look_again();
    if (!is && known)
        refuse(at, "a flag is down that must be up", op->f);
    for (int i = 0; is && i < nops; i++)
        if (raises(ops[i].kind) && ops[i].f == op->f)
            oracle_observe(i, op->pe, op->thread);
}

UNSEEN void do_notify(const op_t *op)
{
    int waited, *n;
    if (op->kind == OP_notify) {
        actor_t *a = &oracle->of[op->pe][0];
        n = &shared->nnotified[op->pe][op->n];
        knows_t *known = &shared->notified[op->pe][op->n][(*n)++];
        *known = a->pending[0][op->n];
        learn(known, &a->quieted);
        armci_notify(op->n);
        return;
    }
    armci_notify_wait(op->n, &waited);
    n = &shared->nheard[op->n][op->pe];
    learn(known_to(op), &shared->notified[op->n][op->pe][(*n)++]);
}

/** Counts under a mutex, by a get and a put. */
UNSEEN void do_section(int at, const op_t *op)
{
    int proc = op->n % npes;
    long count = -1, *there = &mem[proc]->counts[op->n];
    ARMCI_Lock(0, proc);
    learn(known_to(op), &shared->released[op->n]);
    ARMCI_Get(there, &count, sizeof count, proc);
    if (count != shared->sections[op->n])
        refuse(at, "another count than that of the sections before it", count);
    shared->sections[op->n] = ++count;
    if (sim_draw(2))
        sim_yield();
    ARMCI_Put(&count, there, sizeof count, proc);
    oracle_complete(op->pe, op->thread, 0, -1);
    learn(&shared->released[op->n], known_to(op));
    ARMCI_Unlock(0, proc);
}

UNSEEN void do_op(int at)
{
    const op_t *op = &ops[at];
    ARMCI_INIT_HANDLE(&handles[at]);
    if (writes(op->kind)) {
        do_write(at, op);
    } else if (reads(op->kind)) {
        do_read(at, op);
    } else if (op->kind == OP_swap) {
        do_swap(at, op);
    } else if (op->kind <= OP_fetch_nb) {
        do_word(at, op);
    } else if (op->kind <= OP_test) {
        do_flag(at, op);
    } else if (op->kind <= OP_notify_wait) {
        do_notify(op);
    } else if (op->kind == OP_section) {
        do_section(at, op);
    } else if (op->kind == OP_fence) {
        ARMCI_Fence(op->n);
        oracle_complete(op->pe, op->thread, 0, op->n);
    } else if (op->kind == OP_fence_all) {
        ARMCI_AllFence();
        oracle_complete(op->pe, op->thread, 0, -1);
    } else if (op->kind == OP_wait_nb) {
        check_outstanding(op->pe, op->thread, true);
    } else if (op->kind == OP_wait_all) {
        ARMCI_WaitAll();
        check_outstanding(op->pe, op->thread, false);
    }
    for (int i = 0; op->kind == OP_delay && i < op->n; i++)
        sim_yield();
}

// ---------------------------------------------------------------- threads and phases

static int phase_now;

UNSEEN void *run_thread(void *arg)
{
    int me = armci_msg_me(), thread = (int)(long)arg;
    for (int i = 0; i < nops; i++)
        if (ops[i].pe == me && ops[i].thread == thread && ops[i].phase == phase_now &&
            !ends_phase(ops[i].kind))
            do_op(i);
    ARMCI_WaitAll();
    check_outstanding(me, thread, false);
    check_outstanding(me, thread, true);
    return NULL;
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
        if (ops[i].kind == OP_gather && ops[i].phase == phase_now) {
            long sum = me + 1;
            armci_msg_lgop(&sum, 1, "+");
            SIM_CHECK(sum == npes * (npes + 1) / 2, "the sum is %ld", sum);
        }
    oracle_meet(me, phase_now);
    ARMCI_Barrier();
    oracle_met(me, phase_now);
}

/** The end: all is visible to all. */
UNSEEN void check_end(int me)
{
    const mem_t *own = mem[me];
    for (int d = me; d < DATA; d += npes)
        for (int i = 0; i < lengths[d]; i++)
            SIM_CHECK(own->data[d][i] == first_value(d) + version_before(d, nops),
                      "block %d ends with version %ld of %d", d, own->data[d][i] - first_value(d),
                      version_before(d, nops));
    for (int a = me; a < ATOMICS; a += npes)
        SIM_CHECK((uint64_t)own->words[a] == issued_bits(a), "word %d ends with %lx of %lx", a,
                  (unsigned long)own->words[a], (unsigned long)issued_bits(a));
    for (int m = me; m < MUTEXES; m += npes)
        SIM_CHECK(own->counts[m] == shared->sections[m], "mutex %d counts %ld of %ld", m,
                  own->counts[m], shared->sections[m]);
    for (int x = me; x < SWAPS; x += npes)
        SIM_CHECK(own->swapped[x] <= nops && !oracle->consumed[x][own->swapped[x]],
                  "word %d that is swapped ends with %ld", x, own->swapped[x]);
}

/** Runs the text, or what the seed makes of `generate`, which is known behind sim_begin only. */
static void run_program(const char *text, void (*generate)(void), bool threads)
{
    npes = sim_scene.npes;
    if (text)
        read_program(text);
    if (text ? has_thread(-1, 1, -1) || has_thread(-1, 2, -1) : threads)
        ARMCI_Init_thread(3);
    else
        ARMCI_Init();
    int me = armci_msg_me();
    ARMCI_Malloc((void **)mem, sizeof(mem_t));
    memset(mem[me], 0, sizeof *mem[me]);
    for (int d = me; d < DATA; d += npes)
        for (int i = 0; i < lengths[d]; i++)
            mem[me]->data[d][i] = first_value(d);
    ARMCI_Create_mutexes(1);
    ARMCI_Barrier();
    sim_begin();
    oracle = sim_common(sizeof *oracle + sizeof *shared);
    shared = (shared_t *)(oracle + 1);
    if (!text)
        generate();
    int last = nops ? ops[nops - 1].phase : 0;
    for (phase_now = 0; phase_now <= last; phase_now++)
        run_phase(me);
    sim_end();
    check_end(me);
    ARMCI_Barrier();
    ARMCI_Destroy_mutexes();
    ARMCI_Free(mem[me]);
    ARMCI_Finalize();
}

#endif
