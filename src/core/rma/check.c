// SPDX-License-Identifier: BSD-3-Clause
//
// What cold paths and checking mode verify, and how they say it.
#include "base/symbol.h"
#include "core/mem/heap.h"
#include "core/mem/memory.h"
#include "core/mem/segment.h"
#include "core/observe/check.h"
#include "core/rma/ctx.h"
#include "core/rma/rma.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

// more bytes than there are addresses: a negative count in disguise
#define LARGEST_COUNT ((size_t)1 << 47)
#define LOWEST_ADDRESS 4096u             // below lies nothing: NULL and what was computed from it

// What was not given back, by kind: "context", "team", "lock".
enum { LEAK_KINDS = 8, LEAKS_TOLD = 5 };

static struct {
    const char *kind;
    unsigned long count;
} leaks[LEAK_KINDS];
static pthread_mutex_t tellers_lock = PTHREAD_MUTEX_INITIALIZER;  // guards the next
static void (*tellers[LEAK_KINDS])(void);

static int open_checks(unsigned *wants_p)
{
    memset(leaks, 0, sizeof leaks);
    cw_world.check = cwu_env.check && CAUSEWAY_CHECKING;
    if (cwu_env.check && !cw_world.check && cw_world.pe == 0)
        cwu_warn(
            "CAUSEWAY_CHECK=1, but this library was built without checks (meson option checking)");
    *wants_p = cw_world.check ? CW_OBSERVES | CW_OBSERVES_TRANSFERS : 0;
    return CW_OK;
}

static bool is_routine(const char *name)
{
    static const char *const others[] = {"shmalloc",  "shfree", "shrealloc",
                                         "start_pes", "_my_pe", "_num_pes"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(name, others[i]) == 0)
            return true;
    return strncmp(name, "shmem", 5) == 0;
}

/** Scalar puts of one size are one function under many names, of which the stack shows any. */
static void generalize(char *routine, size_t nbytes)
{
    size_t n = strlen(routine);
    if (n > 2 && strcmp(routine + n - 2, "_p") == 0)
        snprintf(routine, nbytes,
                 strncmp(routine, "shmem_ctx_", 10) == 0 ? "shmem_ctx_TYPE_p" : "shmem_TYPE_p");
}

/** `call` may be a kind of transfer: then the call stack tells which routine it was. */
noreturn void cw_check_failed(const char *call, const char *fmt, ...)
{
    char text[500], routine[64] = "", where[160] = "";
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    // a handler may run inside of any routine
    const char *running = cw_watch_handling() >= 0 ? NULL : cw_watch_running();
    bool found = cwu_symbol_caller(is_routine, routine, sizeof routine, where, sizeof where);
    generalize(routine, sizeof routine);
    if (!is_routine(call) && strncmp(call, "gasnet_", 7) != 0 && strncmp(call, "gex_", 4) != 0)
        call = running && is_routine(running) ? running : routine[0] ? routine : call;
    cwu_fatal("%s: %s%s%s", call, text, found ? "; called from " : "", where);
}

void cw_check_not_in_handler(const char *call)
{
    int source = CW_CHECKING() ? cw_watch_handling() : -1;
    if (source >= 0)
        cw_check_failed(call,
                        "called inside a handler of an active message (of PE %d), which may only "
                        "ask who it is, load, "
                        "store and reply; set a flag and call it later",
                        source);
}

static void check_life(const char *call)
{
    if (!cw_world.initialized)
        cw_check_failed(call, "called %s",
                        cw_world.finalized
                            ? "after shmem_finalize; move shmem_finalize behind the last use"
                            : "before shmem_init; call shmem_init first");
}

static void check_pe(const char *call, int pe)
{
    if (pe < 0 || pe >= cw_world.npes)
        cw_check_failed(call, "there is no PE %d; this job has PEs 0 to %d", pe, cw_world.npes - 1);
}

