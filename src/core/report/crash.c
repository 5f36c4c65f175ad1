// SPDX-License-Identifier: BSD-3-Clause
//
// The handler of crashes. It runs when anything may be broken, on a stack of its own unless the
// program has a small one, and an alarm ends the process if it hangs because the thread holds a
// lock that is needed.
#include "core/report/crash.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/env.h"
#include "base/error.h"
#include "base/symbol.h"
#include "base/wait.h"
#include "core/mem/memory.h"
#include "core/mem/segment.h"
#include "core/observe/address.h"
#include "core/observe/sources.h"
#include "core/world/front_end.h"
#include "core/world/world.h"

#define STACK_NBYTES ((size_t)256 << 10)
#define STACK_NEEDED ((size_t)32 << 10)  // the question takes 9 KiB; Go's threads have 32
#define NEAR 65536u                      // of NULL, or of the end of a stack
// the processor refused an address before looking for its page
#define NO_ADDRESS ((uintptr_t)0 - 1)
#define STACK_SPAN ((uintptr_t)8 << 20)

static const int signals[] = {SIGSEGV, SIGBUS, SIGABRT};
enum { SIGNALS = sizeof signals / sizeof *signals, FAULTS = 2 };  // these first
static bool installed[SIGNALS], left_alone[SIGNALS];

// ---------------------------------------------------------------- what an address is

/** The end of a sentence that begins with an address of this process, or NULL: nothing known. */
static const char *kind_of(uintptr_t address, uintptr_t stack)
{
    uintptr_t data_end = cw_segment.origin + cw_segment.layout.data_nbytes;
    if (address < NEAR || address > (uintptr_t)0 - NEAR)
        return "is NULL, or next to it";
    if (address > stack - NEAR && address < stack + STACK_SPAN)
        return "is on the stack of this process";
    if (cw_segment.own_view && address >= data_end && address < (uintptr_t)sbrk(0))
        return "is private memory of this process (malloc)";
    return NULL;
}

/** Between addresses of that PE of the node and those here. */
static uintptr_t delta_of(int slot)
{
    return slot == cw_world.slot
               ? 0
               : (uintptr_t)cw_segment.base + cw_slice_offset((uint32_t)slot) - cw_segment.origin;
}

/** Through whose part of the node object an address leads, or this PE. */
static int slot_of(uintptr_t address)
{
    const cwt_layout_t *l = &cw_segment.layout;
    uint64_t at = address - (uintptr_t)cw_segment.base - l->slice_offset + cw_segment.before;
    return cw_segment.base && at < (uint64_t)cw_world.nslots * l->slice_stride
               ? (int)(at / l->slice_stride)
               : cw_world.slot;
}

/** The same of what it asked for on another PE, and has itself. */
static const char *kind_there(uintptr_t address)
{
    const uintptr_t page = (uintptr_t)getpagesize();
    unsigned char resident;
    return mincore((void *)(address / page * page), 1, &resident) == 0
               ? "is private memory of this process (a constant, of a library, or mapped)"
               : NULL;
}

/** Is it one of these addresses, by that PE's window? */
static bool explain_window(char *text, size_t nbytes, uintptr_t address, int slot, const char *kind)
{
    if (!kind)
        return false;
    if (slot == cw_world.slot)
        snprintf(text, nbytes, "%#lx %s", (unsigned long)address, kind);
    else
        snprintf(text, nbytes, "%#lx, asked for on %s %d, %s: not symmetric",
                 (unsigned long)(address - delta_of(slot)), cw_pe_word(),
                 cw_pe_number(cw_world.pes_of_node[slot]), kind);
    return true;
}

/** A routine came upon `address`: through which PE's window, and from which address here? */
static void explain_transfer(char *text, size_t nbytes, uintptr_t address, uintptr_t stack)
{
    for (int slot = 0; slot < cw_world.nslots; slot++)
        if (explain_window(text, nbytes, address, slot, kind_of(address - delta_of(slot), stack)))
            return;
    for (int slot = 0; slot < cw_world.nslots; slot++)
        if (slot != cw_world.slot &&
            explain_window(text, nbytes, address, slot, kind_there(address - delta_of(slot))))
            return;
    int slot = slot_of(address);
    uintptr_t given = address - delta_of(slot);
    snprintf(text, nbytes,
             "%#lx%s, of %s %d, is neither symmetric memory nor known of this process",
             (unsigned long)given, cw_at_overrun((const void *)given), cw_pe_word(),
             cw_pe_number(cw_world.pes_of_node[slot]));
}

/** No register says which address the processor refused, but the address is in one: is any of them
 *  that of the stack, as another PE would have it? */
