// SPDX-License-Identifier: BSD-3-Clause
//
// A program in Rust, with declarations as a generator of bindings writes them: handles as foreign
// objects, static data that is symmetric, transfers on the default context, a reduction, a context.
use std::os::raw::{c_int, c_long, c_void};

#[repr(C)]
pub struct Team {
    _private: [u8; 0],
}
#[repr(C)]
pub struct Ctx {
    _private: [u8; 0],
}

extern "C" {
    static SHMEM_TEAM_WORLD: *mut Team;
    static SHMEM_TEAM_INVALID: *mut Team;
    static SHMEM_CTX_DEFAULT: *mut Ctx;
    static SHMEM_CTX_INVALID: *mut Ctx;
    fn shmem_init();
    fn shmem_finalize();
    fn shmem_barrier_all();
    fn shmem_my_pe() -> c_int;
    fn shmem_n_pes() -> c_int;
    fn shmem_malloc(size: usize) -> *mut c_void;
    fn shmem_free(ptr: *mut c_void);
    fn shmem_team_my_pe(team: *mut Team) -> c_int;
    fn shmem_ctx_create(options: c_long, ctx: *mut *mut Ctx) -> c_int;
    fn shmem_ctx_destroy(ctx: *mut Ctx);
    fn shmem_ctx_long_p(ctx: *mut Ctx, dest: *mut c_long, value: c_long, pe: c_int);
    fn shmem_ctx_quiet(ctx: *mut Ctx);
    fn shmem_long_sum_reduce(
        team: *mut Team,
        dest: *mut c_long,
        source: *const c_long,
        nreduce: usize,
    ) -> c_int;
}

static mut FROM_LEFT: c_long = -1;

fn main() {
    unsafe {
        shmem_init();
        let (me, npes) = (shmem_my_pe(), shmem_n_pes());
        let right = (me + 1) % npes;
        let left = c_long::from((me + npes - 1) % npes);
        assert_eq!(shmem_team_my_pe(SHMEM_TEAM_WORLD), me);
        assert_eq!(shmem_team_my_pe(SHMEM_TEAM_INVALID), -1);
        let mut ctx = SHMEM_CTX_INVALID;
        assert_eq!(shmem_ctx_create(0, &mut ctx), 0);
        let words = shmem_malloc(2 * std::mem::size_of::<c_long>()) as *mut c_long;
        assert!(!words.is_null());
        shmem_ctx_long_p(SHMEM_CTX_DEFAULT, std::ptr::addr_of_mut!(FROM_LEFT), me.into(), right);
        shmem_ctx_long_p(ctx, words, c_long::from(me) + 1, right);
        shmem_ctx_quiet(ctx);
        shmem_barrier_all();
        assert_eq!(std::ptr::read_volatile(std::ptr::addr_of!(FROM_LEFT)), left);
        assert_eq!(*words, left + 1);
        let sum = words.add(1);
        assert_eq!(shmem_long_sum_reduce(SHMEM_TEAM_WORLD, sum, words, 1), 0);
        assert_eq!(*sum, c_long::from(npes * (npes + 1) / 2));
        shmem_ctx_destroy(ctx);
        shmem_free(words as *mut c_void);
        println!("rust done");
        shmem_finalize();
    }
}
