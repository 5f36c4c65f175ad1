// SPDX-License-Identifier: BSD-3-Clause
//
// Shared by the clients of this folder, C and C++: what is wrong is printed and counted, bytes that
// tell where they come from, and what ends a client.
#ifndef RUNTIME_H
#define RUNTIME_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong;
#define EXPECT(what)                                                                        \
    ((what) ? (void)0                                                                       \
            : (void)(__atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED),                       \
                     printf("FAIL: %s:%d: %s\n", __FILE__, __LINE__, #what)))
#define SAFE(call)                                                                          \
    do {                                                                                    \
        int rc_ = (call);                                                                   \
        if (rc_ != GASNET_OK) {                                                             \
            fprintf(stderr, "FAIL: %s: %s\n", #call, gasnet_ErrorName(rc_));                \
            gasnet_exit(1);                                                                 \
        }                                                                                   \
    } while (0)

static inline unsigned char byte_of(unsigned from, unsigned what, size_t i)
{
    return (unsigned char)(from * 31 + what * 7 + i + i / 251);
}

static inline void fill(void *to, unsigned from, unsigned what, size_t nbytes)
{
    for (size_t i = 0; i < nbytes; i++)
        ((unsigned char *)to)[i] = byte_of(from, what, i);
}

static inline int is_filled(const void *at, unsigned from, unsigned what, size_t nbytes)
{
    for (size_t i = 0; i < nbytes; i++)
        if (((const unsigned char *)at)[i] != byte_of(from, what, i))
            return 0;
    return 1;
}

/** One line of each process. */
static inline int report(const char *client, unsigned me)
{
    printf("%s: rank %u, %d wrong\n", client, me, wrong);
    fflush(stdout);
    return wrong != 0;
}

#endif
