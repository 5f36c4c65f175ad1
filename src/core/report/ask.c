// SPDX-License-Identifier: BSD-3-Clause
//
// The handler of questions. It may interrupt anything: it takes no memory and no lock, and reads
// what the interrupted thread says of its own wait.
#include "core/report/ask.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/env.h"
#include "base/error.h"
#include "base/symbol.h"
#include "base/wait.h"
#include "bootstrap/bootstrap.h"
#include "core/mem/segment.h"
#include "core/progress/wait.h"
#include "core/report/crash.h"
#include "core/report/report_text.h"
#include "core/report/waits.h"
#include "core/world/front_end.h"
#include "core/world/job.h"

#define REPLIES_NS (200 * CWU_MS)   // that the PEs of a node have
#define FOLLOWS_NS (2000 * CWU_MS)  // at most, from a question to the signal that follows
#define ROUND_NS (1000 * CWU_MS)    // replies of one signal; two signals are further apart

static int signo;  // 0: no handler of this library

/** In the node object, for launchers that ask nothing themselves. */
typedef struct table {
    CW_CACHE_ALIGNED _Atomic uint64_t asked_ns;  // when a PE of the node began to collect
    _Atomic uint64_t printed_ns;                 // asked_ns of what it has printed
    cwb_state_t states[];                        // by slot
} table_t;

static uint64_t table_nbytes(void)
{
    return sizeof(table_t) + (uint64_t)cw_world.max_slots * sizeof(cwb_state_t);
}

cw_section_t cw_state_section = {.in = CW_SECTION_CONTROL, .align = 64, .nbytes = table_nbytes};

static table_t *table(void)
{
    return (table_t *)(void *)(cw_segment.base + cw_state_section.offset);
}

static cwb_state_t *my_state(void)
{
    return cw_boot.states ? &cw_boot.states[cw_world.pe] : &table()->states[cw_world.slot];
}

// ---------------------------------------------------------------- what this PE does

static void describe(cwb_state_t *s, const void *context)
{
    cwu_routine_t routine;
    char where[160];
    bool below =
        cwu_symbol_interrupted(cw_crash_pc(context), cw_is_routine, &routine, where, sizeof where);
    const cw_wait_t *w = cw_wait_current;
    cw_rename_routine(routine.name, sizeof routine.name, routine.exact);
    if (below)
        snprintf(s->does, sizeof s->does, "in %.63s, called from %s", routine.name, where);
    else if (routine.inside)
        snprintf(s->does, sizeof s->does, "at the begin or the end of the process, in %s", where);
    else
        snprintf(s->does, sizeof s->does, "outside of the library, in %s", where);
    snprintf(s->word, sizeof s->word, "%s", cw_pe_number(0) ? cw_pe_word() : "");
    s->wants[0] = '\0';
    s->since_ns = below && w ? w->since_ns : 0;
    if (below && w) {
        cw_report_wait_t r = {0};
        cw_waits_take(&r, w);
        cw_report_describe(&r, s->wants, sizeof s->wants);
    }
    s->at_ns = cwu_now_ns();
}

// ---------------------------------------------------------------- a node without oshrun

