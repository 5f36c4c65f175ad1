// SPDX-License-Identifier: BSD-3-Clause
//
// Setup, exit and query routines.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/output.h"
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

static int join(int thread_level, const char *call)
{
    bool again = cw_world.initialized;
    int rc = cw_init(thread_level, call);
    if (rc == CW_OK && !again)
        print_info();
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

void pshmem_query_initialized(int *initialized)
{
    *initialized = cw_world.initialized;
}
SHM_WEAK(shmem_query_initialized);

void pshmem_finalize(void)
{
    if (!cw_world.initialized)
        shm_not_initialized(__func__);
    shm_agree(__func__, cw_group_world);
    cw_finalize("shmem_finalize");
}
SHM_WEAK(shmem_finalize);

static pid_t starter;  // caller of start_pes: a child that it forks must not finalize at exit

static void finalize_at_exit(void)
{
    cw_check_no_threads();  // exit may be called in any
    if (cw_world.initialized && getpid() == starter)
        cw_finalize("shmem_finalize");
}

/** The first call initializes; the end of the program finalizes. Later calls have no effect. */
void pstart_pes(int npes)
{
    static bool started;
    (void)npes;
    if (started)
        return;
    started = true;
    starter = getpid();
    pshmem_init();
    atexit(finalize_at_exit);
}
SHM_WEAK(start_pes);

static void flush_output(void)
{
    if (cw_world.thread_level == SHMEM_THREAD_SINGLE)
        fflush(NULL);
    else
        cwu_flush_output();
}

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
    return is_pe(pe) && cw_is_symmetric(addr, 1);
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
