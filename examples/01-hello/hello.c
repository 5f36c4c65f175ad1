// SPDX-License-Identifier: BSD-3-Clause
//
// Hello: which PEs are in this job, where does each run, and can they all reach each other?
//
// Shows the parts of every OpenSHMEM program: a symmetric variable, a one-sided put, a wait for it,
// two collectives, and a verdict that decides the exit status.
#define _GNU_SOURCE  // getopt_long
#include <getopt.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { HOST_BYTES = 64 };

// Objects with static storage are symmetric: every PE has its own copy, and every PE may name the
// copy of any other by the same address.
static long from_left = 0;
static long ones = 1, n_alive = 0;
static long wrong = 0, n_wrong = 0;
static char my_host[HOST_BYTES];

static double now_seconds(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

static void usage(FILE *out)
{
    fprintf(out, "Usage: hello [-q|--quiet] [-h|--help]\n"
                 "Every PE greets its right neighbour; PE 0 prints where each PE runs.\n"
                 "  -q, --quiet  print the result line only\n"
                 "  -h, --help   print this text and exit\n");
}

// Puts a number that only this PE can know into the right neighbour and waits for the left
// neighbour's. The wait is necessary: a put returns when the source may be reused, which says
// nothing about when the target sees it.
static void greet_neighbour(int me, int npes)
{
    int right = (me + 1) % npes;
    int left = (me + npes - 1) % npes;

    shmem_long_p(&from_left, me + 1, right);
    shmem_long_wait_until(&from_left, SHMEM_CMP_NE, 0);
    if (from_left != left + 1) {
        fprintf(stderr, "hello: PE %d: got %ld from PE %d, expected %d\n", me, from_left, left,
                left + 1);
        wrong = 1;
    }
}

// Prints one line for each PE: its host, and how PE 0 reaches its memory.
static void print_table(const char *hosts, int npes)
{
    for (int pe = 0; pe < npes; pe++) {
        const char *how = pe == 0                     ? "this is me"
                          : shmem_ptr(&from_left, pe) ? "load and store"
                                                      : "messages";
        printf("PE %d of %d on %s: PE 0 reaches it by: %s\n", pe, npes,
               hosts + (size_t)pe * HOST_BYTES, how);
    }
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"quiet", no_argument, NULL, 'q'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    int quiet = 0;
    for (int c; (c = getopt_long(argc, argv, "qh", options, NULL)) != -1;) {
        if (c == 'q')
            quiet = 1;
        else {
            usage(c == 'h' ? stdout : stderr);
            return c == 'h' ? EXIT_SUCCESS : EXIT_FAILURE;
        }
    }
    if (optind < argc) {
        usage(stderr);
        return EXIT_FAILURE;
    }

    double start = now_seconds();
    shmem_init();
    int me = shmem_my_pe();
    int npes = shmem_n_pes();

    // Memory from shmem_malloc is symmetric too. All PEs call it with the same size.
    char *hosts = shmem_malloc((size_t)npes * HOST_BYTES);
    if (!hosts) {
        fprintf(stderr, "hello: PE %d: no symmetric memory for %d host names\n", me, npes);
        shmem_global_exit(EXIT_FAILURE);
    }
    gethostname(my_host, sizeof my_host - 1);

    greet_neighbour(me, npes);
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &n_alive, &ones, 1);
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &n_wrong, &wrong, 1);
    shmem_fcollectmem(SHMEM_TEAM_WORLD, hosts, my_host, HOST_BYTES);

    int ok = n_wrong == 0 && n_alive == npes;
    if (me == 0) {
        double seconds = now_seconds() - start;
        if (!quiet) {
            int major, minor;
            shmem_info_get_version(&major, &minor);
            print_table(hosts, npes);
            printf("%ld PEs replied, OpenSHMEM %d.%d\n", n_alive, major, minor);
        }
        if (!ok)
            fprintf(stderr, "hello: FAILED: %ld of %d PEs replied, %ld wrong greetings\n", n_alive,
                    npes, n_wrong);
        printf("RESULT program=hello pes=%d verified=%s seconds=%.6f rate=%.3f unit=PE/s\n", npes,
               ok ? "yes" : "no", seconds, npes / seconds);
    }
    shmem_free(hosts);
    shmem_finalize();
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
