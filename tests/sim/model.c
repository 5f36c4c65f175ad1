// SPDX-License-Identifier: BSD-3-Clause
//
// Memory models.
//
// sc    every access is one step.
// tso   x86: an atomic store that is not sequentially consistent stays in a buffer of its thread,
//       in order, until the thread orders it (a read-modify-write, a fence, a plain store behind
//       it, a system call), the buffer is full, or a reader's draw says that it has come out.
// c11   a location keeps its last stores; a load may read each one that coherence and
//       happens-before permit. Fences, acquire and release are vector clocks, as in C11Tester.
//       Sequentially consistent fences order as on Arm: all before one against all behind a later.
//       Plain accesses of aligned words of shared files count as relaxed ones, but a plain load
//       reads the newest store. Other plain accesses take place at once.
//
// Under tso plain accesses happen in memory at once: they can be neither late nor early.
#include "exhaust.h"
#include "model.h"
#include "snap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

// ---------------------------------------------------------------- tso

static void write_out(const sim_thread_t *owner, const sim_store_t *s)
{
    if (owner->pe == SIM_ME->pe) {
        sim_raw_store(s->at, s->nbytes, s->value);
        return;
    }
    uint64_t value = s->value;
    struct iovec from = {&value, s->nbytes}, to = {s->at, s->nbytes};
    if (process_vm_writev(sim->pids[owner->pe], &from, 1, &to, 1, 0) != (ssize_t)s->nbytes)
        sim_stop(SIM_STUCK, "a buffered store cannot be written into the memory of PE %d",
                 owner->pe);
}

/** The first n stores come out. */
static void write_first(sim_thread_t *t, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        write_out(t, &t->stores[i]);
    t->nstores -= n;
    sim->nstores -= n;
    memmove(t->stores, t->stores + n, t->nstores * sizeof *t->stores);
}

void sim_drain(void)
{
    if (sim_inside() && SIM_ME->nstores)
        write_first(SIM_ME, SIM_ME->nstores);
}

static bool overlap(sim_key_t a, uint32_t na, sim_key_t b, uint32_t nb)
{
    return a < b + nb && b < a + na;
}

/** Stores of other threads to this location come out, or not yet. */
static void others_come_out(sim_key_t key, uint32_t nbytes)
{
    for (int i = 0; i < sim->nthreads; i++) {
        sim_thread_t *t = &sim->threads[i];
        for (uint32_t k = i == sim_me ? 0 : t->nstores; k-- > 0;) {
            if (!overlap(t->stores[k].key, t->stores[k].nbytes, key, nbytes))
                continue;
            if (sim_any(2, 0) == 0)
                write_first(t, k + 1);
            break;
        }
    }
}

static uint64_t tso_load(const volatile void *at, uint32_t nbytes)
{
    sim_thread_t *me = SIM_ME;
    if (sim->nstores == 0)
        return sim_raw_load(at, nbytes);
    for (uint32_t k = me->nstores; k-- > 0;) {
        const sim_store_t *s = &me->stores[k];
        if (s->at == at && s->nbytes == nbytes)
            return s->value;
        if (overlap((uintptr_t)s->at, s->nbytes, (uintptr_t)at, nbytes)) {
            sim_drain();
            break;
        }
    }
    sim_key_t key = sim_key((const void *)at);
    // the same memory at another address of this process
    for (uint32_t k = 0; k < me->nstores; k++)
        if (overlap(me->stores[k].key, me->stores[k].nbytes, key, nbytes))
            sim_drain();
    others_come_out(key, nbytes);
    return sim_raw_load(at, nbytes);
}

static void tso_store(volatile void *at, uint32_t nbytes, uint64_t value, int order)
{
    sim_thread_t *me = SIM_ME;
    if (order == __ATOMIC_SEQ_CST || (me->nstores == 0 && sim_any(2, 1) == 0)) {
        sim_drain();
        sim_raw_store(at, nbytes, value);
        return;
    }
    if (me->nstores == SIM_BUFFER)
        write_first(me, 1 + sim_any(SIM_BUFFER, 1));
    me->stores[me->nstores++] = (sim_store_t){.key = sim_key((const void *)at),
                                              .at = (void *)(uintptr_t)at,
                                              .value = value,
                                              .nbytes = nbytes};
    sim->nstores++;
}

// ---------------------------------------------------------------- c11

