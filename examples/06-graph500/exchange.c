// SPDX-License-Identifier: BSD-3-Clause
//
// The mailbox: notes are collected for each PE; a full bundle reserves its place in the receiver's
// inbox by one atomic addition and is put there. The receiver does nothing until all PEs have
// delivered.
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

#include "comm.h"
#include "graph.h"

enum { BUNDLE = 512 };

struct mailbox {
    int me, npes;
    int64_t capacity;
    int64_t *used;       // symmetric: notes in this PE's inbox
    struct note *inbox;  // symmetric
    struct bundle {
        struct note note[BUNDLE];
        size_t n;
    } * out;  // [npes]
};

struct mailbox *mailbox_open(int npes, int64_t capacity)
{
    struct mailbox *box = need(malloc(sizeof *box));
    *box = (struct mailbox){.me = shmem_my_pe(), .npes = npes, .capacity = comm_max(capacity)};
    box->used = need(shmem_calloc(1, sizeof *box->used));
    box->inbox = need(shmem_malloc((size_t)(box->capacity + 1) * sizeof *box->inbox));
    box->out = need(calloc((size_t)npes, sizeof *box->out));
    return box;
}

static void send(struct mailbox *box, int pe)
{
    struct bundle *b = &box->out[pe];
    if (b->n == 0)
        return;
    int64_t at = shmem_int64_atomic_fetch_add(box->used, (int64_t)b->n, pe);
    if (at + (int64_t)b->n > box->capacity) {
        fprintf(stderr, "graph500: FAILED: the inbox of PE %d is full\n", pe);
        shmem_global_exit(EXIT_FAILURE);
    }
    shmem_putmem(box->inbox + at, b->note, b->n * sizeof *b->note, pe);
    b->n = 0;
}

void mailbox_post(struct mailbox *box, int pe, struct note note)
{
    struct bundle *b = &box->out[pe];
    b->note[b->n++] = note;
    if (b->n == BUNDLE)
        send(box, pe);
}

// The notes may be read until the next collective; no PE sends before it.
const struct note *mailbox_deliver(struct mailbox *box, int64_t *count)
{
    for (int i = 1; i <= box->npes; i++)
        send(box, (box->me + i) % box->npes);  // each PE begins with another target
    comm_barrier();
    *count = *box->used;
    *box->used = 0;
    return box->inbox;
}

void mailbox_close(struct mailbox *box)
{
    free(box->out);
    shmem_free(box->inbox);
    shmem_free(box->used);
    free(box);
}
