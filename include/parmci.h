/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The names by which tools that replace a call of ARMCI reach the library's own (see armci.h). */
#ifndef PARMCI_H
#define PARMCI_H

#include "armci.h"

#ifdef __cplusplus
extern "C" {
#endif

int PARMCI_Acc(int type, void *scale, void *src, void *dst, armci_size_t bytes, int proc);
int PARMCI_AccS(int type, void *scale, void *src, int *src_stride, void *dst, int *dst_stride,
                int *count, int levels, int proc);
int PARMCI_AccV(int type, void *scale, armci_giov_t *iov, int iov_len, int proc);
void PARMCI_Access_begin(void *ptr);
void PARMCI_Access_end(void *ptr);
void PARMCI_AllFence(void);
void PARMCI_Barrier(void);
int PARMCI_Create_mutexes(int count);
int PARMCI_Destroy_mutexes(void);
void PARMCI_Fence(int proc);
int PARMCI_Finalize(void);
int PARMCI_Free(void *ptr);
int PARMCI_Free_local(void *ptr);
int PARMCI_Free_memdev(void *ptr);
int PARMCI_Get(void *src, void *dst, armci_size_t bytes, int proc);
int PARMCI_GetS(void *src, int *src_stride, void *dst, int *dst_stride, int *count, int levels,
                int proc);
int PARMCI_GetV(armci_giov_t *iov, int iov_len, int proc);
double PARMCI_GetValueDouble(void *src, int proc);
float PARMCI_GetValueFloat(void *src, int proc);
int PARMCI_GetValueInt(void *src, int proc);
long PARMCI_GetValueLong(void *src, int proc);
void PARMCI_GroupFence(ARMCI_Group *group);
int PARMCI_Init(void);
int PARMCI_Init_args(int *argc, char ***argv);
int PARMCI_Init_thread(int level);
int PARMCI_Initialized(void);
void PARMCI_Lock(int mutex, int proc);
int PARMCI_Malloc(void *ptr_arr[], armci_size_t bytes);
int PARMCI_Malloc_group_memdev(void *ptr_arr[], armci_size_t bytes, ARMCI_Group *group,
                               const char *device);
void *PARMCI_Malloc_local(armci_size_t bytes);
int PARMCI_Malloc_memdev(void *ptr_arr[], armci_size_t bytes, const char *device);
void *PARMCI_Memat(armci_meminfo_t *meminfo, long offset);
void PARMCI_Memctl(armci_meminfo_t *meminfo);
void PARMCI_Memget(size_t bytes, armci_meminfo_t *meminfo, int memflg);
int PARMCI_NbAcc(int type, void *scale, void *src, void *dst, armci_size_t bytes, int proc,
                 armci_hdl_t *hdl);
int PARMCI_NbAccS(int type, void *scale, void *src, int *src_stride, void *dst, int *dst_stride,
                  int *count, int levels, int proc, armci_hdl_t *hdl);
int PARMCI_NbAccV(int type, void *scale, armci_giov_t *iov, int iov_len, int proc,
                  armci_hdl_t *hdl);
int PARMCI_NbGet(void *src, void *dst, armci_size_t bytes, int proc, armci_hdl_t *hdl);
int PARMCI_NbGetS(void *src, int *src_stride, void *dst, int *dst_stride, int *count, int levels,
                  int proc, armci_hdl_t *hdl);
int PARMCI_NbGetV(armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *hdl);
int PARMCI_NbPut(void *src, void *dst, armci_size_t bytes, int proc, armci_hdl_t *hdl);
int PARMCI_NbPutS(void *src, int *src_stride, void *dst, int *dst_stride, int *count, int levels,
                  int proc, armci_hdl_t *hdl);
int PARMCI_NbPutV(armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *hdl);
int PARMCI_NbPutValueDouble(double value, void *dst, int proc, armci_hdl_t *hdl);
int PARMCI_NbPutValueFloat(float value, void *dst, int proc, armci_hdl_t *hdl);
int PARMCI_NbPutValueInt(int value, void *dst, int proc, armci_hdl_t *hdl);
int PARMCI_NbPutValueLong(long value, void *dst, int proc, armci_hdl_t *hdl);
int PARMCI_Put(void *src, void *dst, armci_size_t bytes, int proc);
int PARMCI_PutS(void *src, int *src_stride, void *dst, int *dst_stride, int *count, int levels,
                int proc);
int PARMCI_PutS_flag(void *src, int *src_stride, void *dst, int *dst_stride, int *count, int levels,
                     int *flag, int value, int proc);
int PARMCI_PutS_flag_dir(void *src, int *src_stride, void *dst, int *dst_stride, int *count,
                         int levels, int *flag, int value, int proc);
int PARMCI_PutV(armci_giov_t *iov, int iov_len, int proc);
int PARMCI_PutValueDouble(double value, void *dst, int proc);
int PARMCI_PutValueFloat(float value, void *dst, int proc);
int PARMCI_PutValueInt(int value, void *dst, int proc);
int PARMCI_PutValueLong(long value, void *dst, int proc);
int PARMCI_Put_flag(void *src, void *dst, armci_size_t bytes, int *flag, int value, int proc);
int PARMCI_Rmw(int op, void *loc, void *rem, int value, int proc);
int PARMCI_Test(armci_hdl_t *hdl);
void PARMCI_Unlock(int mutex, int proc);
int PARMCI_Wait(armci_hdl_t *hdl);
int PARMCI_WaitAll(void);
int PARMCI_WaitProc(int proc);
int parmci_notify(int proc);
int parmci_notify_wait(int proc, int *pval);

#ifdef __cplusplus
}
#endif

#endif
