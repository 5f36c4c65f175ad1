// SPDX-License-Identifier: BSD-3-Clause
//
// Descriptors between one user's processes, over Unix sockets with abstract names. All PEs of a
// node exchange one:
//
//     cw_pass_t pass;
//     cw_pass_open(&pass);               listens at pass.name
//     … exchange the names; all PEs have opened then …
//     cw_pass_all(&pass, names, fd, fds);
//     cw_pass_close(&pass);
//
// Errors: reported, unless stated. Blocking: cw_pass_all sleeps, at most CAUSEWAY_TIMEOUT. Threads:
// one.
#ifndef CW_CORE_PASS_H
#define CW_CORE_PASS_H

#include <stdbool.h>
#include <stdint.h>

bool cw_same_user(int sock);
/** Sends a descriptor with a number. CW_ESYS: not reported. */
int cw_send_fd(int sock, int fd, uint32_t tag);
/** CW_ELOST, CW_EPROTO, CW_EFILES (no free descriptor): not reported. */
int cw_receive_fd(int sock, int *fd_p, uint32_t *tag_p);

typedef struct cw_pass {
    int sock;       // listens; -1: closed
    uint64_t name;  // not 0
} cw_pass_t;

/** Also checks that there are free descriptors. */
int cw_pass_open(cw_pass_t *pass);
/** names, fds: [nslots]. fds: the others' descriptors, which the caller closes; -1 at this PE's
 *  slot and, after failures, where none came. */
int cw_pass_all(const cw_pass_t *pass, const uint64_t *names, int fd, int *fds);
void cw_pass_close(cw_pass_t *pass);

#endif
