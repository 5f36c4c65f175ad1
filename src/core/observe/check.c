// SPDX-License-Identifier: BSD-3-Clause
//
// Messages of checking mode: wrong use, and leaks.
#include "core/observe/check.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/symbol.h"
#include "core/mem/heap.h"
#include "core/mem/memory.h"
#include "core/mem/segment.h"
#include "core/observe/address.h"
#include "core/observe/known.h"
#include "core/observe/sources.h"
#include "core/world/front_end.h"

// Objects that were not released, by kind.
enum { LEAK_KINDS = 12, LEAKS_REPORTED = 5 };

static struct {
    struct {
        const char *name;
        unsigned long count;
    } kind[LEAK_KINDS];
    pthread_mutex_t lock;  // guards the next
    void (*report[LEAK_KINDS])(void);
} leaks = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct {
    pthread_t thread;
    int tid;
    _Atomic bool any;  // the process ends
} joiner;              // written when the job is joined

static _Thread_local bool forked;  // private to a process, unlike static data
unsigned cw_check_round;
_Thread_local unsigned cw_check_passed CW_INITIAL_EXEC;

static void in_child(void)
{
    forked = true;
    cw_check_passed = 0;
    cw_known_mine = NULL;  // its pairs are the parent's
}

static int open_checks(unsigned *wants_p)
{
    static bool asked;
    cw_check_round++;
    joiner.thread = pthread_self();
    joiner.tid = (int)gettid();
    atomic_store(&joiner.any, false);
    memset(leaks.kind, 0, sizeof leaks.kind);
    cw_world.check = cwu_env.check && CAUSEWAY_CHECKING;
    if (cwu_env.check && !cw_world.check && cw_world.pe == 0)
        cwu_warn(
            "CAUSEWAY_CHECK=1, but this library was built without checks (meson option checking)");
    if (cw_world.check && !asked)
        asked = pthread_atfork(NULL, NULL, in_child) == 0;
    *wants_p = cw_world.check ? CW_OBSERVES | CW_OBSERVES_TRANSFERS : 0;
    return CW_OK;
}

/** The routine for a message, and its caller's place or "". If `call` is a kind of transfer, the
 *  stack gives the routine, kept in *routine. */
static const char *find_call(const char *call, cwu_routine_t *routine, char *where, size_t nbytes)
{
    // a handler may run inside any routine
    const char *running = cw_watch_handling() >= 0 ? NULL : cw_watch_running();
    where[0] = '\0';
    bool (*is_wanted)(const char *) = cw_is_routine(call) ? cw_is_named_routine : cw_is_routine;
    if (!cwu_symbol_caller(is_wanted, routine, where, nbytes))
        where[0] = '\0';
    cw_rename_routine(routine->name, sizeof routine->name, routine->exact);
    if (cw_is_routine(call))
        return call;
    return running && cw_is_named_routine(running) ? running
           : routine->name[0]                      ? routine->name
                                                   : call;
}

noreturn void cw_check_failed(const char *call, const char *fmt, ...)
{
    char text[900], where[160];
    cwu_routine_t routine;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    call = find_call(call, &routine, where, sizeof where);
    cwu_fatal("%s: %s%s%s", call, text, where[0] ? "; called from " : "", where);
}

void cw_check_warn(const char *call, const char *fmt, ...)
{
    char text[900], where[160];
    cwu_routine_t routine;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    call = find_call(call, &routine, where, sizeof where);
    cwu_warn("%s: %s%s%s", call, text, where[0] ? "; called from " : "", where);
}

enum { PLACES = 32 };  // as many as one reads
static const void *_Atomic reported[PLACES];

bool cw_check_is_news(const void *place)
{
    place = place ? place : reported;  // unknown places count as one
    for (int i = 0; i < PLACES; i++) {
        const void *known = NULL;
        if (atomic_compare_exchange_strong_explicit(&reported[i], &known, place,
                                                    memory_order_relaxed, memory_order_relaxed))
            return true;
        if (known == place)
            return false;
    }
    return false;
}

