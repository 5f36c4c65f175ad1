// SPDX-License-Identifier: BSD-3-Clause
//
// Programs of the smp conduit start themselves: GASNET_PSHM_NODES says how many processes. Before
// main, so that what the program does before gasnet_init is done once a process: this process
// becomes the launcher.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "gasnet_job/gas.h"

#define SETTING "GASNET_PSHM_NODES"
#define LAUNCHER "gasnetrun_smp"
enum { OURS = 6, ARGS_MOST = 1 << 21 };

static bool is_started(void)
{
    const char *bootstrap = cwu_env_get("CAUSEWAY_BOOTSTRAP");
    return cwu_env_get("CAUSEWAY_LAUNCH") || cwu_env_get("PMI_FD") || cwu_env_get("PMI_SIZE") ||
           (cwu_env_get("PMIX_NAMESPACE") && cwu_env_get("PMIX_RANK")) ||
           (bootstrap && *bootstrap && strcmp(bootstrap, "auto") != 0);
}

/** 1: no other. */
static long wanted_processes(void)
{
    const char *text = cwu_env_get(SETTING);
    char *end;
    if (!text || !*text)
        return 1;
    long n = strtol(text, &end, 10);
    if (*end || n < 1 || n > INT_MAX)
        cwu_fatal(SETTING "=\"%s\": give a number of processes", text);
    return n;
}

/** The words of the command line behind the program's name; the last one ends with the text. */
static char *read_args(size_t *nbytes_p)
{
    char *text = malloc(ARGS_MOST + 1);
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    size_t used = 0;
    ssize_t n = 1;
    while (text && fd >= 0 && n > 0 && used < ARGS_MOST) {
        n = read(fd, text + used, ARGS_MOST - used);
        used += n > 0 ? (size_t)n : 0;
    }
    if (!text || fd < 0)
        cwu_fatal(SETTING ": cannot read /proc/self/cmdline: %s", strerror(errno));
    close(fd);
    text[used] = '\0';
    *nbytes_p = used;
    return text;
}

static void launch(const char *processes, char *exe)
{
    size_t nbytes;
    char *text = read_args(&nbytes), **argv = calloc(nbytes + OURS + 1, sizeof *argv);
    if (!argv)
        cwu_fatal(SETTING ": out of memory");
    char *const ours[OURS] = {LAUNCHER, "-spawner=fork", "-n", (char *)(uintptr_t)processes, "--",
                              exe};
    memcpy(argv, ours, sizeof ours);
    size_t n = OURS;
    for (char *p = text + strlen(text) + 1; p < text + nbytes; p += strlen(p) + 1)
        argv[n++] = p;
    // the launcher of this library: beside it, or where the program is not linked with it, in PATH
    Dl_info place;
    char path[PATH_MAX], *slash;
    if (dladdr((void *)(uintptr_t)launch, &place) && realpath(place.dli_fname, path) &&
        strcmp(path, exe) != 0 && (slash = strrchr(path, '/')) &&
        (size_t)(slash - path) + sizeof "/../bin/" LAUNCHER < sizeof path) {
        strcpy(slash, "/../bin/" LAUNCHER);
        execv(path, argv);
    }
    execvp(LAUNCHER, argv);
    cwu_fatal(SETTING "=%s: " LAUNCHER " is neither beside the library nor in PATH", processes);
}

GAS_API void gasnet_causeway_spawn(void)
{
    char processes[16], exe[PATH_MAX];
    if (is_started() || wanted_processes() == 1)
        return;
    snprintf(processes, sizeof processes, "%ld", wanted_processes());
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (n < 0)
        cwu_fatal(SETTING ": cannot read /proc/self/exe: %s", strerror(errno));
    exe[n] = '\0';
    launch(processes, exe);
}
