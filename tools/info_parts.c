// SPDX-License-Identifier: BSD-3-Clause
//
// The installation: where its files are, which plugins can be loaded, which launchers are here.
#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/install.h"
#include "info_doctor.h"

/** The folder of this program. False: not known. */
static bool own_folder(char folder[PATH_MAX])
{
    ssize_t n = readlink("/proc/self/exe", folder, PATH_MAX - 1);
    folder[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    return slash != NULL;
}

/** The first executable file of that name in PATH, or false. */
static bool in_path(const char *name, char file[PATH_MAX])
{
    const char *path = getenv("PATH");
    for (size_t n; path; path = path[n] ? path + n + 1 : NULL) {
        n = strcspn(path, ":");
        if (snprintf(file, PATH_MAX, "%.*s/%s", (int)n, n ? path : ".", name) < PATH_MAX &&
            access(file, X_OK) == 0)
            return true;
    }
    return false;
}

static void path_line(const char *name, const char *folder, const char *from_bin)
{
    char path[2 * PATH_MAX], real[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, from_bin);
    if (realpath(path, real))
        info_line(name, "%s", real);
    else
        info_line(name, "not installed (%s)", path);
}

void info_paths(void)
{
    char folder[PATH_MAX], first[PATH_MAX], here[2 * PATH_MAX], real[PATH_MAX], mine[PATH_MAX];
    puts("\nFiles");
    info_line("configured for", "%s", CAUSEWAY_PREFIX);
    if (!own_folder(folder))
        return;
    info_line("programs", "%s", folder);
    path_line("library", folder, CAUSEWAY_LIBRARY_FROM_BIN);
    path_line("headers", folder, CAUSEWAY_INCLUDE_FROM_BIN);
    path_line("suppressions", folder, CAUSEWAY_SHARE_FROM_BIN "/causeway");
    path_line("manual pages", folder, CAUSEWAY_MAN_FROM_BIN);
    static const char *const wrappers[] = {"oshcc", "oshrun"};
    for (int i = 0; i < 2; i++) {
        snprintf(here, sizeof here, "%s/%s", folder, wrappers[i]);
        if (!in_path(wrappers[i], first)) {
            info_note("%s is not in PATH: it is %s", wrappers[i], here);
        } else if (!realpath(first, real) || !realpath(here, mine) || strcmp(real, mine)) {
            info_line(wrappers[i], "%s", first);
            info_note("the first %s in PATH is %s, which is not that of this installation: put %s "
                      "before it",
                      wrappers[i], first, folder);
        }
    }
}

// ---------------------------------------------------------------- plugins
/** Can a library of that name be loaded? Looked at in a process of its own: libraries start threads
 *  and change the environment. */
static bool loads(const char *library, char why[256])
{
    int ends[2];
    why[0] = '\0';
    if (pipe(ends) != 0)
        return false;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        const char *text = dlopen(library, RTLD_LAZY | RTLD_LOCAL) ? "" : dlerror();
        ssize_t written = write(ends[1], text, strlen(text));
        _exit(written < 0 || *text);
    }
    close(ends[1]);
    ssize_t n = pid > 0 ? read(ends[0], why, 255) : -1;
    why[n > 0 ? n : 0] = '\0';
    close(ends[0]);
    return info_wait(pid) == 0;
}

static void plugin(const char *name)
{
    char path[PATH_MAX], why[256];
    bool installed = cwu_install_find(name, path);
    if (!installed)
        info_line(name, "is missing: %s", path);
    else
        info_line(name, "%s", path);
    if (!installed)
        info_note("the plugin %s of this installation is missing", name);
    else if (!loads(path, why) && !strstr(why, "undefined symbol: MPI_") &&
             !strstr(why, "undefined symbol: ompi_"))
        info_note("the plugin %s cannot be loaded: %s", name, why);
}

void info_plugins(void)
{
    char names[] = CAUSEWAY_PLUGINS, *save;
    puts("\nPlugins (loaded when they are needed)");
    if (!*names)
        info_line("MPI", "none: configured without an MPI (mpicc)");
    for (char *name = strtok_r(names, " ", &save); name; name = strtok_r(NULL, " ", &save))
        plugin(name);
}

// ---------------------------------------------------------------- launchers
static void launcher(const char *name, const char *how, const char *library)
{
    char file[PATH_MAX], why[256];
    if (!in_path(name, file))
        return;
    info_line(name, "%s, by %s", file, how);
    if (library && !loads(library, why))
        info_note("%s starts processes by %s, and %s cannot be loaded: %s", name, how, library,
                  why);
}

void info_launchers(void)
{
    static const char pmix[] = "libpmix.so.2";
    char file[PATH_MAX], why[256];
    bool has_pmix = loads(pmix, why), has_pmi2 = loads("libpmi2.so.0", why);
    puts("\nLaunchers");
    if (own_folder(file))
        info_line("oshrun", "%s/oshrun, this machine", file);
    info_line("PMIx", "this build is " CAUSEWAY_WITH_PMIX " it; %s %s", pmix,
              has_pmix ? "is here" : "is not here (Debian: libpmix2)");
    info_line("PMI-1", "needs no library");
    info_line("PMI-2", "libpmi2.so.0 %s", has_pmi2 ? "is here" : "is not here (Debian: libpmi2-0)");
    info_line("MPI", "%s",
              *CAUSEWAY_PLUGINS ? "MPI_Init before shmem_init, by a plugin" : "no plugin");
    launcher("mpiexec.hydra", "PMI-1", NULL);
    launcher("orterun", "PMIx", pmix);
    launcher("prterun", "PMIx", pmix);
    launcher("srun", "PMIx (--mpi=pmix) or PMI-2", NULL);
    if (!in_path("mpiexec.hydra", file) && !in_path("orterun", file) && !in_path("prterun", file) &&
        !in_path("srun", file))
        info_note("no launcher for several hosts is in PATH (Debian: mpich has Hydra, openmpi-bin "
                  "orterun, slurm-client srun): jobs of this machine only");
}
