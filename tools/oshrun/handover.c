// SPDX-License-Identifier: BSD-3-Clause
//
// Jobs of several hosts: oshrun translates its options into those of a launcher for several hosts
// and replaces itself by it.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "oshrun.h"

extern char **environ;

typedef struct words {
    char **list;
    int n;
} words_t;

static void add(words_t *w, const char *word)
{
    w->list = realloc(w->list, (size_t)(w->n + 2) * sizeof *w->list);
    char *copy = word ? strdup(word) : NULL;
    if (!w->list || (word && !copy))
        die(1, "out of memory");
    w->list[w->n++] = copy;
    w->list[w->n] = NULL;
}

static void add_pair(words_t *w, const char *option, const char *value)
{
    add(w, option);
    add(w, value);
}

static void add_number(words_t *w, const char *option, int value)
{
    char text[16];
    snprintf(text, sizeof text, "%d", value);
    add_pair(w, option, text);
}

// ---------------------------------------------------------------- what launchers call it
/** "a:4,b:2" without the counts, for launchers that have no such notation. Never freed: the process
 * is about to be replaced. */
static char *names_only(const char *hosts)
{
    char *names = strdup(hosts), *to = names;
    if (!names)
        die(1, "out of memory");
    for (const char *from = hosts; *from; from++) {
        if (*from == ':')
            while (from[1] && from[1] != ',')
                from++;
        else
            *to++ = *from;
    }
    *to = '\0';
    return names;
}

/** "DIR/pe.PATTERN.out", with what the launcher puts in for the PE. It makes no directory, and a
 *  relative one may be meant from --wdir. */
static void add_output(words_t *w, const options_t *opt, const char *option, const char *pattern,
                       const char *end)
{
    char *text, *dir;
    close(output_open_dir(opt->output));
    dir = realpath(opt->output, NULL);
    if (!dir || asprintf(&text, "%s/pe.%s.%s", dir, pattern, end) < 0)
        die(1, "--output %s: %s", opt->output, strerror(errno));
    add_pair(w, option, text);
    free(dir);
    free(text);
}

static void add_program(words_t *w, const part_t *part)
{
    for (char **arg = part->argv; *arg; arg++)
        add(w, *arg);
}

/** "program : -n 2 program", as the launchers with parts of their own have it. `set`: how a
 *  variable of one part is named. */
static void add_parts(const options_t *opt, words_t *w, const char *wdir,
                      void (*set)(words_t *w, const char *text))
{
    for (int i = 0; i < opt->nparts; i++) {
        const part_t *part = &opt->parts[i];
        if (i > 0) {
            add(w, ":");
            add_number(w, "-n", part->npes);
        }
        if (part->wdir)
            add_pair(w, wdir, part->wdir);
        for (int k = part->own_sets_from; i > 0 && k < part->nsets; k++)
            set(w, part->sets[k]);
        add_program(w, part);
    }
}

static void set_by_env(words_t *w, const char *text)
{
    size_t len = strcspn(text, "=");
    char *name = strndup(text, len);
    if (!name)
        die(1, "out of memory");
    if (text[len]) {  // else it is in the environment, which is passed on
        add_pair(w, "-env", name);
        add(w, text + len + 1);
    }
    free(name);
}

static void set_by_x(words_t *w, const char *text)
{
    add_pair(w, "-x", text);
}

static void hydra(const options_t *opt, words_t *w)
{
    add(w, "mpiexec.hydra");
    add_number(w, "-n", opt->parts[0].npes);
    if (opt->ppn)
        add_number(w, "-ppn", opt->ppn);
    if (opt->hosts)
        add_pair(w, "-hosts", opt->hosts);
    if (opt->hostfile)
        add_pair(w, "-f", opt->hostfile);
    if (opt->label)
        add(w, "-l");
    if (opt->output) {
        add_output(w, opt, "-outfile-pattern", "%r", "out");
        add_output(w, opt, "-errfile-pattern", "%r", "err");
    }
    if (opt->bind_to_given)
        add_pair(w, "-bind-to", options_unit_name(opt->bind_to));
    if (opt->map_by)
        add_pair(w, "-map-by", options_unit_name(opt->map_by));
    if (opt->report_bindings)
        setenv("HYDRA_TOPO_DEBUG", "1", 1);
    add_parts(opt, w, "-wdir", set_by_env);
}

