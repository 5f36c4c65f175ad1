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
    "Usage: oshrun -n PES [options] [--] program [arguments]\n"
    "Runs a program as PES processing elements (PEs) on this machine, or through another "
    "launcher.\n"
    "\n"
    "  -n, -np, --np PES        number of PEs (default 1)\n"
    "  -N, --ppn, --npernode K  PEs of a node; more than one node needs --emulate-nodes\n"
    "      --emulate-nodes K    split the PEs into K nodes that share no memory\n"
    "  -l, --label              begin each line of output with [pe]\n"
    "  -t, --timeout SECONDS    end the job after this time, with status 124\n"
    "  -x VAR[=VALUE]           set a variable for the PEs, or pass the present value on\n"
    "      --valgrind[=OPTIONS] run the PEs under valgrind\n"
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
        usage("%s \"%s\": expected seconds, more than 0", option, text);
    return (uint64_t)ceil(seconds * 1e9);
}

static void add_set(options_t *opt, const char *text)
{
    size_t len = strcspn(text, "=");
    if (len == 0 || isdigit((unsigned char)text[0]))
        usage("-x \"%s\": expected VAR or VAR=VALUE", text);
    opt->sets = realloc(opt->sets, (size_t)(opt->nsets + 1) * sizeof *opt->sets);
    if (!opt->sets)
        die(1, "out of memory");
    opt->sets[opt->nsets++] = text;
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
    OPT_VALGRIND,
    OPT_VERBOSE,
    OPT_HELP,
    OPT_VERSION
};

enum { NONE, NEEDED, OPTIONAL };  // a value; an optional one follows a "="

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
    {"--valgrind", OPT_VALGRIND, OPTIONAL},
    {"-v", OPT_VERBOSE, NONE},
    {"--verbose", OPT_VERBOSE, NONE},
    {"-h", OPT_HELP, NONE},
    {"--help", OPT_HELP, NONE},
    {"-V", OPT_VERSION, NONE},
    {"--version", OPT_VERSION, NONE},
};

static void apply(options_t *opt, int what, const char *name, const char *value)
{
    switch (what) {
    case OPT_NPES:
        opt->npes = parse_count(name, value);
        break;
    case OPT_PPN:
        opt->ppn = parse_count(name, value);
        break;
    case OPT_NODES:
        opt->nnodes = parse_count(name, value);
        break;
    case OPT_TIMEOUT:
        opt->timeout_ns = parse_seconds(name, value);
        break;
    case OPT_SET:
        add_set(opt, value);
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
    case OPT_VALGRIND:
        opt->valgrind = true;
        opt->valgrind_more = value;
        break;
    case OPT_LABEL:
        opt->label = true;
        break;
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
            if (takes && i + 1 >= argc)
                usage("%s needs a value", name);
            apply(opt, table[k].what, name, takes ? argv[i + 1] : NULL);
            return i + 1 + takes;
        }
        bool is_long = name[1] == '-';
        if (table[k].value != NONE && !strncmp(arg, name, len) &&
            (is_long ? arg[len] == '='
                     : len == 2 && (isdigit((unsigned char)arg[2]) || arg[1] == 'x'))) {
            apply(opt, table[k].what, name, arg + len + is_long);
            return i + 1;
        }
    }
    usage("unknown option %s", arg);
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

void options_parse(options_t *opt, int argc, char **argv)
{
    memset(opt, 0, sizeof *opt);
    opt->npes = 1;
    int i = 1;
    while (i < argc && argv[i][0] == '-' && argv[i][1] && strcmp(argv[i], "--"))
        i = take_option(opt, argc, argv, i);
    if (i < argc && !strcmp(argv[i], "--"))
        i++;
    if (i >= argc)
        usage("no program given");
    opt->argv = argv + i;
    if (opt->valgrind)
        opt->argv = debug_valgrind(opt->argv, opt->valgrind_more);
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

const char *options_getenv(const options_t *opt, const char *name)
{
    size_t len = strlen(name);
    for (int i = opt->nsets; i-- > 0;)
        if (!strncmp(opt->sets[i], name, len) && opt->sets[i][len] == '=')
            return opt->sets[i] + len + 1;
    return getenv(name);
}
