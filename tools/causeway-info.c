// SPDX-License-Identifier: BSD-3-Clause
//
// causeway-info: prints what this installation is, which environment variables it reads, which
// libfabric it would load, and how collectives and topologies are made.
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/wait.h"
#include "causeway_commit.h"
#include "core/coll/describe.h"
#include "info_doctor.h"
#include "info_explain.h"
#include "info_topology.h"
#include "transport/describe.h"

#ifdef __clang__
#define COMPILER ""  // its version has the name
#else
#define COMPILER "gcc "
#endif

static void print_version(void)
{
    printf("Causeway %s\n", CAUSEWAY_VERSION);
}

static void print_build(void)
{
    print_version();
    printf("  OpenSHMEM        %s\n", CAUSEWAY_SHMEM_VERSION);
    printf("  commit           %s\n", CAUSEWAY_COMMIT);
    printf("  compiler         " COMPILER "%s\n", __VERSION__);
    printf("  machine          %s, build type %s\n", CAUSEWAY_BUILD_MACHINE, CAUSEWAY_BUILD_TYPE);
    printf("  options          %s checking mode, %s PMIx, %s hwloc; MPI plugins: %s\n",
           CAUSEWAY_CHECKING ? "with" : "without", CAUSEWAY_WITH_PMIX, CAUSEWAY_WITH_HWLOC,
           *CAUSEWAY_PLUGINS ? CAUSEWAY_PLUGINS : "none");
    printf("  transports       shared memory (same node), libfabric or windows of an MPI (other "
           "nodes, loaded at run time)\n");
    printf("  launchers        oshrun, %sPMI-1 (Hydra, Slurm), PMI-2 (Slurm), an MPI that is "
           "initialised, a single PE\n",
           strcmp(CAUSEWAY_WITH_PMIX, "with") == 0 ? "PMIx (orterun, prterun, Slurm), " : "");
    printf("  online cores     %ld\n", sysconf(_SC_NPROCESSORS_ONLN));
}

static void print_value(const cwu_env_row_t *row)
{
    const char *value = getenv(row->name), *from = row->name;
    if (!(value && *value) && *row->old_name) {
        value = getenv(row->old_name);
        from = row->old_name;
    }
    if (value && *value)
        printf("      now: %s=%s\n", from, value);
}

/** Does the row have all words, in whatever case, in its names or its meaning? */
static bool has_words(const cwu_env_row_t *row, char *const *words)
{
    for (; *words; words++)
        if (!strcasestr(row->name, *words) && !strcasestr(row->old_name, *words) &&
            !strcasestr(row->meaning, *words))
            return false;
    return true;
}

/** Prints the variables that have these words; the test of the documentation compares the
 *  machine-readable form (tabs). 1: there is none. */
static int print_env(bool tabs, char *const *words)
{
    cwu_env_row_t row;
    int status = 1;
    for (size_t i = 0; cwu_env_table(i, &row); i++) {
        if (!has_words(&row, words))
            continue;
        status = 0;
        if (tabs) {
            printf("%s\t%s\t%s\t%s\t%s\n", row.name, row.old_name, row.kind, row.def, row.meaning);
            continue;
        }
        printf("  %s", row.name);
        if (*row.old_name)
            printf(" (old name: %s)", row.old_name);
        putchar('\n');
        info_wrapped(row.meaning);
        printf("      default: %s\n", *row.def ? row.def : "(not set)");
        print_value(&row);
    }
    if (status)
        fprintf(stderr, "causeway-info: no variable has %s in its name or meaning\n", words[0]);
    return status;
}

static const char *bytes_text(uint64_t nbytes, char text[24])
{
    static const char units[] = "BKMGT";
    int unit = 0;
    while (nbytes && nbytes % 1024 == 0 && unit < 4) {
        nbytes /= 1024;
        unit++;
    }
    snprintf(text, 24, "%llu %c%s", (unsigned long long)nbytes, units[unit], unit ? "iB" : "");
    return text;
}

