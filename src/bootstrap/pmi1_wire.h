// SPDX-License-Identifier: BSD-3-Clause
//
// The PMI-1 wire: lines "cmd=NAME key=value key=value…\n", one reply to each request, over the
// descriptor PMI_FD. The reply to a barrier may arrive during another exchange; it is then recorded
// in `fence_done`.
// Threads: pmi1_ask and pmi1_await_fence from any; the lock covers one request and its reply.
// Blocking: both wait for the launcher, at most CAUSEWAY_TIMEOUT. When the connection is lost, the
// process ends.
#ifndef CW_BOOTSTRAP_PMI1_WIRE_H
#define CW_BOOTSTRAP_PMI1_WIRE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { PMI1_LINE_MAX = 4096 };

typedef struct pmi1_wire {
    int fd;
    pthread_mutex_t lock;  // guards the stream: request, reply, and the members below
    bool fence_done;
    char in[PMI1_LINE_MAX];  // bytes received and not yet consumed
    size_t in_nbytes;
} pmi1_wire_t;

/** Sends one line without waiting for a reply. */
void pmi1_send(pmi1_wire_t *w, const char *line);

/** Sends `line` and copies the reply to `reply`; its command must be `expect`. 0, CW_EPROTO or
 *  CW_ETIMEOUT, reported. */
int pmi1_ask(pmi1_wire_t *w, const char *line, const char *expect, char reply[PMI1_LINE_MAX]);

/** Waits for the reply to barrier_in. 0, CW_EPROTO or CW_ETIMEOUT, reported. */
int pmi1_await_fence(pmi1_wire_t *w);

/** The same without waiting: whether it has arrived. */
bool pmi1_fence_is_over(pmi1_wire_t *w);

/** Finds "name=value" in a reply; the value ends at a blank. Returns its length, -1 when absent
 *  or too long. */
int pmi1_field(const char *reply, const char *name, char *value, size_t capacity);

/** Whether the launcher has closed the connection. Reads nothing, and takes no lock. */
bool pmi1_is_hung_up(const pmi1_wire_t *w);

/** Waits until the launcher closes the connection, at most timeout_ms. */
void pmi1_await_end(const pmi1_wire_t *w, int timeout_ms);

#endif
