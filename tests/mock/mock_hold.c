// SPDX-License-Identifier: BSD-3-Clause
//
// `unordered`: a random third of the RMA operations (and with unordered_sends of the messages) is
// held back and issued some calls later, in any order. Each call into an endpoint, a CQ or a
// counter of the domain is a step; before a caller sleeps on one, everything is issued. Since a
// card needs no calls at all to send, a thread issues what no step has issued within HOLD_NS;
// domains are opened FI_THREAD_SAFE for its sake.
#include "mock.h"

#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { HOLD_NS = 1000000 };

// taken before the lock of a domain
static pthread_mutex_t domains_lock = PTHREAD_MUTEX_INITIALIZER;
static struct mock_domain *domains;
static sem_t work;
static atomic_bool awake;  // the thread will check again before it sleeps

static bool holdable(enum mock_kind kind)
{
    if (kind >= OP_WRITE && kind <= OP_READMSG)
        return mock_want.unordered;
    return kind <= OP_INJECTDATA && mock_want.unordered_sends;
}

static bool injected(const struct mock_op *op)
{
    return op->kind == OP_INJECT || op->kind == OP_INJECTDATA || op->kind == OP_INJECT_WRITE ||
           op->kind == OP_INJECT_WRITEDATA || (op->flags & FI_INJECT);
}

// The caller may reuse injected data at once: the mock keeps a copy.
static void copy_data(struct mock_op *op)
{
    size_t total = 0, at = 0;
    for (size_t i = 0; i < op->niov; i++)
        total += op->iov[i].iov_len;
    op->copy = mock_new(total ? total : 1);
    for (size_t i = 0; i < op->niov; i++) {
        if (op->iov[i].iov_len)
            memcpy((char *)op->copy + at, op->iov[i].iov_base, op->iov[i].iov_len);
        op->iov[i].iov_base = (char *)op->copy + at;
        at += op->iov[i].iov_len;
    }
}

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

bool mock_hold(struct mock_ep *ep, const struct mock_op *op)
{
    if (!holdable(op->kind) || ep->nheld >= MOCK_HELD_MAX || !mock_chance(3))
        return false;
    struct mock_op *held = mock_new(sizeof *held);
    *held = *op;
    if (injected(op))
        copy_data(held);
    held->countdown = 1u << (mock_random() % 7);
    held->due_ns = now_ns() + mock_random() % HOLD_NS;
    held->seq = ep->seq++;
    held->next = ep->held;
    ep->held = held;
    ep->nheld++;
    mock_count(N_HELD);
    if (!atomic_exchange(&awake, true))
        sem_post(&work);
    return true;
}

static void issued(struct mock_ep *ep, fi_addr_t peer, uint64_t seq)
{
    for (struct mock_op *op = ep->held; op; op = op->next)
        if (op->seq < seq && op->peer == peer)
            op->overtaken = true;
}

void mock_issued(struct mock_ep *ep, fi_addr_t peer)
{
    issued(ep, peer, ep->seq++);
}

static void unlink_held(struct mock_ep *ep, struct mock_op *op)
{
    struct mock_op **p = &ep->held;
    while (*p != op)
        p = &(*p)->next;
    *p = op->next;
    ep->nheld--;
}

// The call has already returned success, so a failure now is an error completion.
static void fail(struct mock_ep *ep, const struct mock_op *op, ssize_t rc)
{
    struct fi_cq_err_entry entry = {.op_context = op->context,
                                    .flags =
                                        op->kind >= OP_READ ? FI_RMA | FI_READ : FI_RMA | FI_WRITE,
                                    .err = (int)-rc,
                                    .prov_errno = (int)-rc};
    if (op->kind < OP_WRITE)
        entry.flags = FI_MSG | FI_SEND;
    if (ep->tx_cq)
        mock_cq_post(ep->tx_cq, &entry);
}

static bool release(struct mock_ep *ep, struct mock_op *op)
{
    ssize_t rc = mock_issue(ep, op);
    if (rc == -FI_EAGAIN)
        return false;
    unlink_held(ep, op);
    if (rc)
        fail(ep, op, rc);
    else
        issued(ep, op->peer, op->seq);
    if (op->overtaken)
        mock_count(N_REORDERED);
    free(op->copy);
    free(op);
    return true;
}

void mock_step(struct mock_domain *domain)
{
    for (struct mock_ep *ep = domain->eps; ep; ep = ep->next)
        for (struct mock_op *op = ep->held, *next; op; op = next) {
            next = op->next;
            if (op->countdown > 1)
                op->countdown--;
            else
                release(ep, op);
        }
}

void mock_release_ep(struct mock_ep *ep)
{
    for (struct mock_op *op = ep->held, *next; op; op = next) {
        next = op->next;
        release(ep, op);
    }
}

bool mock_release_all(struct mock_domain *domain)
{
    bool all = true;
    for (struct mock_ep *ep = domain->eps; ep; ep = ep->next) {
        mock_release_ep(ep);
        all = all && !ep->held;
    }
    return all;
}

void mock_drop(struct mock_ep *ep)
{
    while (ep->held) {
        struct mock_op *op = ep->held;
        unlink_held(ep, op);
        mock_count(N_DROPPED);
        free(op->copy);
        free(op);
    }
}

// ---------------------------------------------------------------- the thread

static bool issue_due(struct mock_domain *domain, uint64_t now)
{
    bool left = false;
    for (struct mock_ep *ep = domain->eps; ep; ep = ep->next) {
        for (struct mock_op *op = ep->held, *next; op; op = next) {
            next = op->next;
            if (now >= op->due_ns)
                release(ep, op);
        }
        left = left || ep->held;
    }
    return left;
}

static bool issue_all_due(void)
{
    bool left = false;
    pthread_mutex_lock(&domains_lock);
    for (struct mock_domain *domain = domains; domain; domain = domain->next) {
        pthread_mutex_lock(&domain->lock);
        left = issue_due(domain, now_ns()) || left;
        pthread_mutex_unlock(&domain->lock);
    }
    pthread_mutex_unlock(&domains_lock);
    return left;
}

static void *issuer(void *arg)
{
    struct timespec nap = {0, HOLD_NS / 4};
    for (;;) {
        while (sem_wait(&work) != 0)
            ;
        for (;;) {
            while (issue_all_due())
                nanosleep(&nap, NULL);
            // Before one more check: an operation held from now on is either seen by it or posts.
            atomic_store(&awake, false);
            if (!issue_all_due())
                break;
            atomic_store(&awake, true);
        }
    }
    return arg;
}

static void start_issuer(void)
{
    pthread_t thread;
    sigset_t all, before;
    sem_init(&work, 0, 0);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, issuer, NULL) != 0)
        abort();
    pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void mock_domain_opened(struct mock_domain *domain)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (mock_want.unordered)
        pthread_once(&once, start_issuer);
    pthread_mutex_lock(&domains_lock);
    domain->next = domains;
    domains = domain;
    pthread_mutex_unlock(&domains_lock);
}

void mock_domain_closing(struct mock_domain *domain)
{
    pthread_mutex_lock(&domains_lock);
    struct mock_domain **p = &domains;
    while (*p != domain)
        p = &(*p)->next;
    *p = domain->next;
    pthread_mutex_unlock(&domains_lock);
}