static void print_range(const cw_coll_row_t *row)
{
    char least[24], most[24];
    bool bytes = row->least_nbytes > 0 || row->most_nbytes < UINT64_MAX;
    if (row->most_nbytes < UINT64_MAX)
        printf("; %s to %s", bytes_text(row->least_nbytes, least),
               bytes_text(row->most_nbytes, most));
    else if (bytes)
        printf("; from %s", bytes_text(row->least_nbytes, least));
    if (row->most_nodes < UINT64_MAX && row->most_nodes > 1)
        printf("; %llu to %llu nodes", (unsigned long long)row->least_nodes,
               (unsigned long long)row->most_nodes);
    else if (row->least_nodes > 2)
        printf("; from %llu nodes", (unsigned long long)row->least_nodes);
}

/** The table of algorithms, in the order in which a call tries them. */
static void print_collectives(void)
{
    cw_coll_row_t row;
    const char *collective = "";
    cwu_env_load();
    cw_coll_choices_load();
    puts("A call takes the first algorithm that can serve it and in whose range it falls. "
         "CAUSEWAY_COLL=collective=algorithm,...\n"
         "prefers another, whatever the range.");
    for (size_t i = 0; cw_coll_table(i, &row); i++) {
        if (strcmp(collective, row.collective) != 0)
            printf("%s (bytes: %s)\n", row.collective, row.bytes_of);
        collective = row.collective;
        printf("  %-9s %s%s", row.algorithm, row.forced ? "[CAUSEWAY_COLL] " : "",
               *row.needs ? row.needs : "always");
        print_range(&row);
        printf("\n            %s\n", row.text);
    }
}

static void print_wait(cwu_wait_id_t id, const char *name, const char *text)
{
    cwu_wait_plan_t alone = cwu_wait_plan(id, false), crowded = cwu_wait_plan(id, true);
    printf("  %-10s %8u %8u %10u %8u %10.2f %8.1f\n", name, alone.polls, alone.yields,
           crowded.polls, crowded.yields, (double)alone.first_ns / 1e6,
           (double)alone.longest_ns / 1e6);
    info_wrapped(text);
}

