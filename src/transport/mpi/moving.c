// SPDX-License-Identifier: BSD-3-Clause
//
// Large transfers that a node server carries out.
#include "transport/mpi/moving.h"

#include <stdlib.h>

#include "base/error.h"

int mpw_moving_begin(mpw_movings_t *movings, int rank, uint16_t tag, const mpw_move_t *move,
                     void *memory, const mpw_answer_t *answer)
{
    mpw_moving_t *moving = movings->spare;
    if (moving)
        movings->spare = moving->next;
    else if (!(moving = malloc(sizeof *moving))) {
        cwu_error("no memory for a transfer of PE %d", rank);
        return CW_ENOMEM;
    }
    *moving = (mpw_moving_t){.rank = rank, .tag = tag, .answer = *answer};
    bool is_put = move->kind == MPW_PUT_DATA;
    int rc = is_put ? mpw_track_receive(&moving->bytes, rank, MPW_FIRST_PUT_TAG + move->track,
                                        memory, move->nbytes)
                    : mpw_track_send(&moving->bytes, rank, MPW_FIRST_GET_TAG + move->track, memory,
                                     move->nbytes);
    moving->next = movings->first;
    movings->first = moving;
    atomic_fetch_add_explicit(&movings->count, 1, memory_order_relaxed);
    return rc ? mpw_failed(is_put ? "receiving a put" : "sending a get", NULL, rc) : 0;
}

int mpw_moving_take(mpw_movings_t *movings, mpw_moving_t **over_p)
{
    *over_p = NULL;
    for (mpw_moving_t **at = &movings->first, *moving; (moving = *at); at = &moving->next) {
        bool over = false;
        int rc = mpw_track_test(&moving->bytes, &over);
        if (rc)
            return mpw_failed("a transfer", NULL, rc);
        if (!over)
            continue;
        *at = moving->next;
        atomic_fetch_sub_explicit(&movings->count, 1, memory_order_relaxed);
        *over_p = moving;
        return 0;
    }
    return 0;
}

void mpw_moving_give(mpw_movings_t *movings, mpw_moving_t *moving)
{
    moving->next = movings->spare;
    movings->spare = moving;
}

void mpw_moving_close(mpw_movings_t *movings)
{
    mpw_moving_t *moving;
    while ((moving = movings->first)) {
        movings->first = moving->next;
        mpw_moving_give(movings, moving);
    }
    while ((moving = movings->spare)) {
        movings->spare = moving->next;
        free(moving);
    }
}