static void put(const char *line)
{
    char text[1100];
    int n = snprintf(text, sizeof text, "causeway: report: %s\n", line);
    cwu_write(text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

/** The launcher has not sent them the signal, or they have a handler of their own. */
static bool say_nothing(void *arg, int index, char *text, size_t nbytes)
{
    (void)arg, (void)index, (void)text, (void)nbytes;
    return false;
}

static bool is_recent(const cwb_state_t *s, uint64_t now)
{
    return atomic_load_explicit(&s->replied, memory_order_acquire) && s->at_ns + ROUND_NS > now;
}

static void collect(void)
{
    table_t *t = table();
    uint64_t now = cwu_now_ns(), before = atomic_load(&t->asked_ns);
    if ((before && now - before < ROUND_NS) ||
        !atomic_compare_exchange_strong(&t->asked_ns, &before, now))
        return;  // another PE does it
    for (uint64_t waited = 0; waited < REPLIES_NS; waited += CWU_WAIT_NS(LATE)) {
        int slot = 0;
        while (slot < cw_world.nslots && is_recent(&t->states[slot], now))
            slot++;
        if (slot == cw_world.nslots)
            break;
        cwu_sleep_ns(CWU_WAIT_NS(LATE));
    }
    for (int slot = 0; slot < cw_world.nslots; slot++)
        if (!is_recent(&t->states[slot], now))
            atomic_store(&t->states[slot].asked, atomic_load(&t->states[slot].replied) + 1);
    const cwb_states_t states = {.first = t->states,
                                 .count = cw_world.nslots,
                                 .pe_of = cw_world.pes_of_node,
                                 .silent = say_nothing,
                                 .put = put};
    cwb_states_print(&states);
    atomic_store(&t->printed_ns, now);
}

/** A launcher kills all that are left when the first PE ends: none does before the report. */
static void await_print(void)
{
    const table_t *t = table();
    for (uint64_t waited = 0; waited < 2 * REPLIES_NS; waited += CWU_WAIT_NS(LATE)) {
        if (atomic_load(&t->printed_ns) == atomic_load(&t->asked_ns))
            return;
        cwu_sleep_ns(CWU_WAIT_NS(LATE));
    }
}

// ---------------------------------------------------------------- the handler

/** A question that ends the program's sleep must not let it go on, and end well, before the signal
 *  comes for which it was asked. That waits until the handler has returned, for the stack here may
 *  be too small for a handler of the program. */
static void await_following(const cwb_state_t *s)
{
    int follows = atomic_load(&s->follows);
    if (!follows)
        return;
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, follows);
    pthread_sigmask(SIG_BLOCK, &one, NULL);  // the return from the handler undoes it
    for (uint64_t waited = 0; waited < FOLLOWS_NS; waited += CWU_WAIT_NS(LATE)) {
        if (!atomic_load(&s->follows))  // pairs with ask_release of oshrun
            return;
        cwu_sleep_ns(CWU_WAIT_NS(LATE));
    }
}

static void on_ask(int number, siginfo_t *info, void *context)
{
    int saved = errno;
    (void)info;
    cwb_state_t *s = my_state();
    bool collects = !cw_boot.states;
    uint32_t asked = atomic_load(&s->asked);
    bool by_launcher = cw_boot.states && asked != atomic_load(&s->replied);
    if (!by_launcher)
        atomic_store(&s->asked, ++asked);
    describe(s, context);
    atomic_store_explicit(&s->replied, asked, memory_order_release);  // pairs with readers
    const cwb_states_t mine = {
        .first = s, .count = 1, .pe_of = &cw_world.pe, .silent = say_nothing, .put = put};
    if (collects)
        collect();
    else if (!by_launcher)
        cwb_states_print(&mine);
    else
        await_following(s);
    if (number == SIGINT || number == SIGTERM || number == SIGQUIT) {
        if (collects)
            await_print();
        signal(number, SIG_DFL);
        raise(number);
    }
    errno = saved;
}

static int chosen(void)
{
    static const struct {
        const char *name;
        int number;
    } known[] = {{"URG", SIGURG}, {"USR1", SIGUSR1}, {"USR2", SIGUSR2},
                 {"INT", SIGINT}, {"TERM", SIGTERM}, {"QUIT", SIGQUIT}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(cwu_env.report_signal, known[i].name) == 0)
            return known[i].number;
    return 0;  // none
}

void cw_ask_open(void)
{
    struct sigaction now, action = {.sa_sigaction = on_ask,
                                    .sa_flags = SA_SIGINFO | SA_RESTART | cw_crash_stack_flag()};
    sigemptyset(&action.sa_mask);
    signo = cwu_env.backtrace ? chosen() : 0;
    if (signo && (sigaction(signo, NULL, &now) != 0 || (now.sa_flags & SA_SIGINFO) ||
                  now.sa_handler != SIG_DFL || sigaction(signo, &action, NULL) != 0))
        signo = 0;
    if (cw_boot.states)
        atomic_store(&my_state()->pid, signo == SIGURG ? (int32_t)getpid() : 0);
}

void cw_ask_close(void)
{
    if (cw_boot.states)
        atomic_store(&my_state()->pid, 0);
    struct sigaction now;
    if (signo && sigaction(signo, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) &&
        now.sa_sigaction == on_ask)
        signal(signo, SIG_DFL);
    signo = 0;
}
