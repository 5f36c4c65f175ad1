// SPDX-License-Identifier: BSD-3-Clause
//
// A PE that uses nothing but the bootstrap: joins, exchanges a few keys, then does what its
// arguments say.
//   probe ok | all | stress | sleep | flood N | signal PE N | exit PE N | early PE N | leave PE |
//         absent PE | later PE | abort PE N | late PE N
// Exit status 90-99: something of the bootstrap is wrong, and a line says what.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/env.h"
#include "base/error.h"
#include "bootstrap/bootstrap.h"

static cwb_t job;

static noreturn void wrong(int status, const char *what)
{
    printf("PE %d: WRONG: %s\n", job.pe, what);
    fflush(stdout);
    _exit(status);
}

static void fence(void)
{
    if (job.ops->fence_nb(&job) || job.ops->fence_wait(&job))
        wrong(91, "fence");
}

static void put(int pe, int round, size_t nbytes)
{
    unsigned char value[CWB_VALUE_MAX];
    char key[CWB_KEY_MAX + 1];
    snprintf(key, sizeof key, "key.%d.%d", round, pe);
    for (size_t i = 0; i < nbytes; i++)
        value[i] = (unsigned char)(pe * 7 + round * 13 + (int)i);
    if (job.ops->put(&job, key, value, nbytes))
        wrong(92, "put");
}

static void get(int pe, int round, size_t nbytes)
{
    unsigned char value[CWB_VALUE_MAX];
    char key[CWB_KEY_MAX + 1];
    size_t size = sizeof value;
    snprintf(key, sizeof key, "key.%d.%d", round, pe);
    if (job.ops->get(&job, pe, key, value, &size) || size != nbytes)
        wrong(93, "get");
    for (size_t i = 0; i < nbytes; i++)
        if (value[i] != (unsigned char)(pe * 7 + round * 13 + (int)i))
            wrong(94, "bytes of a value");
}

static void check_secret(void)
{
    unsigned char secret[16], zero[16] = {0};
    size_t size = sizeof secret;
    if (job.ops->get(&job, 0, "secret", secret, &size) || size != 16 || !memcmp(secret, zero, 16))
        wrong(95, "secret");
    size = 8;
    if (job.ops->get(&job, 0, "secret", secret, &size) != CW_EINVAL || size != 16)
        wrong(95, "a value that does not fit");
    size = sizeof secret;
    if (job.ops->get(&job, 0, "no.such.key", secret, &size) != CW_ENOENT)
        wrong(95, "a key that is not there");
}

static void show_nodes(void)
{
    int *node_of_pe = malloc((size_t)job.npes * sizeof *node_of_pe);
    if (!node_of_pe || job.ops->nodes(&job, node_of_pe))
        wrong(96, "nodes");
    int next = 0;
    for (int pe = 0; pe < job.npes; pe++) {
        if (node_of_pe[pe] < 0 || node_of_pe[pe] > next)
            wrong(96, "numbers of nodes are not dense and in order");
        next += node_of_pe[pe] == next;
    }
    if (job.pe == 0) {
        printf("%s: %d PEs, one_machine %d, node_fd %s, nodes", job.ops->name, job.npes,
               job.one_machine, job.node_fd < 0 ? "no" : "yes");
        for (int pe = 0; pe < job.npes; pe++)
            printf(" %d", node_of_pe[pe]);
        printf("\n");
    }
    free(node_of_pe);
}

static void exchange(int round, int ngets, size_t nbytes)
{
    put(job.pe, round, nbytes);
    fence();
    for (int i = 1; i <= ngets; i++)
        get((job.pe + i) % job.npes, round, nbytes);
}

static noreturn void leave(int status)
{
    job.ops->close(&job);
    exit(status);
}

static void flood(int nlines)
{
    // Written in odd pieces, so that lines arrive in parts.
    for (int i = 0; i < nlines; i++) {
        char line[160];
        int n = snprintf(line, sizeof line, "<%d:%d:%.*s>\n", job.pe, i, i % 100,
                         "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                         "xxxxxxxxxxxxxxxxxxxxxxxxxxx");
        int cut = n / 3;
        if (write(1, line, (size_t)cut) != cut ||
            write(1, line + cut, (size_t)(n - cut)) != n - cut)
            _exit(97);
    }
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "ok";
    int victim = argc > 2 ? atoi(argv[2]) : -1, number = argc > 3 ? atoi(argv[3]) : 0;
    const char *rank = getenv("OSHRUN_PE");
    int early = rank ? atoi(rank) : -2;
    if (!strcmp(mode, "later") && early != victim)
        usleep(300000);  // the victim has ended
    if ((!strcmp(mode, "absent") || !strcmp(mode, "later")) && early == victim)
        return 0;
    if (!strcmp(mode, "early") && early == victim)
        return number;
    cwu_env_load();
    if (cwb_open(&job))
        return 90;
    if (job.ops->tell)
        job.ops->tell(&job, "shmem_init", "shmem_finalize");
    cwu_error_identity(job.pe, job.npes);
    cwu_error_abort_hook(NULL);
    if (!strcmp(mode, "late") && job.pe == victim)
        sleep((unsigned)number);
    exchange(0, 4, 8);
    if (!strcmp(mode, "ok") || !strcmp(mode, "all"))
        check_secret();
    if (!strcmp(mode, "ok"))
        show_nodes();
    if (!strcmp(mode, "all"))
        exchange(1, job.npes, CWB_VALUE_MAX);
    for (int round = 1; !strcmp(mode, "stress") && round <= 300; round++)
        exchange(round, job.npes, (size_t)round % (CWB_VALUE_MAX + 1));
    if (!strcmp(mode, "flood"))
        flood(victim);
    if (!strcmp(mode, "sleep") || job.pe == victim) {
        if (!strcmp(mode, "signal"))
            raise(number);
        else if (!strcmp(mode, "exit"))
            leave(number);
        else if (!strcmp(mode, "leave"))
            exit(0);
        else if (!strcmp(mode, "abort"))
            job.ops->abort(&job, number, false);
        if (!strcmp(mode, "sleep")) {
            puts("asleep");
            fflush(stdout);
            sleep(100);
        }
    } else if (strcmp(mode, "flood") && victim >= 0 && strcmp(mode, "late")) {
        sleep(100);
    }
    leave(0);
}
