// SPDX-License-Identifier: BSD-3-Clause
//
// The command line of oshrun.
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "oshrun.h"

#ifndef CAUSEWAY_VERSION
#define CAUSEWAY_VERSION "unknown"
#endif

#define NPES_MAX (1 << 20)

static const char help[] =
    "Usage: oshrun -n PES [options] [--] program [arguments] [: -n PES program ...]\n"
    "Runs a program as PES processing elements (PEs) on this machine, or through another "
    "launcher.\n"
    "\n"
    "  -n, -np, --np PES        number of PEs (default 1)\n"
    "  -N, --ppn, --npernode K  PEs of a node; more than one node needs --emulate-nodes\n"
    "      --emulate-nodes K    split the PEs into K nodes that share no memory\n"
    "  -l, --label              begin each line of output with [pe]\n"
    "  -t, --timeout SECONDS    end the job after this time, with status 124\n"
    "  -x VAR[=VALUE]           set a variable for the PEs, or pass the present value on\n"
    "      --wdir DIR           run the PEs in this directory\n"
    "      --output DIR         output of each PE into files DIR/pe.K.out and DIR/pe.K.err\n"
    "      --bind-to UNIT       bind PEs to a hwthread, core, socket or numa, to a share of the\n"
    "                           cores (the default, where there are enough), or none\n"
    "      --map-by UNIT        take units of this kind in turn, one for each PE\n"
    "      --report-bindings    print which processors each PE has\n"
    "      --valgrind[=OPTIONS] run the PEs under valgrind\n"
    "      --gdb[=PES]          run these PEs (default: 0; with --xterm: all there) under gdb\n"
    "      --xterm[=PES]        run these PEs (default: all) in a window each\n"
    "      --report PID|JOB     print what each PE of a running job does, and end\n"
    "  -v, --verbose            say what the launcher does\n"
    "      --launcher NAME      hand over to hydra, slurm, prrte or orte; oshrun: do not\n"
    "      --hosts LIST         hosts, with commas between; host:PES where the launcher knows it\n"
    "      --hostfile FILE      hosts from a file in the launcher's own format\n"
    "  -h, --help               this text\n"
    "  -V, --version            the version\n"
    "\n"
    "Standard input goes to PE 0. The exit status is that of the first PE that failed\n"
    "(128 + signal when a signal killed it). See oshrun(1).\n";

static noreturn void usage(const char *fmt, ...) CW_PRINTF(1, 2);
static noreturn void usage(const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    die(EXIT_USAGE, "%s (oshrun --help shows the options)", text);
}

static int parse_count(const char *option, const char *text)
{
    char *end;
    errno = 0;
    long n = strtol(text, &end, 10);
    if (errno || end == text || *end || n < 1 || n > NPES_MAX)
        usage("%s \"%s\": expected a number from 1 to %d", option, text, NPES_MAX);
    return (int)n;
}

static uint64_t parse_seconds(const char *option, const char *text)
{
    char *end;
    errno = 0;
    double seconds = strtod(text, &end);
    if (errno || end == text || *end || !(seconds > 0) || !(seconds <= 1e9))
        usage("%s \"%s\": expected seconds, more than 0 and up to 1000000000", option, text);
    return (uint64_t)ceil(seconds * 1e9);
}

static void add_set(part_t *part, const char *text)
{
    size_t len = strcspn(text, "=");
    if (len == 0 || isdigit((unsigned char)text[0]))
        usage("-x \"%s\": expected VAR or VAR=VALUE", text);
    part->sets = realloc(part->sets, (size_t)(part->nsets + 1) * sizeof *part->sets);
    if (!part->sets)
        die(1, "out of memory");
    part->sets[part->nsets++] = text;
}

static const char *const units[] = {"none", "hwthread", "core", "socket", "numa", "share"};

const char *options_unit_name(unit_t unit)
{
    return units[unit];
}

