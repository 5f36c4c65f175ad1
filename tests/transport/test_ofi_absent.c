// SPDX-License-Identifier: BSD-3-Clause
//
// The list of the kernel's names is hidden from one library, for a while, and nothing else is:
// neither other files nor from other callers.
// Argument: the library. Linked as libfabric is, with its table of functions read-only.
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "transport/ofi/lib/probe.h"

#define NAMES "/proc/kallsyms"

static int failures;

static void check(int ok, const char *what)
{
    if (!ok)
        printf("FAIL: %s\n", what);
    failures += !ok;
}

static int opens(FILE *(*open_file)(const char *), const char *path)
{
    errno = 0;
    FILE *f = open_file(path);
    if (f)
        fclose(f);
    return f != NULL;
}

static FILE *own_open(const char *path)
{
    return fopen(path, "r");
}

static int is_writable(const char *library)
{
    char line[4096];
    int writable = 0, relro = 0;
    FILE *f = fopen("/proc/self/maps", "r");
    while (f && fgets(line, sizeof line, f)) {
        char *perms = strchr(line, ' ');
        if (strstr(line, library) && perms) {
            writable += perms[2] == 'w';
            relro += perms[1] == 'r' && perms[2] == '-' && perms[3] == '-';
        }
    }
    if (f)
        fclose(f);
    return relro > 0 ? writable : -1;
}

int main(int argc, char **argv)
{
    void *handle = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    FILE *(*victim)(const char *) = NULL;
    if (handle)
        *(void **)&victim = dlsym(handle, "victim_open");
    if (!victim) {
        printf("FAIL: %s\n", dlerror());
        return 1;
    }
    if (!opens(own_open, NAMES)) {
        printf("SKIP: there is no " NAMES " here\n");
        return 77;
    }
#if !defined(__x86_64__) && !defined(__aarch64__)
    printf("SKIP: nothing is hidden on this kind of machine\n");
    return 77;
#endif
    int writable = is_writable("victim");
    for (int round = 0; round < 2; round++) {
        check(opens(victim, NAMES), "the library finds the list");
        ofi_probe_hide_names(handle);
        check(!opens(victim, NAMES) && errno == ENOENT, "hidden, the list is not there");
        check(opens(victim, "/proc/self/status"), "other files are");
        check(!opens(victim, "/nonexistent") && errno == ENOENT, "and those that are not, are not");
        check(opens(own_open, NAMES), "others find the list");
        check(is_writable("victim") == writable,
              "the table is read-only again while the list is hidden");
        ofi_probe_show_names();
        check(opens(victim, NAMES), "the library finds the list again");
        check(is_writable("victim") == writable, "the table is read-only again");
    }
    ofi_probe_show_names();  // nothing is hidden: no effect
    setenv("CAUSEWAY_PROBE", "all", 1);
    cwu_env_load();
    check(!ofi_probe_is_short(), "CAUSEWAY_PROBE=all: everything is looked for");
    printf(failures ? "" : "ok\n");
    return failures != 0;
}
