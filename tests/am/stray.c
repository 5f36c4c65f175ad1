// SPDX-License-Identifier: BSD-3-Clause
//
//     stray WHAT
//
// Node 0 of a GASNet job sends what its own library never would: messages that make node 1 read or
// write memory outside all segments, or a reply to no request. The receiver must refuse them.
#define GASNET_SEQ 1
#include <gasnet.h>
#include <stdio.h>
#include <string.h>

#include "core/am/am.h"
#include "core/owner/copy.h"

// As in src/core/owner/copy.c.
enum { PUT = 1, GET, SET, DONE, GOT };
enum { LOADED = 200, ASKED };
enum { CLIENT = 0 };  // as in src/gasnet/gas1.h

static char private_memory[64] = "mine";
static volatile int over;

static void loaded(gasnet_token_t token, void *payload, size_t nbytes)
{
    (void)token, (void)payload, (void)nbytes;
    over = 1;
}

static void asked(gasnet_token_t token)
{
    uint32_t id = 3;
    cw_am_reply_medium((cw_am_msg_t *)(void *)token, CW_AM_HEAD(CW_OWNER_AM_CLIENT, GOT, 1), &id,
                       private_memory, 16);
}

/** address: of private_memory on node 1. */
static void send_stray(const char *what, uint64_t address)
{
    void *dest = (void *)(uintptr_t)address;
    uint32_t args[6] = {(uint32_t)address, (uint32_t)(address >> 32), 16, 0, 0, 0};
    if (!strcmp(what, "put"))
        cw_am_request_long(1, CW_AM_HEAD(CW_OWNER_AM_CLIENT, PUT, 1), args, "0123456789abcdef", 16,
                           dest, CW_AM_RAW);
    else if (!strcmp(what, "long"))
        cw_am_request_long(1, CW_AM_HEAD(CLIENT, LOADED, 0), NULL, "0123456789abcdef", 16, dest,
                           CW_AM_RAW);
    else if (!strcmp(what, "get"))
        cw_am_request_short(1, CW_AM_HEAD(CW_OWNER_AM_CLIENT, GET, 4), args, 0);
    else if (!strcmp(what, "set"))
        cw_am_request_short(1, CW_AM_HEAD(CW_OWNER_AM_CLIENT, SET, 6), args, 0);
    else if (!strcmp(what, "answer"))
        cw_am_request_short(1, CW_AM_HEAD(CLIENT, ASKED, 0), NULL, 0);
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{LOADED, (void (*)())loaded}, {ASKED, (void (*)())asked}};
    if (argc < 2 || gasnet_init(&argc, &argv) || gasnet_attach(table, 2, GASNET_PAGESIZE, 0))
        return 99;
    gasnet_seginfo_t segment[2];
    gasnet_getSegmentInfo(segment, 2);
    uint64_t address = (uintptr_t)private_memory;
    gasnet_put(0, (char *)segment[0].addr + 8 * gasnet_mynode(), &address, 8);
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
    if (gasnet_mynode() == 0) {
        uint64_t theirs;
        memcpy(&theirs, (char *)segment[0].addr + 8, 8);
        send_stray(argv[1], theirs);
    }
    for (int i = 0; i < 3; i++) {
        gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
        gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
    }
    GASNET_BLOCKUNTIL(over);
    printf("%s went through\n", argv[1]);
    return 0;
}
