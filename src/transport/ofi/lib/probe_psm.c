// SPDX-License-Identifier: BSD-3-Clause
//
// Stands in for the library of a fabric that this machine does not have (probe.c): what libfabric's
// provider calls, with the result that the true library gives without its device. One file for both
// libraries.
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

#define NOT_INITIALIZED 5  // PSM_INIT_NOT_INIT and PSM2_INIT_NOT_INIT

// The true functions have arguments; no result depends on them.
#define RETURNS(type, name, value)      \
    CW_EXPORTED extern type name(void); \
    type name(void)                     \
    {                                   \
        return value;                   \
    }
#define CALL(name) RETURNS(int, name, NOT_INITIALIZED)
#define POINTER(name) RETURNS(const void *, name, NULL)
#define NUMBER(name) RETURNS(uint64_t, name, 0)
#define TEXT(name) RETURNS(const char *, name, "this machine has no device of that fabric")
#define COUNT(name)                               \
    CW_EXPORTED extern int name(uint32_t *count); \
    int name(uint32_t *count)                     \
    {                                             \
        *count = 0;                               \
        return 0;                                 \
    }

#ifdef STANDS_FOR_PSM2
CALL(psm2_am_get_parameters)
CALL(psm2_am_get_source)
CALL(psm2_am_register_handlers_2)
CALL(psm2_am_reply_short)
CALL(psm2_am_request_short)
CALL(psm2_ep_close)
CALL(psm2_ep_connect)
CALL(psm2_ep_disconnect2)
CALL(psm2_ep_epid_lookup2)
CALL(psm2_ep_open)
CALL(psm2_ep_open_opts_get_defaults)
POINTER(psm2_epaddr_getctxt)
CALL(psm2_epaddr_setctxt)
NUMBER(psm2_epaddr_to_epid)
TEXT(psm2_error_get_string)
CALL(psm2_error_register_handler)
CALL(psm2_finalize)
NUMBER(psm2_get_capability_mask)
CALL(psm2_info_query)
CALL(psm2_init)
CALL(psm2_mq_cancel)
CALL(psm2_mq_improbe2)
CALL(psm2_mq_imrecv)
CALL(psm2_mq_init)
CALL(psm2_mq_ipeek)
CALL(psm2_mq_iprobe2)
CALL(psm2_mq_irecv2)
CALL(psm2_mq_isend2)
CALL(psm2_mq_send2)
CALL(psm2_mq_test2)
CALL(psm2_mq_wait2)
CALL(psm2_poll)
#else
CALL(psm_am_get_parameters)
CALL(psm_am_register_handlers)
CALL(psm_am_reply_short)
CALL(psm_am_request_short)
CALL(psm_ep_close)
CALL(psm_ep_connect)
CALL(psm_ep_epid_lookup)
COUNT(psm_ep_num_devunits)
CALL(psm_ep_open)
CALL(psm_ep_open_opts_get_defaults)
POINTER(psm_epaddr_getctxt)
CALL(psm_epaddr_setctxt)
TEXT(psm_error_get_string)
CALL(psm_error_register_handler)
CALL(psm_finalize)
CALL(psm_init)
CALL(psm_mq_cancel)
CALL(psm_mq_finalize)
CALL(psm_mq_init)
CALL(psm_mq_ipeek)
CALL(psm_mq_iprobe)
CALL(psm_mq_irecv)
CALL(psm_mq_isend)
CALL(psm_mq_send)
CALL(psm_mq_test)
#endif
