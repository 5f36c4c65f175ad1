/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The message layer of ARMCI: messages between two processes and global operations. See armci(7).
 * Threads: one at a time. */
#ifndef ARMCI_MESSAGE_H
#define ARMCI_MESSAGE_H

#include "armci.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wlong-long"

/* ---------------------------------------------------------------- processes */
int armci_msg_me(void);
int armci_msg_nproc(void);
/** Waits until all processes have called it. Completes nothing: ARMCI_Barrier does. */
void armci_msg_barrier(void);
void parmci_msg_barrier(void);
void armci_msg_group_barrier(ARMCI_Group *group);
void parmci_msg_group_barrier(ARMCI_Group *group);
/** The name of the group of all processes, for programs that print it. */
extern char *mp_group_name;
/** Seconds since some moment. */
double armci_timer(void);
/** Joins the job before ARMCI_Init, so that the calls of this header may come first. Calls MPI_Init
 *  where the program is linked with an MPI and has not called it (armci(7)). Needs its
 *  armci_msg_finalize. The arguments stay as they are. */
void armci_msg_init(int *argc, char ***argv);
/** Undoes it: MPI_Finalize, too, if it called MPI_Init. After the last ARMCI_Finalize of a program
 *  that has called MPI_Init and not armci_msg_init: MPI_Finalize. */
void armci_msg_finalize(void);
#ifdef MPI_VERSION
/** As ARMCI_Init_mpi_comm. */
void armci_msg_init_comm(MPI_Comm comm);
#endif
/** Ends the job with that status (1 if it is 0). */
void armci_msg_abort(int code);

/* ---------------------------------------------------------------- between two processes */
/** buffer may be changed when it returns, which may be when the message is received: up to 16 KiB
 *  of small messages (64 bytes more each) of a process wait at another one, then it waits. */
void armci_msg_snd(int tag, void *buffer, int len, int to);
/** The first message of that process with that tag. *msglen: its bytes; msglen may be NULL. A
 *  message of more than buflen bytes is an error. */
void armci_msg_rcv(int tag, void *buffer, int buflen, int *msglen, int from);
/** The first one of any process; returns which. */
int armci_msg_rcvany(int tag, void *buffer, int buflen, int *msglen);

/* ---------------------------------------------------------------- scopes
 * The processes that take part: all; those of this node; the lowest of each node. Processes that
 * are not of the scope return at once. */
#define SCOPE_ALL 333
#define SCOPE_NODE 337
#define SCOPE_MASTERS 339

/** A binary tree over the processes of a scope: numbers of the root, and of this process's parent
 *  and children; -1: none. */
void armci_msg_bintree(int scope, int *Root, int *Up, int *Left, int *Right);

/* ---------------------------------------------------------------- broadcasts
 * Collective over the scope. root: a process of the scope, by its number among all processes. */
void armci_msg_bcast(void *buffer, int len, int root);
void armci_msg_brdcst(void *buffer, int len, int root);
void armci_msg_bcast_scope(int scope, void *buffer, int len, int root);
void armci_msg_group_bcast_scope(int scope, void *buffer, int len, int root, ARMCI_Group *group);
/** From the lowest process of this node. */
void armci_msg_clus_brdcst(void *buffer, int len);
/** From rank grp_master of the group to the grp_clus_nproc ranks from there on, which call it. */
void armci_grp_clus_brdcst(void *buf, int len, int grp_master, int grp_clus_nproc,
                           ARMCI_Group *mastergroup);

/* ---------------------------------------------------------------- reductions
 * x[i] of all processes of the scope, combined in place; the same bits on all of them. op begins
 * with "+" "*" "min" "max" "absmin" "absmax" (of absolute values); of integers also with "or" "|"
 * "&" "||" "&&". Nothing behind that is looked at: strings of Fortran need no NUL. */
#define ARMCI_INT -99
#define ARMCI_LONG -101
#define ARMCI_LONG_LONG -102
#define ARMCI_FLOAT -306
#define ARMCI_DOUBLE -307

void armci_msg_gop_scope(int scope, void *x, int n, char *op, int type);
void armci_msg_igop(int *x, int n, char *op);
void armci_msg_lgop(long *x, int n, char *op);
void armci_msg_llgop(long long *x, int n, char *op);
void armci_msg_fgop(float *x, int n, char *op);
void armci_msg_dgop(double *x, int n, char *op);
/** Only the lowest process of the scope gets the result; x of the others stays. */
void armci_msg_reduce(void *x, int n, char *op, int type);
void armci_msg_reduce_scope(int scope, void *x, int n, char *op, int type);

void armci_msg_group_gop_scope(int scope, void *x, int n, char *op, int type, ARMCI_Group *group);
void armci_msg_group_igop(int *x, int n, char *op, ARMCI_Group *group);
void armci_msg_group_lgop(long *x, int n, char *op, ARMCI_Group *group);
void armci_msg_group_llgop(long long *x, int n, char *op, ARMCI_Group *group);
void armci_msg_group_fgop(float *x, int n, char *op, ARMCI_Group *group);
void armci_msg_group_dgop(double *x, int n, char *op, ARMCI_Group *group);

/* of the processes of this node */
void armci_msg_clus_igop(int *x, int n, char *op);
void armci_msg_clus_lgop(long *x, int n, char *op);
void armci_msg_clus_llgop(long long *x, int n, char *op);
void armci_msg_clus_fgop(float *x, int n, char *op);
void armci_msg_clus_dgop(double *x, int n, char *op);

/** Each process has set its own entry, and NULL in the others: all get all. n: of entries. */
void armci_exchange_address(void *ptr_arr[], int n);
void armci_exchange_address_grp(void *ptr_arr[], int n, ARMCI_Group *group);

/** x: n bytes that begin with a value of the type. All get the x with the smallest ("min") or
 *  largest ("max") value of the processes that contribute. */
void armci_msg_sel_scope(int scope, void *x, int n, char *op, int type, int contribute);
#define armci_msg_sel(x, n, op, type, contribute) \
    armci_msg_sel_scope(SCOPE_ALL, (x), (n), (op), (type), (contribute))

#pragma GCC diagnostic pop
#ifdef __cplusplus
}
#endif

#endif
