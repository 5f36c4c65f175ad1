// SPDX-License-Identifier: BSD-3-Clause
//
// The order of causeway-info --all, the notes, and the small jobs that tell whether jobs work here.
// Settings of the environment hold for these, but those that write files.
#include "info_doctor.h"

#include <errno.h>
#include <limits.h>
#include <shmem.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/env.h"
#include "transport/describe.h"

enum { NOTES = 24, PATIENCE_S = 60 };
static char *notes[NOTES];
static int nnotes;

void info_note(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    if (nnotes < NOTES && vasprintf(&notes[nnotes], fmt, args) >= 0)
        nnotes++;
    va_end(args);
}

void info_line(const char *name, const char *fmt, ...)
{
    va_list args;
    printf("  %-22s ", name);
    va_start(args, fmt);
    vprintf(fmt, args);
    va_end(args);
    putchar('\n');
}

int info_wait(int pid)
{
    int status = -1;
    while (pid > 0 && waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return status;
}

// ---------------------------------------------------------------- a small job
int info_trial(void)
{
    static long word, sums[2];
    shmem_init();
    int me = shmem_my_pe(), npes = shmem_n_pes();
    long *block = shmem_malloc(sizeof *block), mine = me + 1;
    long expected = (long)npes * (npes + 1) / 2;
    bool good = block != NULL;
    if (good)
        *block = -1;
    shmem_barrier_all();
    if (good)
        shmem_long_p(block, mine, (me + 1) % npes);
    shmem_long_atomic_add(&word, mine, 0);
    shmem_barrier_all();
    good = good && *block == (me + npes - 1) % npes + 1 && shmem_long_g(&word, 0) == expected;
    sums[0] = mine;
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sums[1], &sums[0], 1);
    good = good && sums[1] == expected;
    shmem_free(block);
    shmem_finalize();
    if (!good)
        fprintf(stderr, "PE %d of %d has wrong results\n", me, npes);
    return !good;
}

static void become_job(char *oshrun, char *self, bool nodes)
{
    char patience[16];
    snprintf(patience, sizeof patience, "%d", PATIENCE_S);
    char *one[] = {oshrun, "-n", "2", "--timeout", patience, self, "--trial", NULL};
    char *two[] = {oshrun,      "-n",     "2",  "--emulate-nodes", "2",
                   "--timeout", patience, self, "--trial",         NULL};
    unsetenv("CAUSEWAY_STATS");
    unsetenv("CAUSEWAY_TRACE");
    execv(oshrun, nodes ? two : one);
    fprintf(stderr, "cannot run %s: %s\n", oshrun, strerror(errno));
    _exit(127);
}

/** Runs a job of two PEs, and prints what it says. False: it failed. */
static bool try_job(const char *name, bool nodes)
{
    char self[PATH_MAX], oshrun[PATH_MAX + 8], line[1024];
    int ends[2];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    snprintf(oshrun, sizeof oshrun, "%.*s/oshrun", slash ? (int)(slash - self) : 0, self);
    fflush(stdout);
    pid_t pid = pipe(ends) == 0 ? fork() : -1;
    if (pid < 0) {
        info_line(name, "cannot be tried: %s", strerror(errno));
        return false;
    }
    if (pid == 0) {
        dup2(ends[1], 1);
        dup2(ends[1], 2);
        close(ends[0]);
        become_job(oshrun, self, nodes);
    }
    close(ends[1]);
    FILE *said = fdopen(ends[0], "r");
    char *text = NULL;
    size_t nbytes = 0;
    FILE *copy = open_memstream(&text, &nbytes);
    while (said && copy && fgets(line, sizeof line, said))
        fprintf(copy, "      %s", line);
    if (said)
        fclose(said);
    if (copy)
        fclose(copy);
    int status = info_wait(pid);
    info_line(name, "%s", status == 0 ? "works" : "FAILS");
    fputs(text ? text : "", stdout);
    free(text);
    return status == 0;
}

// ---------------------------------------------------------------- all of it
static void print_line(const char *text)
{
    printf("  %s\n", text);
}

static void settings(void)
{
    cwu_env_row_t row;
    bool any = false;
    puts("\nSettings of this shell");
    for (size_t i = 0; cwu_env_table(i, &row); i++) {
        const char *value = getenv(row.name);
        if (value && *value) {
            info_line(row.name, "%s", value);
            any = true;
        }
    }
    if (!any)
        puts("  none of Causeway's variables is set");
}

static bool jobs(bool has_fabric)
{
    puts("\nSmall jobs, run now");
    bool good = try_job("2 PEs of one node", false);
    if (!has_fabric)
        info_note(
            "libfabric cannot be used (above): no jobs of several nodes, unless by windows of "
            "an MPI (Debian: libfabric1)");
    else
        good = try_job("2 emulated nodes", true) && good;
    return good;
}

/** In a process of its own, which a wrong setting ends. False: it cannot be used. */
static bool describe_fabric(void)
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        cwu_env_load();
        int rc = cwt_describe(print_line);
        fflush(stdout);
        _exit(rc != 0);
    }
    return info_wait(pid) == 0;
}

int info_doctor(void)
{
    info_paths();
    info_plugins();
    info_launchers();
    info_machine();
    settings();
    puts("\nNetwork, by libfabric");
    bool good = jobs(describe_fabric());
    puts("\nWhat may stop jobs here");
    for (int i = 0; i < nnotes; i++)
        printf("  - %s\n", notes[i]);
    if (!good)
        puts("  - a job that was tried failed: its messages are above");
    else if (!nnotes)
        puts("  nothing was found");
    return !good;
}
