// SPDX-License-Identifier: BSD-3-Clause
//
// Setup, exit and query routines.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/output.h"
#include "core/mem/foreign.h"
#include "core/mem/segment.h"
#include "core/report/early.h"
#include "shmem/coll_args.h"

/** What SHMEM_VERSION and SHMEM_INFO ask for, on the standard output of PE 0. */
static void print_info(void)
{
    if (cw_world.pe != 0)
        return;
    if (cwu_env.shmem_version || cwu_env.shmem_info)
        printf("Causeway " CAUSEWAY_VERSION ", OpenSHMEM 1.6\n");
    cwu_env_row_t row;
    for (size_t i = 0; cwu_env.shmem_info && cwu_env_table(i, &row); i++)
        printf("%-24s default %-16s %s%s%s\n", row.name, row.def[0] ? row.def : "(none)",
               row.meaning, row.given ? "; now: " : "", row.given ? row.given : "");
    fflush(stdout);
}

static void flush_output(void)
{
    if (cw_world.thread_level == SHMEM_THREAD_SINGLE)
        fflush(NULL);
    else
        cwu_flush_output(NULL);
}

// Of this epoch, and the process that made them: a child that it forks must not finalize at exit.
// Atomic: any thread may ask for them at any time.
static _Atomic int inits, finalizes;
static pid_t starter;
static bool by_start_pes;  // whose end is the end of the program
bool shm_exited;
static int exit_made;  // finalizes, which exit handlers that are left may still call

static void leave(void (*finalize)(const char *call))
{
    finalizes++;
    cw_early_ending = true;
    shm_agree("shmem_finalize", cw_group_world);
    finalize("shmem_finalize");
}

static void warn_of_end(const char *how)
{
    static const char more[] = "since OpenSHMEM 1.4 each shmem_init needs its shmem_finalize";
    if (cw_world.check && !by_start_pes && cw_early_is_first())
        cwu_warn("%s, and finalizes now; %s", how, more);
}

/** A program that ends with status 0 has no more to do: it finalizes here. Any other status is left
 *  to core and the launcher, which end the job. Registered when the job is joined, so what the
 *  program has registered since runs before, and may finalize. What it has registered before, and
 *  destructors of its global objects, run behind it: they find its memory, and what they release or
 *  complete is done. */
static void at_exit(int status, void *arg)
{
    static char how[64];
    (void)arg;
    int joins = inits - finalizes;
    if (status != 0 || getpid() != starter || joins <= 0 || !cw_may_end_early(joins))
        return;
    if (finalizes == 0)
        snprintf(how, sizeof how, "exited with status 0 without calling shmem_finalize");
    else
        snprintf(how, sizeof how, "exited with status 0 after %d shmem_init and %d shmem_finalize",
                 inits, finalizes);
    cw_check_no_threads();  // exit may be called in any
    flush_output();
    cw_early_begin(how);
    warn_of_end(how);
    exit_made = joins;
    cw_segment_stays = true;
    while (--joins > 0)
        leave(cw_finalize);
    leave(cw_has_threads() ? cw_leave_threads : cw_finalize);
    shm_exited = true;
}

static int join(int thread_level, const char *call)
{
    static bool registered;
    bool again = cw_world.initialized;
    int rc = cw_init(thread_level, call);
    if (rc != CW_OK)
        return rc;
    if (!again) {
        print_info();
        inits = finalizes = 0;
    }
    inits++;
    starter = getpid();
    if (!registered)
        registered = on_exit(at_exit, NULL) == 0;
    return rc;
}

void pshmem_init(void)
{
    if (join(SHMEM_THREAD_SINGLE, "shmem_init") != CW_OK)
        exit(EXIT_FAILURE);  // reported by the layer that failed
}
SHM_WEAK(shmem_init);

int pshmem_init_thread(int requested, int *provided)
{
    if (requested < SHMEM_THREAD_SINGLE || requested > SHMEM_THREAD_MULTIPLE)
        return 1;
    if (join(requested, "shmem_init_thread") != CW_OK)
        return 1;
    *provided = cw_world.thread_level;
    return 0;
}
SHM_WEAK(shmem_init_thread);

