// SPDX-License-Identifier: BSD-3-Clause
//
// A server over ofi_rxm that closes while a client is connected reads the client's good-bye first:
// rxm fails on messages that come while it closes.
#include "pair.h"

#include "frame/check.h"

static node_t n;

enum { CLOSING, SAID };  // words that both share

int main(void)
{
    const useconds_t late_us = 50000;
    cwu_env_load();
    pair_map(&n, &cwt_ofi, 1u << 20, NULL);
    pid_t child = fork();
    int me = child == 0;
    cwu_error_identity(me, 2);
    alarm(100);
    int rc = pair_server(&n, me);
    pair_barrier(&n);
    if (rc == 0)
        rc = pair_client(&n, n.secret, false);
    if (rc == 0)
        rc = pair_connect(&n);
    CHECK(rc == 0, "no connection: %d", rc);
    pair_barrier(&n);
    if (me) {
        while (!atomic_load(&n.shared->words[CLOSING]))
            usleep(1000);
        usleep(late_us);
        atomic_store(&n.shared->words[SAID], 1);
        pair_close(&n);
        return checks_failed > 0;
    }
    atomic_store(&n.shared->words[CLOSING], 1);
    pair_close(&n);
    CHECK(atomic_load(&n.shared->words[SAID]) == 1, "closed before the client said good-bye");
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return check_result();
}