void cw_validate(const char *call, const void *symmetric, size_t nbytes, int pe)
{
    const cwt_layout_t *l = &cw_segment.layout;
    check_life(call);
    check_pe(call, pe);
    if (nbytes > LARGEST_COUNT)
        cw_check_failed(call, "the count is negative or absurd (%zd bytes)", (ssize_t)nbytes);
    if (!cw_is_symmetric(symmetric, nbytes))
        cw_check_failed(call,
                        "%p (+%zu bytes) is not symmetric on PE %d; symmetric are the heap "
                        "(shmem_malloc) %p-%p and "
                        "the program's static data %p-%p",
                        symmetric, nbytes, cw_world.pe, (void *)(cw_segment.heap + CW_COLL_SCRATCH),
                        (void *)(cw_segment.heap + l->heap_nbytes), (void *)cw_segment.origin,
                        (void *)(cw_segment.origin + l->data_nbytes));
}

// ---------------------------------------------------------------- transfers

/** Offset in the node object of an address of this process, through whichever of its mappings;
 *  UINT64_MAX: none. */
static uint64_t object_offset(const void *addr)
{
    const cwt_layout_t *l = &cw_segment.layout;
    uint64_t at = (uintptr_t)addr - cw_segment.origin;
    if (at < l->data_nbytes || (at >= l->heap_offset && at < l->heap_offset + l->heap_nbytes))
        return cw_slice_offset((uint32_t)cw_world.slot) + at;
    at = (uintptr_t)addr - (uintptr_t)cw_segment.base;
    return at < cw_segment.nbytes ? at : UINT64_MAX;
}

bool cw_check_overlaps(const void *a, size_t a_nbytes, const void *b, size_t b_nbytes, int pe)
{
    if (cw_world.node_of_pe[pe] != cw_world.node || !a_nbytes || !b_nbytes)
        return false;
    uint64_t x = object_offset(a);
    uint64_t y =
        cw_slice_offset((uint32_t)cw_world.slot_of_pe[pe]) + ((uintptr_t)b - cw_segment.origin);
    return x != UINT64_MAX && x < y + b_nbytes && y < x + a_nbytes;
}

static bool is_atomic(cw_op_t op)
{
    return op >= CW_OP_ATOMIC && op <= CW_OP_ATOMIC_NBI;
}

static const char *call_of(cw_op_t op)
{
    return is_atomic(op) ? "atomic" : op >= CW_OP_GET ? "get" : "put";
}

static void check_arguments(cw_op_t op, const void *symmetric, const void *local, size_t nbytes,
                            int pe)
{
    const char *call = call_of(op);
    bool reads = op >= CW_OP_GET;
    check_pe(call, pe);
    if (nbytes == 0)
        return;
    cw_validate(call, symmetric, nbytes, pe);
    if (is_atomic(op) && (uintptr_t)symmetric % nbytes)
        cw_check_failed(
            call,
            "the variable at %p is not aligned to its %zu bytes; declare it with its type, do not "
            "place it by hand",
            symmetric, nbytes);
    bool in_registers =
        op == CW_OP_P || op == CW_OP_G || op == CW_OP_ATOMIC || op == CW_OP_ATOMIC_FETCH;
    if (in_registers)
        return;
    if ((uintptr_t)local < LOWEST_ADDRESS)
        cw_check_failed(call, "%s is %s for %zu bytes; give it memory",
                        is_atomic(op) ? "fetch"
                        : reads       ? "dest"
                                      : "source",
                        local ? "next to NULL" : "NULL", nbytes);
    bool strided = op == CW_OP_PUT_STRIDED || op == CW_OP_GET_STRIDED;
    if (!strided && cw_check_overlaps(local, nbytes, symmetric, nbytes, pe))
        cw_check_failed(
            call,
            "source and dest (%zu bytes, on PE %d) overlap: %p and %p are the same memory; use "
            "memmove, or another buffer",
            nbytes, pe, reads ? symmetric : local, reads ? local : symmetric);
}

void cw_check_transfer(cw_op_t op, const void *symmetric, const void *local, size_t nbytes, int pe)
{
    check_life(call_of(op));
    if (CW_CHECKING())
        check_arguments(op, symmetric, local, nbytes, pe);
}

