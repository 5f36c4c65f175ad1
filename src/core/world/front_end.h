// SPDX-License-Identifier: BSD-3-Clause
//
// What core must know of front ends to speak of their routines in messages. Each front end
// registers one record, before main or when it joins the job; core names none of them. Threads:
// registered by one thread, read by all.
#ifndef CW_CORE_FRONT_END_H
#define CW_CORE_FRONT_END_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Names for messages about symmetric memory and contexts. */
typedef struct cw_names {
    const char *alloc, *free;  // of the symmetric heap
    const char *ctx_default, *ctx_private, *ctx_destroy;
} cw_names_t;

typedef struct cw_front_end {
    const char *init, *finalize;  // the routines that join and leave the job
    const char *more_threads;     // what a program asks for more threads with
    const cw_names_t *names;      // NULL: it has no symmetric memory
    bool (*is_routine)(const char *symbol);
    /** Turns the name of a routine on the stack into what messages say. exact: the program calls
     *  it by that name; else it may be one of many with the same body. May be NULL. */
    void (*rename)(char *routine, size_t nbytes, bool exact);
    const char *peer;  // what it calls a PE, and counts from 1: "image"; NULL: "PE", from 0
    /** What messages say of a type, or an operation, instead of its number; NULL: the number. May
     *  be NULL. */
    const char *(*value_name)(bool is_operation, uint64_t value);
    // core's own:
    int joined;  // how often it has joined the job, and not left
    struct cw_front_end *next;
} cw_front_end_t;

/** The record stays in use until the process ends; registering it again changes nothing. */
void cw_front_end_register(cw_front_end_t *front_end);

/** The names of the first front end that has some; plain words without one. */
const cw_names_t *cw_names(void);
/** The front end with that routine; else the first one; plain words without one. Not NULL. */
const cw_front_end_t *cw_front_end_of(const char *routine);
/** The front end with that routine has joined the job (change 1), or left it (-1). By the thread
 *  that does so. */
void cw_front_end_count(const char *routine, int change);
/** "shmem_finalize", or "shmem_finalize and ARMCI_Finalize": what the front ends that have joined
 *  have not been left by. */
const char *cw_missing_finalize(void);
/** What messages call a PE: "PE"; or the word of the front ends that have joined the job, if it is
 *  the same of all. */
const char *cw_pe_word(void);
/** The number of a PE with that word. */
int cw_pe_number(int pe);
/** Is this the name of a routine of any front end? */
bool cw_is_routine(const char *symbol);
/** Of one with names, for the search in a call stack. */
bool cw_is_named_routine(const char *symbol);
/** Is there a front end with names in this process? */
bool cw_has_named_routines(void);
/** Does the program, or a library beside this one, call such routines, of a front end of this
 *  process? (program.c) */
bool cw_program_uses(bool (*is_routine)(const char *symbol));
/** Does the main program itself call such functions, of any shared library? */
bool cw_program_calls(bool (*is_named)(const char *symbol));
/** Those of a front end with names? */
bool cw_program_uses_named_routines(void);
void cw_rename_routine(char *routine, size_t nbytes, bool exact);

#endif