static void slurm(const options_t *opt, words_t *w)
{
    static const char *const units[] = {"none", "threads", "cores", "sockets", "ldoms"};
    if (opt->nparts > 1)
        die(EXIT_USAGE, "several programs: srun takes them from a file (srun --multi-prog)");
    if (opt->map_by)
        die(EXIT_USAGE, "--map-by: srun has an option of its own (srun --distribution)");
    add(w, "srun");
    add(w, "--mpi=pmi2");
    add_number(w, "-n", opt->npes);
    if (opt->ppn) {
        char text[48];
        snprintf(text, sizeof text, "--ntasks-per-node=%d", opt->ppn);
        add(w, text);
    }
    if (opt->hosts)
        add_pair(w, "-w", names_only(opt->hosts));
    if (opt->hostfile) {
        char *file;  // srun takes a name with a slash as a file
        if (asprintf(&file, "%s%s", strchr(opt->hostfile, '/') ? "" : "./", opt->hostfile) < 0)
            die(1, "out of memory");
        add_pair(w, "-w", file);
        free(file);
    }
    if (opt->label)
        add(w, "--label");
    if (opt->output) {
        add_output(w, opt, "-o", "%t", "out");
        add_output(w, opt, "-e", "%t", "err");
    }
    if (opt->bind_to_given || opt->report_bindings) {
        char text[48];
        snprintf(text, sizeof text, "--cpu-bind=%s%s%s", opt->report_bindings ? "verbose" : "",
                 opt->bind_to_given && opt->report_bindings ? "," : "",
                 opt->bind_to_given ? units[opt->bind_to] : "");
        add(w, text);
    }
    if (opt->parts[0].wdir)
        add_pair(w, "-D", opt->parts[0].wdir);
    add(w, "--overcommit");
    add(w, "--kill-on-bad-exit=1");
    add_program(w, &opt->parts[0]);
}

