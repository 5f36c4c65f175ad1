// SPDX-License-Identifier: BSD-3-Clause
//
// causeway-info: what this installation is, which environment variables it reads, which libfabric it would load.
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "transport/describe.h"

static void print_version(void)
{
    printf("Causeway %s\n", CAUSEWAY_VERSION);
}

static void print_build(void)
{
    print_version();
    printf("  OpenSHMEM        %s\n", CAUSEWAY_SHMEM_VERSION);
    printf("  compiler         %s\n", __VERSION__);
    printf("  machine          %s, build type %s\n", CAUSEWAY_BUILD_MACHINE, CAUSEWAY_BUILD_TYPE);
    printf("  transports       shared memory (same node), libfabric (other nodes, loaded at run time)\n");
    printf("  launchers        oshrun, PMI-1 (Hydra), a single PE\n");
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

/** The whole table; a machine-readable form (tabs) is what the documentation is checked against. */
static void print_env(bool tabs)
{
    cwu_env_row_t row;
    for (size_t i = 0; cwu_env_table(i, &row); i++) {
        if (tabs) {
            printf("%s\t%s\t%s\t%s\t%s\n", row.name, row.old_name, row.kind, row.def, row.meaning);
            continue;
        }
        printf("  %s", row.name);
        if (*row.old_name)
            printf(" (old name: %s)", row.old_name);
        printf("\n      %s\n      default: %s\n", row.meaning, *row.def ? row.def : "(not set)");
        print_value(&row);
    }
}

static void print_line(const char *text)
{
    puts(text);
}

/** Which libfabric would a job of several nodes load, and what is in it? Loading costs time; hence only on demand. */
static int print_libfabric(void)
{
    cwu_env_load();
    return cwt_ofi_describe(print_line) != 0;
}

static void usage(FILE *out)
{
    fputs("Usage: causeway-info [option]...\n"
          "Without an option: version and build of this installation.\n"
          "  -e, --env         every environment variable: meaning, default, and the value set now\n"
          "      --env-table   the same as tab-separated lines: name, old name, kind, default, meaning\n"
          "  -f, --libfabric   load libfabric; say which one it is, what it offers and what a job would use\n"
          "  -v, --version     version only\n"
          "  -h, --help        this text\n",
          out);
}

int main(int argc, char **argv)
{
    enum { ENV_TABLE = 256 };
    static const struct option options[] = {
        {"env", no_argument, NULL, 'e'},       {"env-table", no_argument, NULL, ENV_TABLE},
        {"libfabric", no_argument, NULL, 'f'}, {"version", no_argument, NULL, 'v'},
        {"help", no_argument, NULL, 'h'},      {NULL, 0, NULL, 0},
    };
    int option, status = 0;
    bool any = false;
    while ((option = getopt_long(argc, argv, "efvh", options, NULL)) != -1) {
        any = true;
        switch (option) {
        case 'e':
            print_env(false);
            break;
        case ENV_TABLE:
            print_env(true);
            break;
        case 'f':
            status |= print_libfabric();
            break;
        case 'v':
            print_version();
            break;
        case 'h':
            usage(stdout);
            break;
        default:
            usage(stderr);
            return 2;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "causeway-info: unexpected argument '%s'\n", argv[optind]);
        usage(stderr);
        return 2;
    }
    if (!any)
        print_build();
    return status;
}