enum { LOCATIONS = 8192, KEPT = 5, SHORT_COPY = 64 };
typedef struct clock {
    uint32_t of[SIM_THREADS];
} clock_t11;

typedef struct written {
    uint64_t value;
    uint32_t at;         // its thread's clock
    int thread;          // -1: before all
    uint64_t sc;         // its place among the sequentially consistent operations; 0: none of them
    bool rmw;
    clock_t11 released;  // what a reader that acquires learns
    clock_t11 headed;    // of that, what its thread itself released, by it or before it in a row
    clock_t11 read_at;   // each thread's clock, + 1, when it first read this one; 0: it did not
} written_t;

typedef struct location {
    sim_key_t key;
    uint32_t nbytes, stamp;
    bool touched;                 // since the scene has begun
    bool pending;                 // a plain store has begun, whose value is in memory by now
    uint32_t count;               // stores so far; the last KEPT are kept
    uint32_t last_sc;             // number of the last sequentially consistent one
    uint32_t floor[SIM_THREADS];  // the number below which a thread cannot read any more
    written_t last[KEPT];
} location_t;

typedef struct c11 {
    uint32_t stamp;
    uint64_t order;               // sequentially consistent stores and fences so far
    uint64_t fence[SIM_THREADS];  // of these, when the thread's last fence was made
    clock_t11 now[SIM_THREADS], seen[SIM_THREADS], fenced[SIM_THREADS], sc;
    clock_t11 device;  // what came before a release fence, or a call that posts
    uint64_t filter[1024];
    uint32_t ntouched;
    uint16_t touched[LOCATIONS];
    location_t table[LOCATIONS];
} c11_t;
static c11_t *c11;  // shared

static uint32_t slot_of(sim_key_t key)
{
    return (uint32_t)((key >> 1) * UINT64_C(0x9e3779b97f4a7c15) >> 51);
}

/** It is put back where another run begins with the scene. */
static location_t *touch(location_t *l)
{
    if (!l->touched) {
        l->touched = true;
        c11->touched[c11->ntouched++] = (uint16_t)(l - c11->table);
    }
    return l;
}

static location_t *find(sim_key_t key, uint32_t nbytes, bool make)
{
    for (uint32_t i = slot_of(key), tries = 0; tries < 64; i = (i + 1) % LOCATIONS, tries++) {
        location_t *l = &c11->table[i];
        if (l->stamp == c11->stamp && l->key == key)
            return l->nbytes == nbytes ? touch(l) : NULL;
        if (l->stamp == c11->stamp)
            continue;
        if (!make)
            return NULL;
        memset(l, 0, offsetof(location_t, last));
        l->stamp = c11->stamp;
        l->key = key;
        l->nbytes = nbytes;
        c11->filter[(key >> 3) % 65536 / 64] |= UINT64_C(1) << (key >> 3) % 64;
        return touch(l);
    }
    return NULL;
}

static void join(clock_t11 *into, const clock_t11 *from)
{
    for (int i = 0; i < sim->nthreads; i++)
        if (from->of[i] > into->of[i])
            into->of[i] = from->of[i];
}

static bool acquires(int order)
{
    return order == __ATOMIC_ACQUIRE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST ||
           order == __ATOMIC_CONSUME;
}