/** "core:overload-allowed" of Open MPI: here that is so anyway. */
static unit_t parse_unit(const char *option, const char *text, unit_t first, unit_t last)
{
    size_t length = strcspn(text, ":");
    bool plain = !text[length] || !strcmp(text + length, ":overload-allowed");
    for (unit_t unit = first; plain && unit <= last; unit++)
        if (!strncmp(text, units[unit], length) && !units[unit][length])
            return unit;
    usage("%s \"%s\": expected hwthread, core, socket%s", option, text,
          last == UNIT_SHARE ? ", numa, share or none" : " or numa");
}

enum {
    OPT_NPES,
    OPT_PPN,
    OPT_NODES,
    OPT_LABEL,
    OPT_TIMEOUT,
    OPT_SET,
    OPT_LAUNCHER,
    OPT_HOSTS,
    OPT_HOSTFILE,
    OPT_WDIR,
    OPT_OUTPUT,
    OPT_BIND_TO,
    OPT_MAP_BY,
    OPT_REPORT_BINDINGS,
    OPT_VALGRIND,
    OPT_GDB,
    OPT_XTERM,
    OPT_REPORT,
    OPT_ACCEPTED,
    OPT_GENV,
    OPT_MCA,
    OPT_VERBOSE,
    OPT_HELP,
    OPT_VERSION
};

enum { NONE, NEEDED, OPTIONAL, TWO };  // values; an optional one follows a "="

static const struct {
    const char *name;
    int what, value;
} table[] = {
    {"-n", OPT_NPES, NEEDED},
    {"-np", OPT_NPES, NEEDED},
    {"--np", OPT_NPES, NEEDED},
    {"-N", OPT_PPN, NEEDED},
    {"--ppn", OPT_PPN, NEEDED},
    {"-ppn", OPT_PPN, NEEDED},
    {"--npernode", OPT_PPN, NEEDED},
    {"-npernode", OPT_PPN, NEEDED},
    {"--emulate-nodes", OPT_NODES, NEEDED},
    {"-l", OPT_LABEL, NONE},
    {"--label", OPT_LABEL, NONE},
    {"-t", OPT_TIMEOUT, NEEDED},
    {"--timeout", OPT_TIMEOUT, NEEDED},
    {"-x", OPT_SET, NEEDED},
    {"--launcher", OPT_LAUNCHER, NEEDED},
    {"--hosts", OPT_HOSTS, NEEDED},
    {"--host", OPT_HOSTS, NEEDED},
    {"-hosts", OPT_HOSTS, NEEDED},
    {"-host", OPT_HOSTS, NEEDED},
    {"-H", OPT_HOSTS, NEEDED},
    {"--hostfile", OPT_HOSTFILE, NEEDED},
    {"-hostfile", OPT_HOSTFILE, NEEDED},
    {"--machinefile", OPT_HOSTFILE, NEEDED},
    {"-f", OPT_HOSTFILE, NEEDED},
    {"--wdir", OPT_WDIR, NEEDED},
    {"-wdir", OPT_WDIR, NEEDED},
    {"--output", OPT_OUTPUT, NEEDED},
    {"--bind-to", OPT_BIND_TO, NEEDED},
    {"-bind-to", OPT_BIND_TO, NEEDED},
    {"--map-by", OPT_MAP_BY, NEEDED},
    {"-map-by", OPT_MAP_BY, NEEDED},
    {"--report-bindings", OPT_REPORT_BINDINGS, NONE},
    {"--valgrind", OPT_VALGRIND, OPTIONAL},
    {"--gdb", OPT_GDB, OPTIONAL},
    {"--xterm", OPT_XTERM, OPTIONAL},
    {"--report", OPT_REPORT, NEEDED},
    // of other launchers
    {"--ntasks", OPT_NPES, NEEDED},
    {"-perhost", OPT_PPN, NEEDED},
    {"--ntasks-per-node", OPT_PPN, NEEDED},
    {"--tag-output", OPT_LABEL, NONE},
    {"-tag-output", OPT_LABEL, NONE},
    {"-prepend-rank", OPT_LABEL, NONE},
    {"-genv", OPT_GENV, TWO},
    {"-env", OPT_GENV, TWO},
    {"--mca", OPT_MCA, TWO},
    {"-mca", OPT_MCA, TWO},
    {"--prtemca", OPT_MCA, TWO},
    {"--pmixmca", OPT_MCA, TWO},
    // what they ask for is so
    {"--oversubscribe", OPT_ACCEPTED, NONE},
    {"-oversubscribe", OPT_ACCEPTED, NONE},
    {"--overcommit", OPT_ACCEPTED, NONE},
    {"--allow-run-as-root", OPT_ACCEPTED, NONE},
    {"-genvall", OPT_ACCEPTED, NONE},
    {"-envall", OPT_ACCEPTED, NONE},
    {"-genvlist", OPT_ACCEPTED, NEEDED},
    {"-envlist", OPT_ACCEPTED, NEEDED},
    {"-v", OPT_VERBOSE, NONE},
    {"--verbose", OPT_VERBOSE, NONE},
    {"-h", OPT_HELP, NONE},
    {"--help", OPT_HELP, NONE},
    {"-V", OPT_VERSION, NONE},
    {"--version", OPT_VERSION, NONE},
};