void cw_check_block(const char *call, const void *symmetric, size_t nbytes)
{
    size_t room;
    char text[CW_KNOWN_TEXT];
    if (nbytes == 0 || cw_known_seen(CW_KNOWN_REMOTE, CW_KNOWN_SYMMETRIC, symmetric, nbytes))
        return;
    cw_known_span_t span = {CW_KNOWN_SYMMETRIC, 0, UINTPTR_MAX, true};
    cw_heap_span_t block = {NULL, UINTPTR_MAX};
    unsigned changes = atomic_load(&cw_block_changes);
    if (cw_known_wrong_static(symmetric, nbytes, text, sizeof text, &span))
        cw_check_failed(call, "%zu bytes at %p of symmetric memory %s", nbytes, symmetric, text);
    if (cw_heap_covers(symmetric, nbytes, &room, &block)) {
        cw_known_clip(&span, (uintptr_t)block.start, (uintptr_t)block.start + block.nbytes);
        if (cw_is_symmetric((const void *)span.begin, span.end - span.begin))
            cw_known_remember(CW_KNOWN_REMOTE, changes, &span);
        return;
    }
    if (cw_known_wrong_here(symmetric, nbytes, text, sizeof text))
        cw_check_failed(call, "%zu bytes at %p in the heap %s", nbytes, symmetric, text);
    if (room)
        cw_check_failed(call,
                        "%s, %zu bytes, reaches beyond its block of the heap, which ends %zu "
                        "bytes behind that address",
                        cw_at(symmetric, 1), nbytes, room);
    cw_check_failed(call,
                    "%s is in the heap, but in no block of it: it was freed, or never "
                    "returned by %s",
                    cw_at(symmetric, 1), cw_names()->alloc);
}

void cw_check_new_buffer(const char *call, const char *what, const void *buffer, size_t nbytes)
{
    char text[CW_KNOWN_TEXT];
    if (nbytes == 0)
        return;
    if ((uintptr_t)buffer < CW_KNOWN_LOWEST)
        cw_check_failed(call, "%s is %s for %zu bytes; give it memory", what,
                        buffer ? "next to NULL" : "NULL", nbytes);
    if (cw_known_wrong_here(buffer, nbytes, text, sizeof text))
        cw_check_failed(call, "%s: %zu bytes at %p of this process %s", what, nbytes, buffer, text);
}

void cw_check_apart(const char *call, const void *dest, const void *source, size_t nbytes)
{
    if (cw_check_overlap(dest, source, nbytes))
        cw_check_failed(call,
                        "source and destination (%zu bytes) overlap: %s and %s are partly the same "
                        "memory; use memmove, or another buffer",
                        nbytes, cw_at(source, nbytes), cw_at(dest, nbytes));
}

void cw_check_not_in_handler(const char *call)
{
    int source = CW_CHECKING() && !cw_watch_is_outermost() ? cw_watch_handling() : -1;
    if (source >= 0 && !atomic_load(&joiner.any))
        cw_check_failed(call,
                        "called inside a handler of an active message (of PE %d), which may only "
                        "ask who it is, load, "
                        "store and reply; set a flag and call it later",
                        source);
}

static volatile sig_atomic_t own_handler;

void cw_check_new_stack(const char *call, uintptr_t pointer)
{
    char place[160];
    const void *interrupted;
    if (atomic_load(&joiner.any) || own_handler || !cw_known_in_signal(pointer, &interrupted) ||
        atomic_exchange(&joiner.any, true))
        return;
    const char *running = cw_watch_running();
    cwu_symbol_describe(interrupted, place, sizeof place);
    cw_watch_depth = 0;  // the message is about the handler's call
    cw_check_failed(call,
                    "called in the handler of a signal, which has interrupted %s%s%s; set a flag "
                    "there, and make the call outside",
                    running ? running : "the program", running ? "" : " at ", running ? "" : place);
}

void cw_check_own_handler(bool runs)
{
    own_handler = runs;
}

void cw_check_no_threads(void)
{
    cw_sources_stop();
    atomic_store(&joiner.any, true);
}

void cw_check_new_thread(const char *call)
{
    if (forked)
        cw_check_failed(call,
                        "called in process %d, which fork has made of this %s: it has no part "
                        "in the job; let it call exec or _exit",
                        (int)getpid(), cw_pe_word());
    if (cw_world.thread_level > CW_THREAD_FUNNELED ||
        pthread_equal(joiner.thread, pthread_self()) || atomic_exchange(&joiner.any, true)) {
        cw_check_passed = cw_check_round;
        return;
    }
    cw_check_failed(call,
                    "called in thread %d; the job was joined by %s in thread %d, for calls of that "
                    "thread alone; ask for more with %s",
                    (int)gettid(), cw_world.init_call, joiner.tid,
                    cw_front_end_of(cw_world.init_call)->more_threads);
}

// ---------------------------------------------------------------- leaks

static unsigned long *leak_counter(const char *kind)
{
    for (int i = 0; i < LEAK_KINDS; i++) {
        if (!leaks.kind[i].name)
            leaks.kind[i].name = kind;
        if (strcmp(leaks.kind[i].name, kind) == 0)
            return &leaks.kind[i].count;
    }
    return &leaks.kind[LEAK_KINDS - 1].count;
}

