// SPDX-License-Identifier: BSD-3-Clause
//
// What providers offer: questions to fi_getinfo, and the candidates of a choice with the reason why
// each was taken or not.
//
// Threads: under the lock of loaded.c. Blocking: a question takes up to some milliseconds.
#ifndef CWT_OFI_OFFERS_H
#define CWT_OFI_OFFERS_H

#include "lib.h"

// ---------------------------------------------------------------- questions (offers.c)
/** A question; what is not named here is what the transport can use of any provider. */
typedef struct ofi_question {
    bool msg, atomics;
    bool unregistered;  // without FI_MR_LOCAL: some demand it only of callers that accept it
    bool raw;           // also what demands FI_MR_RAW, which is refused with that reason
    enum fi_threading threading;
    uint64_t order;        // message order of both sides
    uint64_t op_flags;     // of all operations that send
    const char *provider;  // NULL: any
    const char *local;     // source address; "": none
} ofi_question_t;

/** 0 with a list for ofi_lib.freeinfo, or the provider's error. */
int ofi_ask(const ofi_question_t *question, struct fi_info **list_p);
/** The offer of the same device, or NULL; the caller's, for ofi_lib.freeinfo. */
struct fi_info *ofi_ask_same(const ofi_question_t *question, const struct fi_info *offer);
bool ofi_is_same_device(const struct fi_info *a, const struct fi_info *b);
/** The order that both sides keep. */
uint64_t ofi_order_of(const struct fi_info *info);

// ---------------------------------------------------------------- ranks (rank.c)
/** Do a kernel's sockets or the memory of this machine carry it? */
bool ofi_is_software(const struct fi_info *info);
/** What its rank of 0 means to the user. */
const char *ofi_why_not(const struct fi_info *info);
/** Higher is better; 0: only where the user names it. */
int ofi_rank_of(const struct fi_info *info, bool msg);
/** Place of its provider in a list of libfabric's. */
int ofi_place_of(const struct fi_info *list, const struct fi_info *info);

// ---------------------------------------------------------------- the choice (choose.c)
/** Sets ofi_choice; 0 or CW_E…, reported. */
int ofi_choose(bool one_machine);
/** Sets ofi_choice.safe_info, if there is one. */
void ofi_choose_safe(void);

// ---------------------------------------------------------------- promises (promises.c)
/** Asks the provider of *info_p, chosen by this question, for as much as it grants of what it was
 *  not asked for at first: atomics, unregistered buffers, order. *info_p is replaced, the question
 *  is what was asked last. */
void ofi_ask_more(ofi_question_t *question, struct fi_info **info_p);
/** Does it promise FI_DELIVERY_COMPLETE? */
bool ofi_promises_delivery(const ofi_question_t *question, const struct fi_info *info);
/** Does it execute every atomic (atomics.c)? */
bool ofi_has_atomics(struct fi_info *info);
/** Does a read behind puts prove them: do reads stay behind writes, and writes among themselves? Up
 *  to which size: *most_p. */
bool ofi_promises_order(const struct fi_info *info, size_t *most_p);
/** Does it promise one of both? Quiet needs that. */
bool ofi_proves_puts(const ofi_question_t *question, const struct fi_info *info);

#endif