/** What each part may say. False: `what` is an option of the whole job. */
static bool apply_to_part(part_t *part, int what, const char *name, const char *value)
{
    switch (what) {
    case OPT_NPES:
        part->npes = parse_count(name, value);
        return true;
    case OPT_SET:
        add_set(part, value);
        return true;
    case OPT_WDIR:
        part->wdir = value;
        return true;
    case OPT_VALGRIND:
        part->valgrind = true;
        part->valgrind_more = value;
        return true;
    default:
        return false;
    }
}

/** "ppr:K:node" of Open MPI is --ppn K, and "slot" the order that there is. */
static void map_by(options_t *opt, const char *name, const char *value)
{
    size_t length = strlen(value);
    char count[16];
    if (!strcmp(value, "slot") || !strcmp(value, ":OVERSUBSCRIBE"))
        return;
    if (!strncmp(value, "ppr:", 4)) {
        if (length < 10 || length - 9 >= sizeof count || strcmp(value + length - 5, ":node"))
            usage("%s %s: only ppr:K:node, which is --ppn K; or --map-by %s", name, value,
                  "hwthread, core, socket, numa");
        snprintf(count, sizeof count, "%.*s", (int)(length - 9), value + 4);
        opt->ppn = parse_count(name, count);
        return;
    }
    opt->map_by = parse_unit(name, value, UNIT_THREAD, UNIT_NUMA);
}

static void apply(options_t *opt, int what, const char *name, const char *value)
{
    switch (what) {
    case OPT_PPN:
        opt->ppn = parse_count(name, value);
        break;
    case OPT_NODES:
        opt->nnodes = parse_count(name, value);
        break;
    case OPT_TIMEOUT:
        opt->timeout_ns = parse_seconds(name, value);
        break;
    case OPT_LAUNCHER:
        opt->launcher = value;
        break;
    case OPT_HOSTS:
        opt->hosts = value;
        break;
    case OPT_HOSTFILE:
        opt->hostfile = value;
        break;
    case OPT_OUTPUT:
        opt->output = value;
        break;
    case OPT_BIND_TO:
        opt->bind_to = parse_unit(name, value, UNIT_NONE, UNIT_SHARE);
        opt->bind_to_given = true;
        break;
    case OPT_MAP_BY:
        map_by(opt, name, value);
        break;
    case OPT_ACCEPTED:
        break;
    case OPT_REPORT_BINDINGS:
        opt->report_bindings = true;
        break;
    case OPT_GDB:
        opt->gdb.list = value ? value : "";
        break;
    case OPT_XTERM:
        opt->xterm.list = value ? value : "all";
        break;
    case OPT_LABEL:
        opt->label = true;
        break;
    case OPT_REPORT:
        ask_other(value);
    case OPT_VERBOSE:
        opt->verbose = true;
        break;
    case OPT_HELP:
        fputs(help, stdout);
        exit(fflush(stdout) ? 1 : 0);
    default:
        printf("oshrun (Causeway) %s\n", CAUSEWAY_VERSION);
        exit(fflush(stdout) ? 1 : 0);
    }
}