void cw_check_leak(const char *kind, const char *fmt, ...)
{
    if (!CW_CHECKING())
        return;
    if (++*leak_counter(kind) > LEAKS_REPORTED)
        return;
    char text[300];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    cwu_warn("leak: %s: %s", kind, text);
}

typedef struct left {
    unsigned long blocks;
    unsigned long long nbytes;
} left_t;

static void count_block(void *arg, const void *ptr, size_t nbytes, const void *where)
{
    left_t *left = arg;
    char origin[160] = "an unknown place";
    if (!where)
        return;  // the library's own
    left->nbytes += nbytes;
    if (left->blocks++ >= LEAKS_REPORTED)
        return;
    cwu_symbol_describe(where, origin, sizeof origin);
    cwu_warn("leak: block of %zu bytes at heap offset 0x%zx, allocated in %s; %s it", nbytes,
             (size_t)((const char *)ptr - (cw_segment.heap + CW_COLL_SCRATCH)), origin,
             cw_names()->free);
}

// ---------------------------------------------------------------- what calls gave
void cw_check_give(int64_t space, uintptr_t object, const char *call)
{
    cw_known_add(&(cw_known_t){
        .space = space, .base = object, .nbytes = 1, .call = call, .place = cwu_symbol_outside()});
}

static int by_place(const void *left, const void *right)
{
    const cw_known_t *a = left, *b = right;
    return a->place < b->place ? -1 : a->place > b->place;
}

/** A line for each place; without a place: the library's own. is_routine: which routines; NULL:
 *  all. */
static void report_given(int64_t space, const char *kind, const char *missing,
                         bool (*is_routine)(const char *name))
{
    char place[160];
    cw_known_t *all;
    size_t n = cw_known_left(space, &all), same;
    if (n > 0)
        qsort(all, n, sizeof *all, by_place);
    for (size_t i = 0; i < n; i += same) {
        for (same = 1; i + same < n && all[i + same].place == all[i].place; same++)
            ;
        if (!all[i].place || (is_routine && !is_routine(all[i].call)))
            continue;
        cwu_symbol_describe(all[i].place, place, sizeof place);
        cw_check_leak(kind, "%zu of %s at %s, never %s", same, all[i].call, place, missing);
    }
    free(all);
}

void cw_check_blocks_left(bool (*is_routine)(const char *name))
{
    report_given(cw_world.pe, "block", "freed", is_routine);
}

static void report_all_given(void)
{
    report_given(CW_KNOWN_HANDLES, "handle", "waited for", NULL);
    report_given(CW_KNOWN_REQUESTS, "handle",
                 "waited for: a fence or a barrier does not replace that", NULL);
    report_given(CW_KNOWN_EVENTS, "event", "waited for", NULL);
    report_given(CW_KNOWN_TEAMS, "team", "destroyed", NULL);
    report_given(CW_KNOWN_PARTS, "segment", "destroyed", NULL);
    report_given(CW_KNOWN_DOMAINS, "domain of atomics", "destroyed", NULL);
}

/** The heap is the same on all PEs, so one reports it; other objects are each PE's own. */
static void report_heap_leaks(void)
{
    left_t left = {0};
    if (cw_world.pe != 0)
        return;
    cw_heap_walk(count_block, &left);
    if (left.blocks)
        cwu_warn("leak: %lu symmetric heap blocks, %llu bytes on each PE, were not freed before "
                 "%s",
                 left.blocks, left.nbytes, cw_missing_finalize());
}

void cw_check_at_end(void (*report)(void))
{
    pthread_mutex_lock(&leaks.lock);
    int i = 0;
    while (i < LEAK_KINDS && leaks.report[i] && leaks.report[i] != report)
        i++;
    if (i < LEAK_KINDS)
        leaks.report[i] = report;
    pthread_mutex_unlock(&leaks.lock);
}

static void finish_checks(void)
{
    report_heap_leaks();
    if (CW_CHECKING())
        report_all_given();
    for (int i = 0; i < LEAK_KINDS && leaks.report[i]; i++)
        leaks.report[i]();
    for (int i = 0; i < LEAK_KINDS && leaks.kind[i].name; i++)
        if (leaks.kind[i].count > LEAKS_REPORTED)
            cwu_warn("leak: %lu of kind %s in all", leaks.kind[i].count, leaks.kind[i].name);
}

static void close_checks(void)
{
    cw_known_close();
    cw_sources_close();
    for (int i = 0; i < PLACES; i++)
        atomic_store_explicit(&reported[i], NULL, memory_order_relaxed);
    cw_world.check = false;
}

const cw_observer_t cw_check_observer = {
    .open = open_checks, .finish = finish_checks, .close = close_checks};
