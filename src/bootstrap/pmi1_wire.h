// SPDX-License-Identifier: BSD-3-Clause
//
// The PMI-1 wire: lines "cmd=NAME key=value key=value…\n", one answer a request, over the
// descriptor PMI_FD.
// A barrier's answer may arrive in the middle of another exchange; it is then remembered in
// `fence_done`.
// Threads: pmi1_ask and pmi1_await_fence from any; the lock covers one request and its answer.
// Blocking: both wait for the launcher, at most CAUSEWAY_TIMEOUT. A launcher that is gone ends this
// process.
#ifndef CW_BOOTSTRAP_PMI1_WIRE_H
#define CW_BOOTSTRAP_PMI1_WIRE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { PMI1_LINE_MAX = 4096 };

typedef struct pmi1_wire {
    int fd;
    pthread_mutex_t lock;  // guards the stream: request, answer, and the members below
    bool fence_done;
    char in[PMI1_LINE_MAX];  // bytes received and not yet consumed
    size_t in_nbytes;
} pmi1_wire_t;

/** Sends one line without waiting for an answer. */
void pmi1_send(pmi1_wire_t *w, const char *line);

/** Sends `line` and copies the answer to `answer`; its command must be `expect`. 0, CW_EPROTO or
 *  CW_ETIMEOUT, reported. */
int pmi1_ask(pmi1_wire_t *w, const char *line, const char *expect, char answer[PMI1_LINE_MAX]);

/** Waits for the answer of barrier_in. 0, CW_EPROTO or CW_ETIMEOUT, reported. */
int pmi1_await_fence(pmi1_wire_t *w);

/** The same without waiting: has it come? */
bool pmi1_fence_is_over(pmi1_wire_t *w);

/** Finds "name=value" in an answer; the value ends at a blank. Returns its length, -1 when absent
 *  or too long. */
int pmi1_field(const char *answer, const char *name, char *value, size_t capacity);

/** Waits until the launcher closes the connection, at most timeout_ms. */
void pmi1_await_end(const pmi1_wire_t *w, int timeout_ms);

#endif