static bool is_of_stack(const void *context, uintptr_t stack)
{
    const ucontext_t *c = context;
#if defined(__x86_64__)
    const greg_t *registers = c->uc_mcontext.gregs;
    const int n = REG_RCX + 1;  // the last of those with values
#elif defined(__aarch64__)
    const unsigned long long *registers = c->uc_mcontext.regs;
    const int n = 31;
#else
    const uintptr_t *registers = (const void *)c;
    const int n = 0;
#endif
    for (int slot = 0; slot < cw_world.nslots; slot++) {
        uintptr_t delta = delta_of(slot);
        for (int i = 0; delta && i < n; i++) {
            uintptr_t address = (uintptr_t)registers[i] - delta;
            if (address > stack - NEAR && address < stack + STACK_SPAN)
                return true;
        }
    }
    return false;
}

static const char *explain_refused(const void *context, uintptr_t stack, bool in_routine)
{
    if (!in_routine)
        return "";
    return is_of_stack(context, stack)
               ? "; it is of a variable on the stack, which is not symmetric"
               : "; was an argument (context, team, event, handle, address) never initialised, or "
                 "is it over?";
}

static void explain(char *text, size_t nbytes, uintptr_t address, uintptr_t stack, bool in_routine,
                    const void *context)
{
    bool overflow = address > stack - NEAR && address < stack + NEAR;
    if (address == NO_ADDRESS)
        snprintf(text, nbytes, "that no memory can have%s",
                 explain_refused(context, stack, in_routine));
    else if (in_routine)
        explain_transfer(text, nbytes, address, stack);
    else
        snprintf(text, nbytes, "%#lx%s %s", (unsigned long)address,
                 address < NEAR || overflow ? "" : cw_at_overrun((const void *)address),
                 address < NEAR ? "is NULL, or next to it"
                 : overflow     ? "is at the end of the stack, which is used up (ulimit -s)"
                                : "is not memory of this process, or must not be written");
}

/** A NULL of the heap that was not looked at is the likeliest reason for one. */
static void explain_heap(char *text, size_t nbytes)
{
    size_t failed = cw_heap_refused();
    text[0] = '\0';
    if (failed)
        snprintf(text, nbytes,
                 "; before that %s could not give %zu bytes: the symmetric heap has %llu MiB (%s)",
                 cw_names()->alloc, failed, (unsigned long long)(cw_agreement.heap_nbytes >> 20),
                 CWU_ENV_NAME(symmetric_size));
}

// ---------------------------------------------------------------- the handler

