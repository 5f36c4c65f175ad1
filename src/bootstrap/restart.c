// SPDX-License-Identifier: BSD-3-Clause
//
// Begins again at fixed addresses (ADR 137). Only in processes of a launcher, so that no other
// program is executed twice. Where personality(2) is forbidden (containers), nothing happens.
// Or at other addresses: programs that no loader has placed and in which this library is.
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/env.h"
#include "base/machine.h"
#include "bootstrap/bootstrap.h"

// the process that has begun again, and how often: at fixed addresses once, whatever comes of it
#define MARK "CAUSEWAY_RESTARTED"

extern char **environ;

/** Signs of a launcher that is not oshrun, as the back ends look for them. */
static bool is_launched(void)
{
    static const char *const signs[] = {"PMI_FD",      "PMI_SIZE",    "PMIX_RANK",
                                        "PALS_RANKID", "ALPS_APP_PE", "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (getenv(signs[i]))
            return true;
    return false;
}

/** Of the program. */
static const ElfW(Phdr) * header(ElfW(Word) type)
{
    const ElfW(Phdr) *ph = (const ElfW(Phdr) *)getauxval(AT_PHDR);
    unsigned long n = ph ? getauxval(AT_PHNUM) : 0;
    for (unsigned long i = 0; i < n; i++)
        if (ph[i].p_type == type)
            return &ph[i];
    return NULL;
}

/** Has the loader placed the program itself, by an interpreter that its file names? Not so where it
 *  has one address, or was given to the loader by name. */
static bool is_placed_by_kernel(void)
{
    const ElfW(Phdr) *self = header(PT_PHDR);
    return self && getauxval(AT_PHDR) != self->p_vaddr && header(PT_INTERP) &&
           getauxval(AT_BASE) != 0;
}

/** Under valgrind the new program would not be. */
static bool is_under_valgrind(void)
{
    const char *preloaded = getenv("LD_PRELOAD");
    return preloaded && strstr(preloaded, "/vgpreload_");
}

static bool has_restarted(void)
{
    const char *mark = getenv(MARK);
    return mark && strtol(mark, NULL, 10) == getpid();
}

/** Returns if that is not possible. */
static void begin_again(char *const *argv, int times)
{
    char path[PATH_MAX], mark[32];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    snprintf(mark, sizeof mark, "%ld %d", (long)getpid(), times);
    if (n <= 0 || setenv(MARK, mark, 1) != 0)
        return;
    path[n] = '\0';
    execve(path, argv, environ);
    unsetenv(MARK);
}

bool cwb_lies_badly(void)
{
    const char here = 0;
    const uintptr_t room = (uintptr_t)64 << 30, program = (uintptr_t)getauxval(AT_PHDR);
    // one that was given to the loader by name has an interpreter: the loader's arguments are lost
    return getauxval(AT_BASE) == 0 && !header(PT_INTERP) && (uintptr_t)&here - program < room &&
           !getauxval(AT_SECURE) && !is_under_valgrind() && cwu_addresses_random();
}

void cwb_restart_elsewhere(char *const *argv)
{
    enum { TIMES = 4 };
    const char *mark = getenv(MARK), *tried = mark ? strchr(mark, ' ') : NULL;
    int times = tried && has_restarted() ? atoi(tried) : 0;
    if (times < TIMES)
        begin_again(argv, times + 1);
}

bool cwb_may_restart(void)
{
    const char *setting = getenv("CAUSEWAY_ONE_ADDRESS");
    return !(setting && cwu_is_no(setting)) && !getenv("CAUSEWAY_LAUNCH") && is_launched() &&
           !getauxval(AT_SECURE) && is_placed_by_kernel() && cwu_addresses_random() &&
           !has_restarted() && !is_under_valgrind();
}

void cwb_restart(char *const *argv)
{
    if (cwu_addresses_fix(true)) {
        begin_again(argv, 1);
        cwu_addresses_fix(false);
    }
}
