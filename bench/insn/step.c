// SPDX-License-Identifier: BSD-3-Clause
//
// Counts the instructions of a call by single-stepping (step.h).
#ifndef _GNU_SOURCE  // tests of meson define it for all
#define _GNU_SOURCE
#endif
#include "step.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

struct step_log *step_log;

#if STEP_WORKS
// The kernel returns from a system call without a trap behind the syscall instruction itself: the
// one after it is missed.
static void add_missed(struct step_log *log, uintptr_t ip)
{
    const unsigned char *last = log->n ? (const unsigned char *)log->ip[log->n - 1] : NULL;
    if (last && last[0] == 0x0f && last[1] == 0x05 && (uintptr_t)last + 2 != ip &&
        log->n < STEP_MAX)
        log->ip[log->n++] = (uintptr_t)last + 2;
}

static void on_trap(int sig, siginfo_t *info, void *context)
{
    ucontext_t *uc = context;
    uintptr_t ip = (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
    struct step_log *log = step_log;
    (void)sig, (void)info;
    add_missed(log, ip);
    if (ip >= (uintptr_t)__start_step_callers && ip < (uintptr_t)__stop_step_callers)
        return;
    if (log->n && log->ip[log->n - 1] == ip) // one round of a string instruction
        return;
    if (log->n < STEP_MAX)
        log->ip[log->n++] = ip;
    else
        uc->uc_mcontext.gregs[REG_EFL] &= ~0x100LL;
}

static void catch_traps(void)
{
    struct sigaction act = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigaction(SIGTRAP, &act, NULL);
}
#else
static void catch_traps(void)
{
}
#endif

// The log is private memory of its own: static data may be symmetric, and shared.
void step_init(void)
{
    step_log =
        mmap(NULL, sizeof *step_log, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (step_log == MAP_FAILED) {
        perror("step: mmap");
        exit(1);
    }
    catch_traps();
}

void step_clear(void)
{
    step_log->n = 0;
}

static int is_in(uintptr_t ip, const char *const *libraries, size_t n)
{
    Dl_info info;
    if (!dladdr((void *)ip, &info) || !info.dli_fname)
        return 0;
    const char *slash = strrchr(info.dli_fname, '/');
    const char *base = slash ? slash + 1 : info.dli_fname;
    for (size_t i = 0; i < n; i++)
        if (!strncmp(base, libraries[i], strlen(libraries[i])))
            return 1;
    return 0;
}

long step_first_in(const char *const *libraries, size_t n)
{
    for (size_t i = 0; i < step_log->n; i++)
        if (is_in(step_log->ip[i], libraries, n))
            return (long)i;
    return -1;
}

void step_write(FILE *file, const char *name, const char *which)
{
    fprintf(file, "# %s %s\n", name, which);
    for (size_t i = 0; i < step_log->n; i++) {
        Dl_info info = {0};
        dladdr((void *)step_log->ip[i], &info);
        fprintf(file, "%s %#lx\n", info.dli_fname ? info.dli_fname : "?",
                (unsigned long)(step_log->ip[i] - (uintptr_t)info.dli_fbase));
    }
}