/** How long everything waits, with what the environment says. */
static void print_waits(void)
{
    cwu_env_load();
    puts(
        "A wait makes rounds of polls, then rounds that yield; then it sleeps, each time twice as\n"
        "long. CAUSEWAY_WAIT chooses among the columns, CAUSEWAY_SPIN and others set rounds.\n\n"
        "             a core for each PE         crowded          sleeps, ms\n"
        "                polls   yields      polls   yields      first  longest");
#define CW_WAIT(id, name, p, y, cp, cy, first, longest, flags, text) \
    print_wait(CWU_WAIT_##id, name, text);
#define CW_WAIT_NUMBER(id, number, unit, text)
#include "base/waits.def"
    putchar('\n');
    puts("In all rows:");
#define CW_WAIT(id, ...)
#define CW_WAIT_NUMBER(id, number, unit, text)    \
    printf("  %-12s %d %s\n", #id, number, unit); \
    info_wrapped(text);
#include "base/waits.def"
}

static void print_line(const char *text)
{
    puts(text);
}

/** Loads the libfabric that a job of several nodes would load, and describes it. Loading takes
 * time, so this happens only on demand. */
static int print_libfabric(void)
{
    cwu_env_load();
    return cwt_describe(print_line) != 0;
}

/** Replaces this process by one of the Python scripts beside this program; returns on failure
 * only. */
static int become(const char *name, char **arguments)
{
    // The first has the modules that Debian packages install.
    static const char *const pythons[] = {"/usr/bin/python3", "python3"};
    char script[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", script, sizeof script - 32);
    char *slash = n > 0 ? memrchr(script, '/', (size_t)n) : NULL;
    if (!slash) {
        fputs("causeway-info: cannot find the path of this program\n", stderr);
        return 1;
    }
    strcpy(slash + 1, name);  // shorter than this program's own name and 32 characters
    char *command[64] = {NULL, script};
    for (int i = 0; arguments[i] && i < 60; i++)
        command[i + 2] = arguments[i];
    for (size_t i = 0; i < sizeof pythons / sizeof pythons[0]; i++) {
        command[0] = (char *)pythons[i];  // Python looks for its modules by this name
        execvp(pythons[i], command);
    }
    fprintf(stderr, "causeway-info: cannot run python3: %s\n", strerror(errno));
    return 1;
}

static void usage(FILE *out)
{
    fputs(
        "Usage: causeway-info [option]...\n"
        "Without an option: version and build of this installation.\n"
        "  -a, --all         all of that, files, plugins, launchers, machine, limits, network; "
        "runs "
        "two small jobs;\n"
        "                    says what may stop jobs here\n"
        "  -e, --env [WORD...]\n"
        "                    every environment variable: meaning, default, and the value set now; "
        "or\n"
        "                    those that have these words in their names or meanings\n"
        "      --env-table   the same as tab-separated lines: name, old name, kind, default, "
        "meaning\n"
        "      --explain [TEXT|NAME|-]\n"
        "                    cause and remedy of a message: of a printed line or a part of it, by "
        "the name of\n"
        "                    its section, or of all lines of the standard input; without a text: "
        "all names\n"
        "  -c, --collectives every collective's algorithms, and when each is taken\n"
        "  -f, --libfabric   load libfabric; say which one it is, what it offers and what a job "
        "would use\n"
        "  -t, --topology NODES[,PES][:NAME]\n"
        "                    figures and a drawing of a virtual topology of nodes; without a name "
        "a table of all\n"
        "      --plot FILE [-o IMAGE] [--draw all|timeline|waits|matrix] [--what bytes|...]\n"
        "                    draw a job (an IMAGE.html is a page) from what "
        "CAUSEWAY_STATS=json:FILE "
        "wrote\n"
        "      --startup FILE\n"
        "                    show where the time of starting went, from the same file\n"
        "  -w, --waits       how long waits poll and yield before they sleep, and what each number "
        "is\n"
        "  -v, --version     version only\n"
        "  -h, --help        this text\n",
        out);
}

/** A wrong command line, 2, also beside what has failed, 1. */
static int worst(int one, int other)
{
    return one > other ? one : other;
}

static int print_all(int argc, char **argv)
{
    enum { ENV_TABLE = 256, TRIAL, EXPLAIN, OF_A_SCRIPT };
    if (argc > 1 && strcmp(argv[1], "--plot") == 0)
        return become("causeway-plot", argv + 2);
    if (argc > 1 && strcmp(argv[1], "--startup") == 0)
        return become("causeway-startup", argv + 2);
    static const struct option options[] = {
        {"all", no_argument, NULL, 'a'},
        {"trial", no_argument, NULL, TRIAL},  // a PE of --all's jobs
        {"env", no_argument, NULL, 'e'},
        {"env-table", no_argument, NULL, ENV_TABLE},
        {"explain", no_argument, NULL, EXPLAIN},
        {"collectives", no_argument, NULL, 'c'},
        {"libfabric", no_argument, NULL, 'f'},
        {"topology", required_argument, NULL, 't'},
        {"waits", no_argument, NULL, 'w'},
        {"plot", required_argument, NULL, OF_A_SCRIPT},
        {"startup", required_argument, NULL, OF_A_SCRIPT},
        {"version", no_argument, NULL, 'v'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int option, status = 0;
    bool any = false, lists_env = false;
    while ((option = getopt_long(argc, argv, "aecft:wvh", options, NULL)) != -1) {
        any = true;
        switch (option) {
        case 'a':
            print_build();
            status = worst(status, info_doctor());
            break;
        case TRIAL:
            return info_trial();
        case 'e':
            lists_env = true;
            break;
        case ENV_TABLE:
            status = worst(status, print_env(true, argv + argc));
            break;
        case EXPLAIN:
            return info_explain(argv + optind);
        case 'c':
            print_collectives();
            break;
        case 'f':
            status = worst(status, print_libfabric());
            break;
        case 't':
            status = worst(status, info_topology(optarg));
            break;
        case 'w':
            print_waits();
            break;
        case 'v':
            print_version();
            break;
        case 'h':
            usage(stdout);
            break;
        case OF_A_SCRIPT:
            fputs("causeway-info: --plot and --startup stand first, in full, and have options of "
                  "their own (--plot --help)\n",
                  stderr);
            return 2;
        default:
            usage(stderr);
            return 2;
        }
    }
    if (lists_env)
        status = worst(status, print_env(false, argv + optind));
    else if (optind < argc) {
        fprintf(stderr, "causeway-info: unexpected argument '%s'\n", argv[optind]);
        usage(stderr);
        return 2;
    }
    if (!any)
        print_build();
    return status;
}

int main(int argc, char **argv)
{
    int status = print_all(argc, argv);
    if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "causeway-info: cannot write: %s\n", strerror(errno));
        return 1;
    }
    return status;
}