void cw_crash_put_frame(int depth, const char *where)
{
    char line[300];
    int n = snprintf(line, sizeof line, "causeway:   %s %d #%-2d %s\n", cw_pe_word(),
                     cw_pe_number(cw_world.pe), depth, where);
    if (n > 0)
        cwu_write(line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
}

static void give_up(int signal_number)
{
    (void)signal_number;
    signal(SIGSEGV, SIG_DFL);
    kill(getpid(), SIGSEGV);
}

static void interrupted_at(const void *context, const void **pc_p, uintptr_t *stack_p)
{
    const ucontext_t *c = context;
#if defined(__x86_64__)
    *pc_p = (const void *)c->uc_mcontext.gregs[REG_RIP];
    *stack_p = (uintptr_t)c->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    *pc_p = (const void *)c->uc_mcontext.pc;
    *stack_p = (uintptr_t)c->uc_mcontext.sp;
#else
    (void)c;
    *pc_p = NULL;
    *stack_p = (uintptr_t)&c;
#endif
}

const void *cw_crash_pc(const void *context)
{
    const void *pc;
    uintptr_t stack;
    interrupted_at(context, &pc, &stack);
    return pc;
}

/** The call of what is no code, or NULL. The call itself has worked, so there is a stack. */
static const char *call_of_address(const void *context, uintptr_t stack)
{
    const char *after = NULL;
#if defined(__x86_64__)
    (void)context;
    after = *(const char *const *)stack;
#elif defined(__aarch64__)
    (void)stack;
    after = (const char *)((const ucontext_t *)context)->uc_mcontext.regs[30];
#else
    (void)context, (void)stack;
#endif
    return after ? after - 1 : NULL;
}

static void report(const char *name, uintptr_t address, const void *context)
{
    cwu_routine_t routine;
    char where[200], what[400], heap[200];
    const void *pc, *call;
    uintptr_t stack;
    interrupted_at(context, &pc, &stack);
    call = address == (uintptr_t)pc ? call_of_address(context, stack) : NULL;
    pc = call ? call : pc;
    bool below = cwu_symbol_interrupted(pc, cw_is_routine, &routine, where, sizeof where);
    cw_rename_routine(routine.name, sizeof routine.name, routine.exact);
    if (call)
        snprintf(what, sizeof what, "%#lx is no function, and was called", (unsigned long)address);
    else
        explain(what, sizeof what, address, stack, below, context);
    explain_heap(heap, sizeof heap);
    if (below)
        cwu_error("%s in %s, called from %s: address %s%s%s", name, routine.name, where, what, heap,
                  cw_world.check ? "" : "; CAUSEWAY_CHECK=1 checks every call");
    else
        cwu_error("%s in %s, outside of the library: address %s%s", name, where, what, heap);
    cwu_symbol_stack(pc, cw_crash_put_frame);
}

/** abort in free: a block of the symmetric heap, or the C library's own is written around. Other
 *  calls of abort have said why. */
static void report_free(const void *context)
{
    cwu_routine_t routine;
    char where[200], place[200], call[32];
    const void *pc = cw_crash_pc(context);
    if (!cwu_symbol_below(pc, call, sizeof call, where, sizeof where) ||
        (!strstr(call, "free") && !strstr(call, "realloc")))
        return;
    bool below = cwu_symbol_interrupted(pc, cw_is_routine, &routine, place, sizeof place);
    cw_rename_routine(routine.name, sizeof routine.name, routine.exact);
    cwu_error("SIGABRT in %s%s%s, called from %s: malloc has not given that block, or it was freed "
              "before, or written around; symmetric memory goes back by the interface that gave "
              "it",
              strstr(call, "free") ? "free" : "realloc", below ? " of " : "",
              below ? routine.name : "", below ? place : where);
    cwu_symbol_stack(cw_crash_pc(context), cw_crash_put_frame);
}

static void on_crash(int number, siginfo_t *info, void *context)
{
    if (number == SIGABRT) {
        signal(number, SIG_DFL);
        report_free(context);
        raise(number);
        return;
    }
    if (info->si_code > 0 && info->si_code != SI_KERNEL)
        cw_source_faulted(info->si_addr, &((const ucontext_t *)context)->uc_sigmask);
    // From here on the signal is deadly: on the return that repeats the access, or now.
    signal(number, SIG_DFL);
    signal(SIGALRM, give_up);
    alarm(CWU_WAIT_S(GIVE_UP));
    uintptr_t address = info->si_code == SI_KERNEL ? NO_ADDRESS : (uintptr_t)info->si_addr;
    if (info->si_code > 0)
        report(number == SIGBUS ? "SIGBUS" : "SIGSEGV", address, context);
    cwu_error_last(info->si_code > 0);
    if (info->si_code <= 0)
        raise(number);  // sent by a process, which no access repeats
}

static void give_stack(void)
{
    static void *own;
    stack_t now;
    if (own || sigaltstack(NULL, &now) || !(now.ss_flags & SS_DISABLE))
        return;
    own = mmap(NULL, STACK_NBYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (own == MAP_FAILED)
        return;
    stack_t stack = {.ss_sp = own, .ss_size = STACK_NBYTES};
    sigaltstack(&stack, NULL);
}

int cw_crash_stack_flag(void)
{
    stack_t now;
    bool small =
        sigaltstack(NULL, &now) == 0 && !(now.ss_flags & SS_DISABLE) && now.ss_size < STACK_NEEDED;
    return small ? 0 : SA_ONSTACK;
}

static bool is_ours(int i)
{
    struct sigaction now;
    return installed[i] && sigaction(signals[i], NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) &&
           now.sa_sigaction == on_crash;
}

static bool are_ours(void)
{
    bool ours = true;
    for (int i = 0; i < FAULTS; i++)
        ours = ours && is_ours(i);
    return ours;
}

void cw_crash_open(void)
{
    struct sigaction action = {.sa_sigaction = on_crash,
                               .sa_flags = SA_SIGINFO | cw_crash_stack_flag()};
    sigemptyset(&action.sa_mask);
    for (int i = 0; cwu_env.backtrace && i < SIGNALS; i++) {
        struct sigaction now;
        installed[i] = !left_alone[i] && sigaction(signals[i], NULL, &now) == 0 &&
                       !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL &&
                       sigaction(signals[i], &action, NULL) == 0;
        if (installed[i])
            give_stack();
    }
    cw_sources_handled(are_ours() ? are_ours : NULL);
}

static void take_away(int i)
{
    if (is_ours(i))
        signal(signals[i], SIG_DFL);
    if (i < FAULTS)
        cw_sources_handled(NULL);
    installed[i] = false;
}

void cw_crash_close(void)
{
    for (int i = 0; i < SIGNALS; i++)
        take_away(i);
}

void cw_crash_leave(int signal_number)
{
    for (int i = 0; i < SIGNALS; i++)
        if (signals[i] == signal_number) {
            take_away(i);
            left_alone[i] = true;
        }
}
