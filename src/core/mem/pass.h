// SPDX-License-Identifier: BSD-3-Clause
//
// Descriptors from process to process of one user, over Unix sockets with abstract names, which
// live in the network namespace and vanish with their owner.
//
// Every PE of the node can hand a descriptor to every other one:
//
//     cw_pass_t pass;
//     cw_pass_open(&pass);               listens at pass.name
//     … the names of all slots are exchanged, and all PEs have opened …
//     cw_pass_all(&pass, names, fd, fds);
//     cw_pass_close(&pass);
//
// Errors: reported. Blocking: cw_pass_all waits for the node's PEs, asleep, for CAUSEWAY_TIMEOUT at
// most. Threads: one.
#ifndef CW_CORE_PASS_H
#define CW_CORE_PASS_H

#include <stdbool.h>
#include <stdint.h>

/** Does the other end belong to the same user? */
bool cw_same_user(int sock);
/** A descriptor, and a number with it. CW_ESYS: not reported. */
int cw_send_fd(int sock, int fd, uint32_t tag);
/** CW_ELOST, CW_EPROTO, CW_EFILES (none is left for it): not reported. */
int cw_receive_fd(int sock, int *fd_p, uint32_t *tag_p);

typedef struct cw_pass {
    int sock;       // listens; -1: closed
    uint64_t name;  // not 0
} cw_pass_t;

/** Also sees to it that the process has a descriptor for each other PE of the node. */
int cw_pass_open(cw_pass_t *pass);
/** names: [nslots]. fds: [nslots], gets the others' descriptors, which the caller closes, and -1 at
 *  this PE's slot; after a failure, -1 where none has come. */
int cw_pass_all(const cw_pass_t *pass, const uint64_t *names, int fd, int *fds);
void cw_pass_close(cw_pass_t *pass);

#endif
