// SPDX-License-Identifier: BSD-3-Clause
//
// Counts the instructions of a call by single-stepping (step.h).
#ifndef _GNU_SOURCE  // tests of meson define it for all
#define _GNU_SOURCE
#endif
#include "step.h"

#include <dlfcn.h>
#include <link.h>
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

void step_skip(void)
{
    step_log->n = STEP_MAX;
}

// Where libraries lie whose names begin so. dladdr would look through all names of one, each time.
struct step_ranges {
    const char *const *libraries;
    size_t nlibraries, n;
    struct {
        uintptr_t first, behind;
    } range[16];
};

static int add_ranges(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct step_ranges *ranges = arg;
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *base = slash ? slash + 1 : info->dlpi_name;
    size_t i = 0;
    (void)size;
    while (i < ranges->nlibraries &&
           strncmp(base, ranges->libraries[i], strlen(ranges->libraries[i])))
        i++;
    for (int k = 0; k < info->dlpi_phnum && i < ranges->nlibraries; k++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[k];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
            continue;
        if (ranges->n == sizeof ranges->range / sizeof *ranges->range)
            abort();
        ranges->range[ranges->n].first = info->dlpi_addr + part->p_vaddr;
        ranges->range[ranges->n++].behind = info->dlpi_addr + part->p_vaddr + part->p_memsz;
    }
    return 0;
}

long step_first_in(const char *const *libraries, size_t n)
{
    struct step_ranges ranges = {.libraries = libraries, .nlibraries = n};
    dl_iterate_phdr(add_ranges, &ranges);
    for (size_t i = 0; i < step_log->n; i++)
        for (size_t k = 0; k < ranges.n; k++)
            if (step_log->ip[i] >= ranges.range[k].first &&
                step_log->ip[i] < ranges.range[k].behind)
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