void pshmem_query_thread(int *provided)
{
    SHM_ENTER();
    if (SHM_CHECKING())
        shm_check_not_null(__func__, "provided", provided);
    *provided = cw_world.thread_level;
}
SHM_WEAK(shmem_query_thread);

/** The job may have been joined by another front end alone, and goes on with that. */
void pshmem_query_initialized(int *initialized)
{
    *initialized = cw_world.initialized && inits > finalizes;
}
SHM_WEAK(shmem_query_initialized);

/** One more than inits is ignored, as elsewhere: the job may be left already, or be that of another
 *  front end. */
void pshmem_finalize(void)
{
    bool was_there = inits > 0 || cw_world.initialized;
    if (shm_is_over() && exit_made > 0) {
        exit_made--;
        return;
    }
    if (was_there && inits == finalizes) {
        if (cw_world.pe == 0 || cwu_env.check)
            cwu_warn("shmem_finalize: called %d times after %d calls of shmem_init; ignored",
                     finalizes + 1, inits);
        return;
    }
    if (!cw_world.initialized)
        shm_not_initialized(__func__);
    leave(cw_finalize);
}
SHM_WEAK(shmem_finalize);

/** The first call initializes; the end of the program finalizes. Later calls have no effect. */
void pstart_pes(int npes)
{
    static bool started;
    (void)npes;
    if (started)
        return;
    started = by_start_pes = true;
    pshmem_init();
}
SHM_WEAK(start_pes);

void pshmem_global_exit(int status)
{
    SHM_ENTER();
    flush_output();
    cw_global_exit(status);
}
SHM_WEAK(shmem_global_exit);

int pshmem_my_pe(void)
{
    SHM_ENTER();
    return cw_world.pe;
}
SHM_WEAK(shmem_my_pe);
extern __typeof__(pshmem_my_pe) _my_pe CW_WEAK_ALIAS("pshmem_my_pe");

int pshmem_n_pes(void)
{
    SHM_ENTER();
    return cw_world.npes;
}
SHM_WEAK(shmem_n_pes);

int pshmem_num_pes(void)
{
    SHM_ENTER();
    return cw_world.npes;
}
extern __typeof__(pshmem_num_pes) _num_pes CW_WEAK_ALIAS("pshmem_num_pes");

static bool is_pe(int pe)
{
    return pe >= 0 && pe < cw_world.npes;
}

/** The object may be anywhere in symmetric memory; a PE of another node has no address here. */
void *pshmem_ptr(const void *dest, int pe)
{
    SHM_ENTER();
    if (SHM_CHECKING())
        shm_check_pe(__func__, pe);
    return is_pe(pe) ? cw_ptr(dest, pe) : NULL;
}
SHM_WEAK(shmem_ptr);

int pshmem_pe_accessible(int pe)
{
    SHM_ENTER();
    return is_pe(pe);
}
SHM_WEAK(shmem_pe_accessible);

int pshmem_addr_accessible(const void *addr, int pe)
{
    SHM_ENTER();
    return is_pe(pe) && (cw_is_symmetric(addr, 1) || cw_foreign_is_symmetric(addr, 1));
}
SHM_WEAK(shmem_addr_accessible);

void pshmem_info_get_version(int *major, int *minor)
{
    *major = SHMEM_MAJOR_VERSION;
    *minor = SHMEM_MINOR_VERSION;
}
SHM_WEAK(shmem_info_get_version);

_Static_assert(sizeof(SHMEM_VENDOR_STRING) <= SHMEM_MAX_NAME_LEN,
               "the name fits the user's buffer");

void pshmem_info_get_name(char *name)
{
    memcpy(name, SHMEM_VENDOR_STRING, sizeof(SHMEM_VENDOR_STRING));
}
SHM_WEAK(shmem_info_get_name);

/** For profiling tools to replace; it does nothing in the library. */
void pshmem_pcontrol(int level, ...)
{
    (void)level;
}
SHM_WEAK(shmem_pcontrol);
