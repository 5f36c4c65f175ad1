// SPDX-License-Identifier: BSD-3-Clause
//
// Buffers of messages that MPI is sending: one is free again when MPI says so. Most messages have
// left when the call that sends them returns.
#include "transport/mpi/world.h"

#include <stdlib.h>

bool mpw_sender_reap(mpw_sender_t *sender)
{
    mpw_slot_t *slot;
    while ((slot = sender->first)) {
        if (mpw_world.plugin->test(&slot->request) != 0)
            slot->request = 0;  // the receiver's end ends the job
        if (slot->request)
            return false;
        sender->first = slot->next;
        slot->next = sender->free;
        sender->free = slot;
    }
    return true;
}

mpw_slot_t *mpw_sender_take(mpw_sender_t *sender, uint32_t most)
{
    if (!sender->free && sender->first)
        mpw_sender_reap(sender);
    mpw_slot_t *slot = sender->free;
    if (slot) {
        sender->free = slot->next;
        return slot;
    }
    if (sender->count == most || !(slot = malloc(sizeof *slot)))
        return NULL;
    slot->request = 0;
    sender->count++;
    return slot;
}

int mpw_sender_send(mpw_sender_t *sender, mpw_slot_t *slot, int rank, int tag, size_t nbytes)
{
    int rc = mpw_world.plugin->send(rank, tag, slot->bytes, nbytes, &slot->request);
    if (rc || slot->request == 0) {
        slot->request = 0;
        slot->next = sender->free;
        sender->free = slot;
        return rc;
    }
    slot->next = NULL;
    if (!sender->first)
        sender->end = &sender->first;
    *sender->end = slot;
    sender->end = &slot->next;
    return 0;
}

void mpw_sender_close(mpw_sender_t *sender)
{
    mpw_slot_t *slot;
    while ((slot = sender->free)) {
        sender->free = slot->next;
        free(slot);
    }
    *sender = (mpw_sender_t){.count = 0};
}
