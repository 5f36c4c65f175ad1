// SPDX-License-Identifier: BSD-3-Clause
//
// Describes addresses in messages: the function or variable at an address, and the caller. Slow
// (reads the symbol table of the file, unwinds the stack): for messages only. Threads: any;
// takes no memory, so signal handlers may call it. Never fails; an unknown address stays a number.
#ifndef CW_BASE_SYMBOL_H
#define CW_BASE_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** "main+0x1c (ring.c:14)" for code; without lines (base/dwarf/lines.h) "main+0x1c (addr2line -e
 *  /home/me/prog 0x1169)" where that finds it, "main+0x1c (prog, compiled without -g)", "puts+0x1
 *  (libc.so.6)"; "prog+0x1234" or the bare address when there is no symbol. */
void cwu_symbol_describe(const void *address, char *text, size_t text_nbytes);

/** In a routine: the call of it in the program, whose line is not that of what comes after. */
#define CWU_CALLER ((const void *)((const char *)__builtin_return_address(0) - 1))

typedef struct cwu_variable {
    char name[128];
    size_t nbytes;
    size_t distance;  // from its start to the address; not less than nbytes: it lies before that
} cwu_variable_t;

/** The variable of static data at an address, or else the last one that ends before it in the same
 *  file. False when there is none. */
bool cwu_symbol_variable(const void *address, cwu_variable_t *variable_p);

typedef struct cwu_routine {
    char name[128];
    bool exact;   // as the program calls it; else one of the names that it has
    bool inside;  // without a name: the place is in the library, as in its part of exit
} cwu_routine_t;

/**
 * The call into this library: walks up the stack to the first function that is_routine() knows (by
 * its name without a leading "p"), or that is outside of the library. Returns true with a
 * description of the call site and the routine (its name is "" when unknown); false when there is
 * no such site.
 */
bool cwu_symbol_caller(bool (*is_routine)(const char *name), cwu_routine_t *routine_p, char *where,
                       size_t where_nbytes);
/** A number for the calls on the stack: each turn of a loop has the same. Cheap; never 0. */
uint64_t cwu_symbol_site(void);
/** The call of the program that led here: the first place on the stack outside of this library; of
 *  a program that has the library in itself, a place in this file. Cheap. NULL: not known. */
const void *cwu_symbol_outside(void);
/** The same; NULL, too, where the program has the library in itself. */
const void *cwu_symbol_program(void);
/** cwu_symbol_outside, where the routine knows its own caller (CWU_CALLER): cheaper if that is
 *  outside. */
const void *cwu_symbol_call(const void *caller);
/** The first place on the stack outside of this library, as other processes of the job can look it
 *  up: 48 bits. 0: not known, or the program has the library in itself. */
uint64_t cwu_symbol_shared(void);
/** Describes what another process has found so, as its files are those of this one. False: there is
 *  no such file here. */
bool cwu_symbol_describe_shared(uint64_t shared, char *text, size_t text_nbytes);
/** Does the caller run in the handler of a signal? Walks up to the frame that was interrupted.
 *  *interrupted_p: the place in it. */
bool cwu_symbol_in_signal(const void **interrupted_p);
/** In a signal's handler: the same for the code that it interrupted at `pc`. False: that is no
 *  routine, nor anything below one; where describes it. */
bool cwu_symbol_interrupted(const void *pc, bool (*is_routine)(const char *name),
                            cwu_routine_t *routine_p, char *where, size_t where_nbytes);
/** In a signal's handler: did it interrupt, at `pc`, libfabric or an MPI? */
bool cwu_symbol_in_network(const void *pc);
/** Is it code of a library (the C library, say) other than this one and those below it? */
bool cwu_symbol_in_library(const void *pc);
/** In a signal's handler: the function of the C library that the code calls which it interrupted at
 *  `pc`, and where from. False: it is in none. */
bool cwu_symbol_below(const void *pc, char *function, size_t function_nbytes, char *where,
                      size_t where_nbytes);
/** Passes a line for each function on the stack, from `pc` on, to put. NULL: all. */
void cwu_symbol_stack(const void *pc, void (*put)(int depth, const char *where));

#endif
