// SPDX-License-Identifier: BSD-3-Clause
//
// What a provider promises beyond what it offers unasked. Some grant only what is asked for, and
// others offer nothing if more is asked than they have; so a provider is chosen by what the
// transport needs, and then asked for as much as it grants.
#include <stdlib.h>
#include <string.h>

#include "offers.h"

// the least size for which order is of use: below, each put would be cut in pieces
#define ORDER_MIN 4096u

static bool replace(struct fi_info **info_p, struct fi_info *better)
{
    if (!better)
        return false;
    ofi_lib.freeinfo(*info_p);
    *info_p = better;
    return true;
}

/** Some providers give up order for atomics, so they are asked for only if the user wants them. */
static void ask_atomics(ofi_question_t *q, struct fi_info **info_p)
{
    ofi_question_t more = *q;
    more.atomics = ofi_wants_atomics();
    struct fi_info *better = more.atomics ? ofi_ask_same(&more, *info_p) : NULL;
    if (better && !ofi_has_atomics(better)) {
        ofi_lib.freeinfo(better);
        better = NULL;
    }
    if (replace(info_p, better))
        *q = more;
}

/** Some providers demand registered buffers of every caller that accepts the demand. A layer over
 *  one that needs them would register what it is given by itself, for writing, and constant data
 *  cannot be put then. */
static void ask_unregistered(ofi_question_t *q, struct fi_info **info_p)
{
    ofi_question_t more = *q;
    more.unregistered = true;
    bool layered = strchr((*info_p)->fabric_attr->prov_name, ';');
    if (!layered && ((*info_p)->domain_attr->mr_mode & FI_MR_LOCAL) &&
        replace(info_p, ofi_ask_same(&more, *info_p)))
        *q = more;
}

static void ask_order(ofi_question_t *q, struct fi_info **info_p)
{
    static const uint64_t wishes[] = {
        FI_ORDER_SAS | FI_ORDER_SAW | FI_ORDER_RAW | FI_ORDER_WAW,
        FI_ORDER_SAS | FI_ORDER_RAW | FI_ORDER_WAW,
        FI_ORDER_SAS,
    };
    for (size_t i = 0; i < sizeof wishes / sizeof wishes[0]; i++) {
        ofi_question_t more = *q;
        more.order = wishes[i];
        if ((ofi_order_of(*info_p) & wishes[i]) == wishes[i])
            return;
        struct fi_info *better = ofi_ask_same(&more, *info_p);
        if (better && (ofi_order_of(better) & wishes[i]) == wishes[i]) {
            replace(info_p, better);
            *q = more;
            return;
        }
        if (better)
            ofi_lib.freeinfo(better);
    }
}

bool ofi_promises_order(const struct fi_info *info, size_t *most_p)
{
    uint64_t order = ofi_order_of(info);
    bool raw = order & (FI_ORDER_RAW | FI_ORDER_RMA_RAW),
         waw = order & (FI_ORDER_WAW | FI_ORDER_RMA_WAW);
    size_t raw_nbytes = info->ep_attr->max_order_raw_size,
           waw_nbytes = info->ep_attr->max_order_waw_size;
    *most_p = raw_nbytes < waw_nbytes ? raw_nbytes : waw_nbytes;
    return raw && waw && *most_p >= ORDER_MIN;
}

/** The provider below a layer ("CORE;LAYER") promises it for itself: a layer offers what it knows
 *  of, and passes writes on. */
static bool core_promises_delivery(const ofi_question_t *question, const char *layered)
{
    const char *end = strchr(layered, ';');
    char core[64];
    if (!end || (size_t)(end - layered) >= sizeof core)
        return !end;
    memcpy(core, layered, (size_t)(end - layered));
    core[end - layered] = 0;
    ofi_question_t q = {.msg = true,
                        .threading = question->threading,
                        .op_flags = FI_DELIVERY_COMPLETE,
                        .provider = core,
                        .local = question->local};
    struct fi_info *list;
    if (ofi_ask(&q, &list) != 0)
        return false;
    ofi_lib.freeinfo(list);
    return true;
}

/** A provider that does not know the flag may ignore it without a word (verbs does), so it is used
 *  only where it is promised: where a question for it as the default of all operations is
 *  answered. It is then given to single operations; as a default alone some ignore it. */
bool ofi_promises_delivery(const ofi_question_t *question, const struct fi_info *info)
{
    ofi_question_t q = *question;
    q.op_flags = FI_DELIVERY_COMPLETE;
    struct fi_info *same = ofi_ask_same(&q, info);
    if (!same)
        return false;
    ofi_lib.freeinfo(same);
    return core_promises_delivery(question, info->fabric_attr->prov_name);
}

bool ofi_proves_puts(const ofi_question_t *question, const struct fi_info *info)
{
    size_t most;
    return ofi_promises_order(info, &most) || ofi_promises_delivery(question, info);
}

/** A layer that emulates atomics may give up the order that proves puts for them: then it is used
 *  without. */
void ofi_ask_more(ofi_question_t *question, struct fi_info **info_p)
{
    const ofi_question_t plain = *question;
    struct fi_info *without = ofi_wants_atomics() ? ofi_lib.dupinfo(*info_p) : NULL;
    ask_atomics(question, info_p);
    ask_unregistered(question, info_p);
    ask_order(question, info_p);
    if (!without)
        return;
    if (!question->atomics || ofi_proves_puts(question, *info_p)) {
        ofi_lib.freeinfo(without);
        return;
    }
    *question = plain;
    replace(info_p, without);
    ask_unregistered(question, info_p);
    ask_order(question, info_p);
}