static void apply_any(options_t *opt, int what, const char *name, const char *value)
{
    if (apply_to_part(&opt->parts[opt->nparts - 1], what, name, value))
        return;
    if (opt->nparts > 1)
        usage("%s is an option of the whole job: it stands before the first program", name);
    apply(opt, what, name, value);
}

/** -genv NAME VALUE, --mca NAME VALUE. */
static void apply_two(options_t *opt, int what, const char *option, char *const values[2])
{
    char *set;
    if (what == OPT_GENV) {
        if (asprintf(&set, "%s=%s", values[0], values[1]) < 0)
            die(1, "out of memory");
        add_set(&opt->parts[opt->nparts - 1], set);  // for ever
        return;
    }
    opt->mca = realloc(opt->mca, (size_t)(opt->nmca + 3) * sizeof *opt->mca);
    if (!opt->mca)
        die(1, "out of memory");
    opt->mca[opt->nmca++] = option;
    opt->mca[opt->nmca++] = values[0];
    opt->mca[opt->nmca++] = values[1];
}

static noreturn void unknown(const char *arg)
{
    enum { MOST = 40 };
    const char *nearest = NULL;
    char name[MOST];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(arg, "="), arg);
    size_t least = strlen(name) / 3 + 1;
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        size_t far = foreign_distance(name, table[k].name);
        if (far < least) {
            least = far;
            nearest = table[k].name;
        }
    }
    if (nearest)
        usage("unknown option %s; did you mean %s?", arg, nearest);
    usage("unknown option %s", arg);
}

// Takes one option at argv[i]; returns the index after it. Accepted: "-n 4", "-n4" (short),
// "--np=4" (long).
static int take_option(options_t *opt, int argc, char **argv, int i)
{
    const char *arg = argv[i];
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        const char *name = table[k].name;
        size_t len = strlen(name);
        if (!strcmp(arg, name)) {
            bool takes = table[k].value == NEEDED;
            if (table[k].value == TWO) {
                if (i + 2 >= argc)
                    usage("%s needs a name and a value", name);
                apply_two(opt, table[k].what, name, argv + i + 1);
                return i + 3;
            }
            if (takes && i + 1 >= argc)
                usage("%s needs a value", name);
            apply_any(opt, table[k].what, name, takes ? argv[i + 1] : NULL);
            return i + 1 + takes;
        }
        bool is_long = name[1] == '-';
        bool counts = table[k].what == OPT_NPES || table[k].what == OPT_PPN;  // "-np4"
        if (table[k].value != NONE && table[k].value != TWO && !strncmp(arg, name, len) &&
            (is_long
                 ? arg[len] == '='
                 : (len == 2 || counts) && (isdigit((unsigned char)arg[len]) || arg[1] == 'x'))) {
            apply_any(opt, table[k].what, name, arg + len + is_long);
            return i + 1;
        }
    }
    unknown(arg);
}

void options_check_shape(options_t *opt)
{
    int npes = opt->npes, ppn = opt->ppn;
    if (opt->nnodes > npes)
        usage("--emulate-nodes %d: a node needs at least one PE, and there are only %d",
              opt->nnodes, npes);
    if (ppn && !opt->nnodes && npes > ppn)
        usage("--ppn %d: %d PEs need %d nodes, and this is one machine; name others (--hosts) or "
              "add --emulate-nodes %d",
              ppn, npes, (npes + ppn - 1) / ppn, (npes + ppn - 1) / ppn);
    if (ppn && opt->nnodes && (npes + ppn - 1) / ppn != opt->nnodes)
        usage("%d PEs, %d a node, make %d nodes, not the %d of --emulate-nodes", npes, ppn,
              (npes + ppn - 1) / ppn, opt->nnodes);
    if (!opt->nnodes)
        opt->nnodes = 1;
}