static bool releases(int order)
{
    return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

static written_t *number(location_t *l, uint32_t n)
{
    return &l->last[n % KEPT];
}

/** What was stored past this model (the kernel, the network, plain stores of other sizes) ends the
 *  history. */
static void check_untracked(location_t *l, uint64_t in_memory)
{
    if (l->pending) {
        written_t *w = number(l, l->count);
        l->pending = false;
        w->value = in_memory;
        l->floor[w->thread] = l->count++;
    }
    if (l->count && number(l, l->count - 1)->value == in_memory)
        return;
    uint32_t n = l->count;
    *number(l, n) = (written_t){.value = in_memory, .thread = -1};
    l->count = n + 1;
    for (int i = 0; i < SIM_THREADS; i++)
        l->floor[i] = n;
}

static void read_it(location_t *l, uint32_t n, int order)
{
    written_t *w = number(l, n);
    l->floor[sim_me] = n;
    if (!w->read_at.of[sim_me])
        w->read_at.of[sim_me] = c11->now[sim_me].of[sim_me] + 1;
    join(acquires(order) ? &c11->now[sim_me] : &c11->seen[sim_me], &w->released);
}

/** Does this thread come behind one that has read this store? Then it reads nothing older. */
static bool was_read_before(const written_t *w)
{
    for (int i = 0; i < sim->nthreads; i++)
        if (w->read_at.of[i] && w->read_at.of[i] <= c11->now[sim_me].of[i])
            return true;
    return false;
}

/** Can this thread read nothing older than this store? */
static bool is_oldest(const written_t *w, int order)
{
    if (w->thread < 0 || c11->now[sim_me].of[w->thread] >= w->at || was_read_before(w))
        return true;
    if (w->sc && w->sc <= c11->fence[sim_me])
        return true;  // a store that came before this thread's last fence in their one order
    return order == __ATOMIC_SEQ_CST && c11->sc.of[w->thread] >= w->at;  // a fence lies behind it
}

static uint64_t c11_load(const volatile void *at, uint32_t nbytes, int order)
{
    uint64_t in_memory = sim_raw_load(at, nbytes);
    location_t *l = find(sim_key((const void *)at), nbytes, false);
    if (!l)
        return in_memory;
    check_untracked(l, in_memory);
    uint32_t newest = l->count - 1, oldest = newest;
    uint32_t least = l->count > KEPT ? l->count - KEPT : 0;
    if (l->floor[sim_me] > least)
        least = l->floor[sim_me];
    if (order == __ATOMIC_SEQ_CST && l->last_sc > least)
        least = l->last_sc;
    for (uint32_t n = newest;; n--) {
        oldest = n;
        if (n == least || is_oldest(number(l, n), order))
            break;
    }
    uint32_t n = newest;
    if (sim->strategy == SIM_EXHAUSTIVE)
        n = newest - sim_choose(newest - oldest + 1, 1);
    else if (oldest < newest && sim_below(2))
        n = oldest + sim_below(newest - oldest + 1);
    read_it(l, n, order);
    return number(l, n)->value;
}

/** What this thread has read is the newest store: from here on it reads nothing older. */
static void c11_saw_newest(const volatile void *at, uint32_t nbytes, int order)
{
    location_t *l = find(sim_key((const void *)at), nbytes, false);
    if (l)
        read_it(l, l->count - 1, order);
}

/** A store that this thread makes now. C17's release sequences: it goes on with those of its own
 *  stores that nothing but read-modify-writes has followed, and such a one with all. */
static written_t written_now(location_t *l, uint64_t value, int order, bool rmw)
{
    uint32_t least = l->count > KEPT ? l->count - KEPT : 0, n = l->count;
    written_t w = {
        .value = value, .at = ++c11->now[sim_me].of[sim_me], .thread = sim_me, .rmw = rmw};
    w.headed = releases(order) ? c11->now[sim_me] : c11->fenced[sim_me];
    while (n > least && number(l, n - 1)->thread != sim_me && number(l, n - 1)->rmw)
        n--;
    if (n > least && number(l, n - 1)->thread == sim_me)
        join(&w.headed, &number(l, n - 1)->headed);
    w.released = w.headed;
    if (rmw)
        join(&w.released, &number(l, l->count - 1)->released);
    if (order == __ATOMIC_SEQ_CST)
        w.sc = ++c11->order;
    return w;
}

static void c11_write(volatile void *at, uint32_t nbytes, uint64_t value, int order, bool rmw)
{
    uint64_t before = sim_raw_load(at, nbytes);
    location_t *l = find(sim_key((const void *)at), nbytes, true);
    if (l) {
        check_untracked(l, before);
        if (rmw)
            read_it(l, l->count - 1, order);
        *number(l, l->count) = written_now(l, value, order, rmw);
        l->floor[sim_me] = l->count;
        if (order == __ATOMIC_SEQ_CST)
            l->last_sc = l->count;
        l->count++;
    }
    sim_raw_store(at, nbytes, value);
}

static void c11_fence(int order)
{
    clock_t11 *now = &c11->now[sim_me];
    if (acquires(order))
        join(now, &c11->seen[sim_me]);
    if (releases(order))
        now->of[sim_me]++;  // apart from reads behind it
    if (order == __ATOMIC_SEQ_CST) {
        join(now, &c11->sc);
        c11->sc = *now;
        c11->fence[sim_me] = ++c11->order;
    }
    if (releases(order)) {
        c11->fenced[sim_me] = *now;
        join(&c11->device, now);
    }
}

/** Of a key that a plain store changes, or memory that is used anew. */
static void c11_forget(const void *at, size_t nbytes)
{
    sim_key_t key = sim_key(at), end = key + nbytes;
    for (sim_key_t k = key & ~(sim_key_t)7; k < end; k += 8) {
        if (!(c11->filter[(k >> 3) % 65536 / 64] >> (k >> 3) % 64 & 1))
            continue;
        for (sim_key_t byte = k; byte < k + 8; byte++)
            for (uint32_t i = slot_of(byte), tries = 0; tries < 64;
                 i = (i + 1) % LOCATIONS, tries++) {
                location_t *l = &c11->table[i];
                if (l->stamp != c11->stamp)
                    break;
                if (l->key == byte && l->count) {
                    touch(l)->pending = false;
                    number(l, l->count - 1)->value ^= UINT64_C(0x5a5a5a5a5a5a5a5a);
                }
            }
    }
}

/** The location of a plain access, if such ones are relaxed stores and loads there. */
static location_t *find_plain(const void *at, size_t nbytes, bool make)
{
    if ((nbytes != 4 && nbytes != 8) || (uintptr_t)at % nbytes)
        return NULL;
    sim_key_t key = sim_key(at);
    if (!sim_key_is_shared(key) ||
        (!make && !(c11->filter[(key >> 3) % 65536 / 64] >> (key >> 3) % 64 & 1)))
        return NULL;
    return find(key, (uint32_t)nbytes, make);
}

/** Its value is known when the location is used next. */
static void c11_plain_word(void *at, size_t nbytes)
{
    location_t *l = find_plain(at, nbytes, true);
    if (!l) {
        c11_forget(at, nbytes);
        return;
    }
    check_untracked(l, sim_raw_load(at, (uint32_t)nbytes));
    *number(l, l->count) = written_now(l, 0, __ATOMIC_RELAXED, false);
    l->pending = true;
}

/** Before a plain store: of a word, or of some, as a short copy does it. */
static void c11_plain_write(void *at, size_t nbytes)
{
    if (nbytes > SHORT_COPY || ((uintptr_t)at | nbytes) % 8 != 0) {
        c11_plain_word(at, nbytes);
        return;
    }
    for (size_t i = 0; i < nbytes; i += 8)
        c11_plain_word((char *)at + i, 8);
}

static void c11_plain_read(const void *at, size_t nbytes)
{
    location_t *l = find_plain(at, nbytes, false);
    if (!l)
        return;
    check_untracked(l, sim_raw_load(at, (uint32_t)nbytes));
    read_it(l, l->count - 1, __ATOMIC_RELAXED);
}

/** A word that the network has stored comes behind all that came before any thread's release fence,
 *  or its call that posted something: who acquires it sees what was there before the network was
 *  asked for it, and what a server had done and fenced off. */
static void c11_delivered(const void *at, uint32_t nbytes)
{
    location_t *l = find(sim_key(at), nbytes, true);
    if (!l)
        return;
    uint32_t n = l->count++;
    *number(l, n) =
        (written_t){.value = sim_raw_load(at, nbytes), .thread = -1, .released = c11->device};
    for (int i = 0; i < SIM_THREADS; i++)
        l->floor[i] = n;
}

// ---------------------------------------------------------------- in all models

uint64_t sim_load(const volatile void *at, uint32_t nbytes, int order)
{
    switch (sim->model) {
    case SIM_TSO:
        return tso_load(at, nbytes);
    case SIM_C11:
        return c11_load(at, nbytes, order);
    default:
        return sim_raw_load(at, nbytes);
    }
}

void sim_store(volatile void *at, uint32_t nbytes, uint64_t value, int order)
{
    if (sim->model == SIM_TSO)
        tso_store(at, nbytes, value, order);
    else if (sim->model == SIM_C11)
        c11_write(at, nbytes, value, order, false);
    else
        sim_raw_store(at, nbytes, value);
}

/** A read-modify-write sees the newest store, and is seen at once by the next one. */
static void replace(volatile void *at, uint32_t nbytes, uint64_t value, int order)
{
    if (sim->model == SIM_C11)
        c11_write(at, nbytes, value, order, true);
    else
        sim_raw_store(at, nbytes, value);
}

static uint64_t newest(volatile void *at, uint32_t nbytes)
{
    if (sim->model == SIM_TSO) {
        sim_drain();
        return tso_load(at, nbytes);
    }
    return sim_raw_load(at, nbytes);
}

uint64_t sim_rmw(volatile void *at, uint32_t nbytes, sim_op_t op, uint64_t operand, int order)
{
    uint64_t old = newest(at, nbytes), value = operand;
    switch (op) {
    case SIM_SWAP:
        break;
    case SIM_ADD:
        value = old + operand;
        break;
    case SIM_SUB:
        value = old - operand;
        break;
    case SIM_AND:
        value = old & operand;
        break;
    case SIM_OR:
        value = old | operand;
        break;
    case SIM_XOR:
        value = old ^ operand;
        break;
    case SIM_NAND:
        value = ~(old & operand);
        break;
    }
    if (nbytes < 8)
        value &= (UINT64_C(1) << 8 * nbytes) - 1;
    replace(at, nbytes, value, order);
    return old;
}

bool sim_cas(volatile void *at, uint32_t nbytes, uint64_t *expected, uint64_t desired, int order,
             int on_failure)
{
    uint64_t old = newest(at, nbytes);
    if (old == *expected) {
        replace(at, nbytes, desired, order);
        return true;
    }
    if (sim->model == SIM_C11) {
        // the load of a failure may be stale, but not equal to what was expected
        uint64_t stale = c11_load(at, nbytes, on_failure);
        if (stale == *expected)
            c11_saw_newest(at, nbytes, on_failure);
        else
            old = stale;
    }
    *expected = old;
    return false;
}

void sim_fence(int order)
{
    if (order == __ATOMIC_SEQ_CST)
        sim_drain();
    if (sim->model == SIM_C11)
        c11_fence(order);
}

void sim_device(bool posts)
{
    sim_drain();
    if (sim->model != SIM_C11)
        return;
    join(&c11->now[sim_me], &c11->device);
    if (!posts)
        return;
    c11->now[sim_me].of[sim_me]++;
    join(&c11->device, &c11->now[sim_me]);
}

void sim_plain_read(const void *at, size_t nbytes)
{
    if (sim->model == SIM_C11)
        c11_plain_read(at, nbytes);
    if (sim->nstores == 0)
        return;
    const sim_thread_t *me = SIM_ME;
    for (uint32_t k = 0; k < me->nstores; k++)
        if (overlap((uintptr_t)me->stores[k].at, me->stores[k].nbytes, (uintptr_t)at,
                    (uint32_t)nbytes)) {
            sim_drain();
            return;
        }
}

void sim_plain_write(void *at, size_t nbytes)
{
    sim_drain();  // stores become visible in order
    if (sim->model == SIM_C11)
        c11_plain_write(at, nbytes);
}

void sim_forget(const void *at, size_t nbytes)
{
    if (sim->model == SIM_C11)
        c11_forget(at, nbytes);
}

void sim_written(void *at, size_t nbytes)
{
    sim_forget(at, nbytes);
    if (sim->model == SIM_C11 && (nbytes == 4 || nbytes == 8))
        c11_delivered(at, (uint32_t)nbytes);
}

void sim_follows(int later, int earlier)
{
    if (sim->model != SIM_C11)
        return;
    c11->now[earlier].of[earlier]++;
    join(&c11->now[later], &c11->now[earlier]);
    c11->fenced[later] = c11->now[later];
}

/** Before the run, by the driver. */
void sim_model_begin(void)
{
    c11 = sim_share(sizeof *c11);
}

void sim_model_reset(void)
{
    if (sim->model != SIM_C11)
        return;
    c11->stamp++;
    memset(&c11->order, 0, offsetof(c11_t, table) - offsetof(c11_t, order));
}

static c11_t *was;  // where the scene begins

/** By the driver, where the scene begins. */
void sim_model_save(void)
{
    if (sim->model != SIM_C11)
        return;
    if (!was)
        was = malloc(sizeof *was);
    for (uint32_t i = 0; i < c11->ntouched; i++)
        c11->table[c11->touched[i]].touched = false;
    c11->ntouched = 0;
    memcpy(was, c11, offsetof(c11_t, table));
    for (uint32_t i = 0; i < LOCATIONS; i++)
        if (c11->table[i].stamp == c11->stamp)
            was->table[i] = c11->table[i];
}

void sim_model_restore(void)
{
    if (sim->model != SIM_C11)
        return;
    for (uint32_t i = 0; i < c11->ntouched; i++) {
        uint32_t at = c11->touched[i];
        if (was->table[at].stamp == c11->stamp)
            c11->table[at] = was->table[at];
        else
            c11->table[at].stamp = 0;
    }
    memcpy(c11, was, offsetof(c11_t, table));
}
