// SPDX-License-Identifier: BSD-3-Clause
//
// What plugins say of their MPI, and what they are given.
#ifndef CW_BASE_MPI_FACTS_H
#define CW_BASE_MPI_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { CWU_MPI_TEXT_MAX = 512 };  // bytes of the text of an error

typedef struct cwu_mpi_facts {
    int rank, size;   // in the job's communicator
    bool any_thread;  // MPI_THREAD_MULTIPLE
    const char *library;
} cwu_mpi_facts_t;

/** What a process does, again and again, while it waits for others in a collective call of MPI. It
 *  must not wait for any of them, as they may have left the call. NULL: nothing, MPI blocks. */
typedef struct cwu_mpi_between {
    void (*round)(void *arg);
    void *arg;
} cwu_mpi_between_t;

/** Leaves of what MPI_Get_library_version says name and number: the first line or sentence, a blank
 *  between words, without "Version:" ("MPICH Version:\t4.0.2" is "MPICH 4.0.2"). */
static inline void cwu_mpi_shorten(char *version)
{
    static const char blanks[] = " \t";
    size_t n = 0;
    version[strcspn(version, ",\n\r")] = '\0';
    for (const char *word = version + strspn(version, blanks); *word;) {
        size_t len = strcspn(word, blanks);
        bool label = strncmp(word, "Version", 7) == 0 || (len == 1 && *word == ':');
        if (!label && n > 0)
            version[n++] = ' ';
        if (!label)
            memmove(version + n, word, len);
        n += label ? 0 : len;
        word += len + strspn(word + len, blanks);
    }
    version[n] = '\0';
}

#endif
