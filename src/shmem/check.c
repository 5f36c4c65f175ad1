// SPDX-License-Identifier: BSD-3-Clause
//
// Messages for wrong use of a routine: the call, the argument, and the remedy.
#include <stdatomic.h>
#include <stdio.h>

#include "core/mem/foreign.h"
#include "core/observe/check.h"
#include "core/world/front_end.h"
#include "core/world/one_address.h"
#include "shmem/shm.h"

static bool is_routine(const char *symbol)
{
    static const char *const others[] = {"shmalloc",  "shfree", "shrealloc",
                                         "start_pes", "_my_pe", "_num_pes"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(symbol, others[i]) == 0)
            return true;
    return strncmp(symbol, "shmem", 5) == 0;
}

/** Scalar puts of one size are one function under many names, of which the stack shows any. */
static void rename_routine(char *routine, size_t nbytes, bool exact)
{
    size_t n = strlen(routine);
    if (!exact && n > 2 && strcmp(routine + n - 2, "_p") == 0)
        snprintf(routine, nbytes,
                 strncmp(routine, "shmem_ctx_", 10) == 0 ? "shmem_ctx_TYPE_p" : "shmem_TYPE_p");
}

/** Core names routines so in its messages, also before the first call. */
static void register_names(void)
{
    static const cw_names_t names = {.alloc = "shmem_malloc",
                                     .free = "shmem_free",
                                     .ctx_default = "SHMEM_CTX_DEFAULT",
                                     .ctx_private = "SHMEM_CTX_PRIVATE",
                                     .ctx_destroy = "shmem_ctx_destroy"};
    static cw_front_end_t front_end = {.init = "shmem_init",
                                       .finalize = "shmem_finalize",
                                       .more_threads = "shmem_init_thread",
                                       .names = &names,
                                       .is_routine = is_routine,
                                       .rename = rename_routine};
    cw_front_end_register(&front_end);
}

/** First of all: the program may begin again. glibc passes main's arguments. */
static CW_CONSTRUCTOR(101) void at_load(int argc, char **argv)
{
    (void)argc;
    register_names();
    cw_one_address_at_load(argv);
}

void shm_not_initialized(const char *func)
{
    const char *call = shm_call_name(func);
    if (cw_world.finalized)
        cw_check_failed(
            call, "called after shmem_finalize; move the call before it, or initialize again");
    cw_check_failed(call, "called before shmem_init; call shmem_init or shmem_init_thread first");
}

/** True for calls that neither wait nor transfer, or that end the job. */
static bool may_be_in_handler(const char *call)
{
    static const char *const names[] = {"shmem_my_pe",
                                        "shmem_n_pes",
                                        "shmem_num_pes",
                                        "shmem_ptr",
                                        "shmem_pe_accessible",
                                        "shmem_team_my_pe",
                                        "shmem_addr_accessible",
                                        "shmem_team_n_pes",
                                        "shmem_query_thread",
                                        "shmem_global_exit",
                                        "shmem_team_translate_pe",
                                        "shmem_info_get_version",
                                        "shmem_info_get_name"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(call, names[i]) == 0)
            return true;
    return false;
}

/** The same by the routine's own __func__, whose address is remembered when it is none of them. */
static bool is_question(const char *func)
{
    enum { OTHERS = 64 };
    static const char *_Atomic others[OTHERS];
    const char *_Atomic *other = &others[(uintptr_t)func / 16 % OTHERS];
    if (CW_LIKELY(atomic_load_explicit(other, memory_order_relaxed) == func))
        return false;
    if (may_be_in_handler(shm_call_name(func)))
        return true;
    atomic_store_explicit(other, func, memory_order_relaxed);
    return false;
}

/** Of the world, which is known behind its end. */
static bool is_number(const char *call)
{
    return strcmp(call, "shmem_my_pe") == 0 || strcmp(call, "shmem_n_pes") == 0;
}

cw_frame_t *shm_enter(const char *func)
{
    if (shm_is_over() && is_number(shm_call_name(func)))
        return NULL;
    if (!cw_world.initialized)
        shm_not_initialized(func);
    if (is_question(func))
        return cw_watch_query(shm_call_name(func));
    cw_check_not_in_handler(shm_call_name(func));
    return cw_watch_call(shm_call_name(func));
}

void shm_bad_context(const char *func)
{
    cw_check_failed(shm_call_name(func),
                    "the context is not valid; use SHMEM_CTX_DEFAULT, or one whose creation "
                    "returned 0");
}