// ---------------------------------------------------------------- leaks

static unsigned long *leak_counter(const char *kind)
{
    for (int i = 0; i < LEAK_KINDS; i++) {
        if (!leaks[i].kind)
            leaks[i].kind = kind;
        if (strcmp(leaks[i].kind, kind) == 0)
            return &leaks[i].count;
    }
    return &leaks[LEAK_KINDS - 1].count;
}

void cw_check_leak(const char *kind, const char *fmt, ...)
{
    if (!CW_CHECKING())
        return;
    if (++*leak_counter(kind) > LEAKS_TOLD)
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
    if (left->blocks++ >= LEAKS_TOLD)
        return;
    cwu_symbol_describe(where, origin, sizeof origin);
    cwu_warn("leak: block of %zu bytes at heap offset 0x%zx, allocated in %s; shmem_free it",
             nbytes, (size_t)((const char *)ptr - (cw_segment.heap + CW_COLL_SCRATCH)), origin);
}

/** The heap is the same on every PE, so one tells; contexts, teams and locks are each PE's own. */
static void tell_heap_leaks(void)
{
    left_t left = {0};
    if (cw_world.pe != 0)
        return;
    cw_heap_walk(count_block, &left);
    if (left.blocks)
        cwu_warn("leak: %lu symmetric heap blocks, %llu bytes on each PE, were not freed before "
                 "shmem_finalize",
                 left.blocks, left.nbytes);
}

void cw_check_at_end(void (*tell)(void))
{
    pthread_mutex_lock(&tellers_lock);
    int i = 0;
    while (i < LEAK_KINDS && tellers[i] && tellers[i] != tell)
        i++;
    if (i < LEAK_KINDS)
        tellers[i] = tell;
    pthread_mutex_unlock(&tellers_lock);
}

static void finish_checks(void)
{
    tell_heap_leaks();
    for (int i = 0; i < LEAK_KINDS && tellers[i]; i++)
        tellers[i]();
    for (int i = 0; i < LEAK_KINDS && leaks[i].kind; i++)
        if (leaks[i].count > LEAKS_TOLD)
            cwu_warn("leak: %lu of kind %s in all", leaks[i].count, leaks[i].kind);
}

static void close_checks(void)
{
    cw_world.check = false;
}

const cw_observer_t cw_check_observer = {
    .open = open_checks, .finish = finish_checks, .close = close_checks};

// ---------------------------------------------------------------- the cold target

/** What the inlined scalar put calls when its word is cold, with the PE where the key would be. */
ssize_t cw_cold_inject(void *ep, const void *buf, size_t nbytes, uint64_t fabric_addr,
                       uint64_t addr, uint64_t pe)
{
    uint64_t bits = 0;
    (void)ep, (void)fabric_addr;
    memcpy(&bits, buf, nbytes);
    cw_put_scalar_cold(&cw_ctx_default, (void *)(uintptr_t)addr, bits, nbytes, (int)pe);
    return 0;
}

/** The same with the context where the fabric address would be. */
ssize_t cw_ctx_cold_inject(void *ep, const void *buf, size_t nbytes, uint64_t ctx, uint64_t addr,
                           uint64_t rank)
{
    uint64_t bits = 0;
    (void)ep;
    memcpy(&bits, buf, nbytes);
    cw_put_scalar_cold((cw_ctx_t *)(uintptr_t)ctx, (void *)(uintptr_t)addr, bits, nbytes,
                       (int)rank);
    return 0;
}

#if defined(__x86_64__)
#define COLD_INJECT(name) name##_thunk
#else
#define COLD_INJECT(name) name
#endif
cwt_target_t cw_cold_target __attribute__((aligned(64))) = {.inject = COLD_INJECT(cw_cold_inject)};
cwt_target_t cw_ctx_cold_target
    __attribute__((aligned(64))) = {.inject = COLD_INJECT(cw_ctx_cold_inject)};
