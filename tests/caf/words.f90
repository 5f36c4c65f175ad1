! SPDX-License-Identifier: BSD-3-Clause
! Image control: sync, events, locks, critical, and atomics.
program words
  use iso_fortran_env
  use checks
  implicit none
  integer, parameter :: rounds = 50
  integer(atomic_int_kind) :: at[*]
  logical(atomic_logical_kind) :: flag[*]
  type(event_type) :: ev(3)[*]
  type(event_type), allocatable :: more(:)[:]
  type(lock_type) :: lk(2)[*]
  type(lock_type), allocatable :: la[:]
  integer :: count[*] = 0, turn[*] = 0
  integer :: me, n, next, before, i, v, old, st
  integer, allocatable :: set(:)
  logical :: got, f
  character(len=80) :: msg

  me = this_image()
  n = num_images()
  next = mod(me, n) + 1
  before = mod(me + n - 2, n) + 1
  allocate (more(4)[*], la[*])

  ! atomics
  call atomic_define(at[next], me)
  sync all
  call atomic_ref(v, at)
  call check(v == before, "atomic_define, atomic_ref")
  sync all
  call atomic_define(at, 0)
  sync all
  do i = 1, rounds
    call atomic_add(at[1], 1)
    call atomic_fetch_add(at[n], 1, old)
  end do
  sync all
  call atomic_ref(v, at[1])
  call check(v == rounds * n * merge(2, 1, n == 1), "atomic_add")
  sync all
  call atomic_define(at, 12)
  sync all
  call atomic_fetch_and(at[next], 10, old)
  call check(old == 12, "atomic_fetch_and")
  call atomic_fetch_or(at[next], 3, old)
  call check(old == 8, "atomic_fetch_or")
  call atomic_fetch_xor(at[next], 1, old, stat=st)
  call check(old == 11 .and. st == 0, "atomic_fetch_xor")
  call atomic_and(at[next], 14)
  call atomic_or(at[next], 16)
  call atomic_xor(at[next], 2)
  call atomic_cas(at[next], old, 24, 7)
  call check(old == 24, "atomic_cas")
  call atomic_cas(at[next], old, 24, 9)
  call check(old == 7, "atomic_cas that fails")
  call atomic_define(flag[next], .true.)
  sync all
  call atomic_ref(f, flag)
  call check(logical(f), "logical atom")

  ! events
  do i = 1, rounds
    event post (ev(2)[next])
  end do
  event wait (ev(2), until_count=rounds - 1)
  event wait (ev(2))
  call event_query(ev(2), v)
  call check(v == 0, "event wait")
  count[next] = me
  event post (more(3)[next], stat=st)
  event wait (more(3), stat=st)
  call check(count == before .and. st == 0, "what was put before a post is there")
  call event_query(ev(1), v, stat=st)
  call check(v == 0 .and. st == 0, "event_query")
  sync all

  ! locks
  count = 0
  sync all
  do i = 1, rounds
    lock (lk(2)[1])
    v = count[1]  ! gfortran 15 takes its own value in count[1] = count[1] + 1
    count[1] = v + 1
    unlock (lk(2)[1])
    critical
      v = turn[n]
      turn[n] = v + 1
    end critical
  end do
  sync all
  call check(count[1] == rounds * n, "lock")
  call check(turn[n] == rounds * n, "critical")
  sync all
  if (me == 1) then
    lock (la[n])
    lock (la[n], stat=st, errmsg=msg)
    call check(st == stat_locked .and. msg /= "", "stat_locked")
    lock (la[n], acquired_lock=got, stat=st)
    call check(.not. got .and. st == stat_locked, "acquired_lock of this image's lock")
  end if
  sync all
  if (me == n .and. n > 1) then
    lock (la[n], acquired_lock=got)
    call check(.not. got, "acquired_lock")
    unlock (la[n], stat=st)
    call check(st == stat_locked_other_image, "stat_locked_other_image")
  end if
  sync all
  if (me == 1) unlock (la[n])
  sync all
  if (me == n) then
    unlock (la[n], stat=st, errmsg=msg)
    call check(msg == "the variable is not locked", "unlocked: " // trim(msg))
    lock (la[n], acquired_lock=got, stat=st)
    call check(got .and. st == 0, "acquired_lock of a free lock")
    unlock (la[n], stat=st)
    call check(st == 0, "unlock")
  end if

  ! sync
  set = [next, before]
  if (n <= 2) set = [next]
  sync all (stat=st, errmsg=msg)
  call check(st == 0, "sync all")
  do i = 1, rounds
    count[next] = i
    sync images (set)
    call check(count == i, "sync images of a ring")
    sync images (set)
  end do
  if (me == 1) then
    count = -1
    sync images (*)
  else
    sync images (1)
    call check(count[1] == -1, "sync images (*)")
  end if
  sync images (me, stat=st)
  call check(st == 0, "with itself")
  sync images (n + 1, stat=st, errmsg=msg)
  call check(st /= 0 .and. index(msg, "does not exist") > 0, "no such image")
  sync images ([me, me], stat=st, errmsg=msg)
  call check(st == 3 .and. index(msg, "twice") > 0, "an image twice")  ! OpenCoarrays' code
  sync memory (stat=st)
  call check(st == 0, "sync memory")
  sync all
  if (me == 1) then
    turn[n] = 1
    sync memory
    call atomic_define(at[n], -5)
  end if
  if (me == n) then
    do
      call atomic_ref(v, at)
      if (v == -5) exit
    end do
    sync memory
    call check(turn == 1, "sync memory orders")
  end if
  sync all
  deallocate (more, la)
  call finish_checks()
end program