/** A part that has what the first one says. */
static part_t *add_part(options_t *opt)
{
    opt->parts = realloc(opt->parts, (size_t)(opt->nparts + 1) * sizeof *opt->parts);
    if (!opt->parts)
        die(1, "out of memory");
    part_t *part = &opt->parts[opt->nparts++];
    *part = (part_t){.npes = 1};
    if (opt->nparts == 1)
        return part;
    const part_t *first = opt->parts;
    part->wdir = first->wdir;
    part->valgrind = first->valgrind;
    part->valgrind_more = first->valgrind_more;
    for (int i = 0; i < first->nsets; i++)
        add_set(part, first->sets[i]);
    part->own_sets_from = part->nsets;
    return part;
}

/** Takes the words up to a lone colon, which is replaced by the end of the list; returns the index
 *  behind it, or argc. */
static int take_program(part_t *part, int argc, char **argv, int i)
{
    part->argv = argv + i;
    while (i < argc && strcmp(argv[i], ":"))
        i++;
    bool more = i < argc;
    if (more)
        argv[i] = NULL;
    if (!part->argv[0])
        usage("no program given%s", more ? " before a \":\"" : "");
    if (part->valgrind)
        part->argv = debug_valgrind(part->argv, part->valgrind_more);
    return i + more;
}

void options_parse(options_t *opt, int argc, char **argv)
{
    memset(opt, 0, sizeof *opt);
    opt->bind_to = UNIT_SHARE;
    int i = 1;
    bool more;
    do {
        part_t *part = add_part(opt);
        while (i < argc && argv[i][0] == '-' && argv[i][1] && strcmp(argv[i], "--"))
            i = take_option(opt, argc, argv, i);
        if (i < argc && !strcmp(argv[i], "--"))
            i++;
        int end = take_program(part, argc, argv, i);
        more = !argv[end - 1];
        i = end;
        part->first_pe = opt->npes;
        opt->npes += part->npes;
        if (opt->npes > NPES_MAX)
            usage("%d PEs: at most %d", opt->npes, NPES_MAX);
    } while (more);
    if (opt->hosts && !*opt->hosts)
        usage("--hosts \"\": expected names of hosts, with commas between");
    if (opt->hosts && foreign_is_this_machine(opt->hosts))
        opt->hosts = NULL;
}

part_t *options_part_of(const options_t *opt, int pe)
{
    int i = opt->nparts - 1;
    while (opt->parts[i].first_pe > pe)
        i--;
    return &opt->parts[i];
}

int options_node_of(const options_t *opt, int pe)
{
    if (opt->ppn)
        return pe / opt->ppn;
    // Cuts the PEs into blocks whose sizes differ by one at most, the larger first.
    int small = opt->npes / opt->nnodes, nlarge = opt->npes % opt->nnodes,
        in_large = nlarge * (small + 1);
    return pe < in_large ? pe / (small + 1) : nlarge + (pe - in_large) / small;
}

cwb_runs_t options_runs(const options_t *opt)
{
    if (opt->ppn)
        return (cwb_runs_t){.n = 1, .nnodes = {opt->nnodes}, .ppn = {opt->ppn}};
    int small = opt->npes / opt->nnodes, nlarge = opt->npes % opt->nnodes;
    return (cwb_runs_t){
        .n = 2, .nnodes = {nlarge, opt->nnodes - nlarge}, .ppn = {small + 1, small}};
}

const char *options_getenv(const part_t *part, const char *name)
{
    size_t len = strlen(name);
    for (int i = part->nsets; i-- > 0;)
        if (!strncmp(part->sets[i], name, len) && part->sets[i][len] == '=')
            return part->sets[i] + len + 1;
    return getenv(name);
}