/** Does the library read such a variable? */
static bool is_setting(const char *entry)
{
    static const char *const starts[] = {"CAUSEWAY_", "SHMEM_", "SMA_", "GASNET_"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (!strncmp(entry, starts[i], strlen(starts[i])))
            return true;
    return false;
}

static void name_variable(words_t *w, const char *entry)
{
    char *name = strndup(entry, strcspn(entry, "="));
    if (!name)
        die(1, "out of memory");
    add_pair(w, "-x", name);
    free(name);
}

/** Open MPI's launchers pass on only the variables that are named to them. What the first part sets
 *  is in the environment already. */
static void pass_settings_on(const options_t *opt, words_t *w)
{
    const part_t *first = &opt->parts[0];
    for (char **e = environ; *e; e++)
        if (is_setting(*e))
            name_variable(w, *e);
    for (int i = 0; i < first->nsets; i++)
        if (!is_setting(first->sets[i]))
            name_variable(w, first->sets[i]);
}

static void open_mpi(const options_t *opt, words_t *w, bool prrte)
{
    const char *map_by = opt->map_by ? options_unit_name(opt->map_by) : "";
    add(w, prrte ? "prterun" : "orterun");
    add_number(w, "-n", opt->parts[0].npes);
    if (opt->ppn && opt->map_by)
        die(EXIT_USAGE, "--ppn and --map-by: Open MPI's launchers take one of them");
    if (opt->map_by && !prrte) {
        add_pair(w, "--map-by", map_by);
    } else if (opt->ppn) {
        char text[48];
        snprintf(text, sizeof text, "ppr:%d:node%s", opt->ppn, prrte ? ":OVERSUBSCRIBE" : "");
        add_pair(w, "--map-by", text);
    } else if (prrte) {
        char text[48];
        snprintf(text, sizeof text, "%s:OVERSUBSCRIBE", map_by);
        add_pair(w, "--map-by", text);
    }
    if (!prrte)
        add(w, "--oversubscribe");
    if (opt->hosts)
        add_pair(w, "--host", opt->hosts);
    if (opt->hostfile)
        add_pair(w, "--hostfile", opt->hostfile);
    if (prrte && opt->output) {
        char *text;
        if (asprintf(&text, "%sdir=%s", opt->label ? "tag," : "", opt->output) < 0)
            die(1, "out of memory");
        add_pair(w, "--output", text);
        free(text);
    } else if (prrte && opt->label) {
        add_pair(w, "--output", "tag");
    }
    if (!prrte && opt->label)
        add(w, "--tag-output");
    if (!prrte && opt->output)
        add_pair(w, "--output-filename", opt->output);
    if (opt->bind_to_given)
        add_pair(w, "--bind-to", options_unit_name(opt->bind_to));
    if (opt->report_bindings)
        add(w, "--report-bindings");
    for (int i = 0; i < opt->nmca; i++)
        add(w, opt->mca[i]);
    pass_settings_on(opt, w);
    add_parts(opt, w, "--wdir", set_by_x);
}

static void orte(const options_t *opt, words_t *w)
{
    open_mpi(opt, w, false);
}

static void prrte(const options_t *opt, words_t *w)
{
    open_mpi(opt, w, true);
}

static const struct launcher {
    const char *name, *program, *package;
    void (*translate)(const options_t *opt, words_t *w);
} launchers[] = {
    {"hydra", "mpiexec.hydra", "Debian: mpich", hydra},
    {"prrte", "prterun", "it comes with PRRTE and Open MPI 5", prrte},
    {"orte", "orterun", "Debian: openmpi-bin", orte},
    {"slurm", "srun", "Debian: slurm-client", slurm},
};
enum { NLAUNCHERS = sizeof launchers / sizeof *launchers };

// ---------------------------------------------------------------- which one
static bool in_path(const char *program)
{
    const char *path = getenv("PATH");
    char file[PATH_MAX];
    for (const char *dir = path ? path : "/usr/bin:/bin"; *dir;) {
        size_t len = strcspn(dir, ":");
        snprintf(file, sizeof file, "%.*s/%s", len ? (int)len : 1, len ? dir : ".", program);
        if (access(file, X_OK) == 0)
            return true;
        dir += len + (dir[len] == ':');
    }
    return false;
}

static const struct launcher *named(const char *name)
{
    for (int i = 0; i < NLAUNCHERS; i++)
        if (!strcmp(launchers[i].name, name))
            return &launchers[i];
    die(EXIT_USAGE,
        "--launcher \"%s\": expected oshrun, hydra, slurm, prrte or orte (oshrun --help shows the "
        "options)",
        name);
}

/** True in a Slurm allocation, unless in one of its steps: there a task has a launcher's
 * descriptor. */
static bool in_allocation(void)
{
    return getenv("SLURM_JOB_ID") && !getenv("PMI_FD") && !getenv("PMIX_RANK");
}

static const struct launcher *choose(const options_t *opt)
{
    if (opt->launcher && !strcmp(opt->launcher, "oshrun"))
        return NULL;
    if (opt->launcher)
        return named(opt->launcher);
    if (opt->nnodes == 0 && in_allocation())
        return named("slurm");
    if (!opt->hosts && !opt->hostfile)
        return NULL;
    for (int i = 0; i < NLAUNCHERS; i++)
        if (in_path(launchers[i].program))
            return &launchers[i];
    die(EXIT_NOT_FOUND,
        "several hosts need a launcher, and none of mpiexec.hydra, prterun, orterun and srun is in "
        "PATH (Debian: mpich, openmpi-bin or slurm-client)");
}

// ---------------------------------------------------------------- becoming it
/** All launchers pass the environment on; names the variables to those that need a list. */
static void set_variables(const options_t *opt)
{
    const part_t *first = &opt->parts[0];
    for (int i = 0; i < first->nsets; i++) {
        char *set = strdup(first->sets[i]), *value = set ? strchr(set, '=') : NULL;
        if (!set)
            die(1, "out of memory");
        if (value) {
            *value++ = '\0';
            setenv(set, value, 1);
        }
        free(set);
    }
    for (int i = 0; i < first->nsets; i++)
        if (!strchr(first->sets[i], '=') && !getenv(first->sets[i]))
            say("-x %s: the variable is not set", first->sets[i]);
}

static void say_command(const struct launcher *l, const words_t *w)
{
    char text[2048];
    size_t at = 0;
    for (int i = 0; i < w->n && at < sizeof text - 1; i++) {
        int n = snprintf(text + at, sizeof text - at, " %s", w->list[i]);
        at += n < 0 ? 0 : (size_t)n;
    }
    say("hands over to %s:%s", l->name, text);
}

void handover(const options_t *opt)
{
    const struct launcher *l = choose(opt);
    if (!l) {
        options_say_ignored(opt);
        return;
    }
    if (opt->nnodes)
        die(EXIT_USAGE,
            "--emulate-nodes splits one machine: it does not go with --launcher %s or hosts",
            l->name);
    if (opt->hosts && opt->hostfile)
        die(EXIT_USAGE, "--hosts and --hostfile: one or the other");
    if (opt->hostfile && access(opt->hostfile, R_OK) != 0)
        die(EXIT_USAGE, "--hostfile %s: %s", opt->hostfile, strerror(errno));
    if (opt->gdb.list || opt->xterm.list)
        die(EXIT_USAGE,
            "--gdb and --xterm are for PEs of this machine; with --launcher %s name the debugger "
            "as "
            "the program: xterm -e gdb --args %s",
            l->name, opt->parts[0].argv[0]);
    if (opt->bind_to_given && opt->bind_to == UNIT_SHARE)
        die(EXIT_USAGE, "--bind-to share is for PEs of this machine");
    if (!in_path(l->program))
        die(EXIT_NOT_FOUND, "--launcher %s: %s is not in PATH (%s)", l->name, l->program,
            l->package);
    words_t w = {NULL, 0};
    if (opt->timeout_ns) {
        char seconds[32];
        uint64_t ms = (opt->timeout_ns + 999999) / 1000000;  // 0 would be no limit
        snprintf(seconds, sizeof seconds, "%.3f", (double)ms / 1e3);
        add(&w, "timeout");  // of coreutils: exits with 124, as oshrun does
        // Without it timeout signals both its child and its group, and orterun leaves at once on
        // the second signal.
        add(&w, "--foreground");
        add(&w, "--kill-after=20");
        add(&w, seconds);
    }
    if (l->translate != orte && l->translate != prrte)
        options_say_ignored(opt);
    set_variables(opt);
    l->translate(opt, &w);
    if (opt->verbose)
        say_command(l, &w);
    execvp(w.list[0], w.list);
    die(EXIT_CANNOT_RUN, "cannot run %s: %s", w.list[0], strerror(errno));
}
