// SPDX-License-Identifier: BSD-3-Clause
//
// What core must know of front ends for messages. Each registers one record, before main or when it
// joins. Threads: registered by one thread, read by all.
#ifndef CW_CORE_FRONT_END_H
#define CW_CORE_FRONT_END_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** About symmetric memory and contexts. */
typedef struct cw_names {
    const char *alloc, *free;  // of the symmetric heap
    const char *ctx_default, *ctx_private, *ctx_destroy;
} cw_names_t;

typedef struct cw_front_end {
    const char *init, *finalize;  // routines that join and leave the job
    const char *more_threads;     // what a program asks for more threads with
    const cw_names_t *names;      // NULL: it has no symmetric memory
    bool (*is_routine)(const char *symbol);
    /** From the name of a routine on the stack to what messages say. exact: the program calls it
     *  so; else it may be one of many with the same body. May be NULL. */
    void (*rename)(char *routine, size_t nbytes, bool exact);
    const char *peer;  // a PE, counted from 1: "image"; NULL: "PE", from 0
    /** Of a type or an operation, for messages; NULL: its number. May be NULL. */
    const char *(*value_name)(bool is_operation, uint64_t value);
    // core's own:
    int joined;  // times joined, and not left
    struct cw_front_end *next;
} cw_front_end_t;

/** The record stays in use; again changes nothing. */
void cw_front_end_register(cw_front_end_t *front_end);

/** Of the first front end that has some; plain words without one. */
const cw_names_t *cw_names(void);
/** With that routine, else the first; plain words without one. Not NULL. */
const cw_front_end_t *cw_front_end_of(const char *routine);
/** change: has joined the job (1), or left it (-1). By the thread that does so. */
void cw_front_end_count(const char *routine, int change);
/** "shmem_finalize and ARMCI_Finalize": of those that have joined and not left. */
const char *cw_missing_finalize(void);
/** "PE", or the word that all front ends share that have joined. */
const char *cw_pe_word(void);
/** The number of a PE with that word. */
int cw_pe_number(int pe);
/** Of any front end. */
bool cw_is_routine(const char *symbol);
/** Of one with names, for the search in a call stack. */
bool cw_is_named_routine(const char *symbol);
bool cw_has_named_routines(void);
/** Does the program, or a library beside this one, call such routines of a front end here? */
bool cw_program_uses(bool (*is_routine)(const char *symbol));
/** Does the main program itself call such functions, of any library? */
bool cw_program_calls(bool (*is_named)(const char *symbol));
bool cw_program_uses_named_routines(void);
void cw_rename_routine(char *routine, size_t nbytes, bool exact);

#endif
