// SPDX-License-Identifier: BSD-3-Clause
//
// Distributions build libfabric with every provider, and some of them search at a high price for
// devices that this machine cannot have. Where the kernel shows no RDMA device at all, the search
// can find nothing, and libfabric is spared its costly parts. No provider is chosen or dropped
// here: each looks for its devices as ever, and finds none, as ever. CAUSEWAY_PROBE=all: nothing
// is spared.
//
// Measured with Debian's 1.17 on two busy cores: four PEs on two emulated nodes, a put and a
// barrier; medians of 21 runs in turn, the whole job:
//
//                                        wall       processor
//    nothing spared                    1516 ms         511 ms
//    stand-ins only                    1388 ms         478 ms
//    names hidden only                  264 ms          65 ms
//    both                                83 ms          33 ms
//
//   stand-ins  The libraries of two fabrics (psm, psm2) measure the clock for 0.1 s each when they
//              are loaded. Libraries without constructors (probe_psm.c) take their names.
//   names      The verbs provider reads all names of the kernel's functions, twice, before it looks
//              for devices. For the moment /proc/kallsyms does not exist for libfabric.
//   settings   Not for speed: libfabric asks for a hundred environment variables in a thread that
//              the program does not know of, while the program may call setenv, which frees what
//              getenv reads. So libfabric, and the libraries below it, read a copy that was
//              made when the job was joined (cwu_env_keep). Constructors of libraries read before
//              that, in the program's own thread (ofi_begin_load).
//
// The last two give one library another function in place of one that it calls (divert.h).
#include "probe.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/install.h"
#include "divert.h"

#define NAMES "/proc/kallsyms"

bool ofi_probe_is_short(void)
{
    if (strcmp(cwu_env.probe, "all") == 0 || access("/sys/class/net", F_OK) != 0)
        return false;  // the second: without sysfs there is no telling
    DIR *dir = opendir("/sys/class/infiniband");
    if (!dir)
        return errno == ENOENT;
    int entries = 0;
    for (struct dirent *entry; (entry = readdir(dir));)
        entries += entry->d_name[0] != '.';
    closedir(dir);
    return entries == 0;
}

// ---------------------------------------------------------------- stand-ins

static const char *const stand_ins[] = {"probe-psm.so", "probe-psm2.so"};
enum { STAND_INS = sizeof stand_ins / sizeof stand_ins[0] };

void *ofi_probe_load(const char *path)
{
    void *handles[STAND_INS] = {0};
    char file[PATH_MAX];
    // An MPI in this process may load the true libraries for itself: it must find them.
    bool short_search = ofi_probe_is_short() && !dlsym(RTLD_DEFAULT, "MPI_Initialized");
    for (int i = 0; i < STAND_INS && short_search; i++)
        if (cwu_install_find(stand_ins[i], file))
            handles[i] = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    void *library = cwu_load(path, RTLD_NOW | RTLD_LOCAL);
    for (int i = 0; i < STAND_INS; i++)
        if (handles[i])
            dlclose(handles[i]);  // libfabric keeps what it uses
    // should this libfabric want more of them than stands in for it: with all
    return library ? library : cwu_load(path, RTLD_NOW | RTLD_LOCAL);
}

// ---------------------------------------------------------------- names

typedef FILE *fopen_fn(const char *, const char *);
static ofi_diverted_t names;

static FILE *open_other(const char *path, const char *mode)
{
    if (strcmp(path, NAMES) == 0) {
        errno = ENOENT;
        return NULL;
    }
    return ((fopen_fn *)names.old)(path, mode);
}

void ofi_probe_hide_names(void *library)
{
    if (!ofi_divert(&names, library, "fopen", (ofi_fn_t *)open_other))
        ofi_divert(&names, library, "fopen64", (ofi_fn_t *)open_other);
}

void ofi_probe_show_names(void)
{
    ofi_restore(&names);
}

// ---------------------------------------------------------------- settings, and both

/** What libfabric calls while it searches, and which asks for variables itself. */
static const char *const below[] = {"libibverbs.so.1", "librdmacm.so.1", "libpsm_infinipath.so.1",
                                    "libinfinipath.so.4", "libpsm2.so.2"};
enum { BELOW = sizeof below / sizeof below[0] };
static void *libraries[BELOW];
static ofi_diverted_t of_libfabric, of_libraries[BELOW];

/** libfabric's cache of registrations must see every munmap. It patches the C library's code for
 *  that, beside threads that may be in there, and asks for write access to whatever is registered.
 *  Causeway works without a cache (ADR 6), so there is none unless the user asks for one. */
static char *setting(const char *name)
{
    static char no_cache[] = "disabled";
    // without a helper thread nothing was kept, and the program waits meanwhile
    char *given = cwu_env_is_kept() ? cwu_env_kept(name) : (char *)(uintptr_t)cwu_env_get(name);
    return given || strcmp(name, "FI_MR_CACHE_MONITOR") != 0 ? given : no_cache;
}

void ofi_probe_begin(void *libfabric)
{
    if (ofi_probe_is_short())
        ofi_probe_hide_names(libfabric);
    ofi_divert(&of_libfabric, libfabric, "getenv", (ofi_fn_t *)setting);
    if (!cwu_env_is_kept())
        return;
    for (int i = 0; i < BELOW; i++) {
        libraries[i] = dlopen(below[i], RTLD_LAZY | RTLD_NOLOAD);
        if (libraries[i])
            ofi_divert(&of_libraries[i], libraries[i], "getenv", (ofi_fn_t *)cwu_env_kept);
    }
}

void ofi_probe_end(void)
{
    ofi_restore(&of_libfabric);
    ofi_restore(&names);
    for (int i = 0; i < BELOW; i++) {
        ofi_restore(&of_libraries[i]);
        if (libraries[i])
            dlclose(libraries[i]);
        libraries[i] = NULL;
    }
}