void shm_bad_team(const char *func)
{
    cw_check_failed(
        shm_call_name(func),
        "the team is not valid; use SHMEM_TEAM_WORLD or SHMEM_TEAM_SHARED, or a team that "
        "a split gave this PE and that is not destroyed");
}

void shm_bad_compare(const char *func, int cmp)
{
    cw_check_failed(shm_call_name(func),
                    "%d is not a comparison; use one of SHMEM_CMP_EQ, NE, GT, GE, LT, LE", cmp);
}

void shm_bad_release(const char *func, const void *lock)
{
    cw_check_failed(shm_call_name(func),
                    "PE %d does not hold the lock at %s: it is not set, or another PE set it; only "
                    "who set a lock may clear it",
                    cw_world.pe, cw_at(lock, sizeof(long)));
}

void shm_bad_set(const char *func, const void *lock)
{
    cw_check_failed(shm_call_name(func),
                    "PE %d holds the lock at %s already and would wait for itself; "
                    "shmem_clear_lock comes first",
                    cw_world.pe, cw_at(lock, sizeof(long)));
}

void shm_check_operand(const char *func, const char *what, const void *addr, size_t nbytes)
{
    if (!cw_foreign_is_symmetric(addr, nbytes))
        shm_check_symmetric(func, what, addr, nbytes);
}

void shm_check_symmetric(const char *func, const char *what, const void *addr, size_t nbytes)
{
    if (nbytes && cw_foreign_holds(addr))
        cw_check_failed(shm_call_name(func),
                        "%s %p is device memory, which processors neither load nor store; give it "
                        "a variable in host memory (shmem_malloc)",
                        what, addr);
    cw_check_block(shm_call_name(func), addr, nbytes);
    if (nbytes && !cw_is_symmetric(addr, nbytes))
        cw_check_failed(
            shm_call_name(func),
            "%s %s, %zu bytes, is not symmetric memory; use shmem_malloc or a global variable",
            what, cw_at(addr, nbytes), nbytes);
}

void shm_check_pe(const char *func, int pe)
{
    if (pe < 0 || pe >= cw_world.npes)
        cw_check_failed(shm_call_name(func), "no PE %d: PEs are 0 to %d", pe, cw_world.npes - 1);
}

void shm_check_context(const char *func, const cw_ctx_t *ctx)
{
    if (!cw_ctx_is_alive(ctx))
        shm_bad_context(func);
}

void shm_check_rank(const char *func, const cw_ctx_t *ctx, int rank)
{
    if (ctx->size == 0)
        shm_bad_context(func);
    if (rank < 0 || rank >= ctx->size)
        cw_check_failed(shm_call_name(func), "no PE %d: PEs of this context's team are 0 to %d",
                        rank, ctx->size - 1);
}

void shm_check_count(const char *func, const char *what, size_t nelems, size_t elem_nbytes)
{
    if (nelems > (size_t)PTRDIFF_MAX / elem_nbytes)
        cw_check_failed(shm_call_name(func), "negative count: %s is %td", what, (ptrdiff_t)nelems);
}

void shm_check_not_null(const char *func, const char *what, const void *addr)
{
    if (!addr)
        cw_check_failed(shm_call_name(func), "%s is NULL; give the address of a variable", what);
}

void shm_check_variable(const char *func, const char *what, const void *addr, size_t nbytes)
{
    shm_check_not_null(func, what, addr);
    shm_check_symmetric(func, what, addr, nbytes);
    if ((uintptr_t)addr % nbytes)
        cw_check_failed(shm_call_name(func),
                        "%s %s is not aligned to its %zu bytes; declare it with its type, do not "
                        "place it by hand",
                        what, cw_at(addr, nbytes), nbytes);
}

void shm_check_stride(const char *func, const char *what, ptrdiff_t stride, ptrdiff_t least)
{
    if (stride < least)
        cw_check_failed(shm_call_name(func), "the stride %s is %td; it must be at least %td", what,
                        stride, least);
}

void shm_check_overlap(const char *func, const void *dest, size_t ndest, const void *source,
                       size_t nsource, bool in_place)
{
    if ((in_place && dest == source) ||
        !cw_check_overlaps(source, nsource, dest, ndest, cw_world.pe))
        return;
    cw_check_failed(shm_call_name(func),
                    "source %s, %zu bytes, and dest %s, %zu bytes, overlap; use %s",
                    cw_at(source, nsource), nsource, cw_at(dest, ndest), ndest,
                    in_place ? "buffers apart, or the same for both" : "another buffer");
}
