! SPDX-License-Identifier: BSD-3-Clause
! Atomics on integers and logicals, locks, critical constructs, events, SYNC statements; each by a
! coarray and by an address.
program words
  use checks
  implicit none
  integer(PRIF_ATOMIC_INT_KIND), parameter :: one = 1
  type(prif_coarray_handle) :: a, l, e, crit
  type(c_ptr) :: a_ptr, l_ptr, e_ptr, crit_ptr
  integer(PRIF_ATOMIC_INT_KIND), pointer :: word(:)
  type(prif_lock_type), pointer :: locks(:)
  type(prif_event_type), pointer :: events(:)
  type(prif_critical_type), pointer :: critical
  integer(c_int64_t), pointer :: plain(:)
  integer(c_intptr_t) :: first_word, first_lock, first_event  ! in image 1
  integer(c_int) :: right, left, stat

  call start()
  right = mod(me, n) + 1
  left = merge(me - 1, n, me > 1)
  call allocate_bytes(80_c_size_t, a, a_ptr)
  call c_f_pointer(a_ptr, word, [10])
  call allocate_bytes(40_c_size_t, l, l_ptr)
  call c_f_pointer(l_ptr, locks, [2])
  call c_f_pointer(l_ptr, plain, [5])
  call allocate_bytes(16_c_size_t, e, e_ptr)
  call c_f_pointer(e_ptr, events, [2])
  call allocate_bytes(8_c_size_t, crit, crit_ptr)
  call c_f_pointer(crit_ptr, critical)
  word = 0
  plain = 0
  locks = prif_lock_type()
  events = prif_event_type()
  critical = prif_critical_type()
  first_word = transfer(a_ptr, first_word)
  first_lock = transfer(l_ptr, first_lock)
  first_event = transfer(e_ptr, first_event)
  call prif_co_broadcast(first_word, 1_c_int)
  call prif_co_broadcast(first_lock, 1_c_int)
  call prif_co_broadcast(first_event, 1_c_int)

  call atomics()
  call atomics_indirect()
  call lock_counts()
  call lock_states()
  call event_ring()
  call synchronise()
  call finish_checks()
contains
  function at(i)
    integer, intent(in) :: i
    integer(c_size_t) :: at
    at = 8_c_size_t * (i - 1)
  end function

  function there(i)
    integer, intent(in) :: i
    integer(c_intptr_t) :: there
    there = first_word + 8 * (i - 1)
  end function

  !> All images on words of image 1; each has a bit of its own.
  subroutine atomics()
    integer(PRIF_ATOMIC_INT_KIND) :: old, bit
    logical(PRIF_ATOMIC_LOGICAL_KIND) :: was
    bit = ishft(one, me - 1)
    call prif_atomic_add(1_c_int, a, at(1), int(me, c_int64_t))
    call prif_atomic_or(1_c_int, a, at(2), bit)
    call prif_atomic_xor(1_c_int, a, at(3), bit)
    call prif_atomic_and(1_c_int, a, at(4), not(bit), stat)
    call check(stat == 0, "stat of an atomic")
    call prif_sync_all()
    call prif_atomic_ref_int(1_c_int, a, at(1), old)
    call check(old == n * (n + 1) / 2, "prif_atomic_add")
    call prif_atomic_ref_int(1_c_int, a, at(2), old)
    call check(old == ishft(one, n) - 1, "prif_atomic_or")
    call prif_atomic_ref_int(1_c_int, a, at(3), old)
    call check(old == ishft(one, n) - 1, "prif_atomic_xor")
    call prif_sync_all()
    call prif_atomic_and(1_c_int, a, at(2), not(bit))
    call prif_atomic_fetch_add(1_c_int, a, at(1), one, old)
    call check(old >= n * (n + 1) / 2 .and. old < n * (n + 1) / 2 + n, "prif_atomic_fetch_add")
    call prif_atomic_fetch_xor(1_c_int, a, at(3), bit, old)
    call check(iand(old, bit) /= 0, "prif_atomic_fetch_xor")
    call prif_atomic_fetch_or(1_c_int, a, at(5), bit, old)
    call check(iand(old, bit) == 0, "prif_atomic_fetch_or")
    call prif_atomic_fetch_and(1_c_int, a, at(5), not(bit), old)
    call check(iand(old, bit) /= 0, "prif_atomic_fetch_and")
    call prif_sync_all()
    if (me == 1) call check(all(word(2:5) == 0), "every bit is off again")
    call prif_atomic_define_int(right, a, at(6), int(me, c_int64_t))
    call prif_atomic_define_logical(right, a, at(7), .true._8)
    call prif_sync_all()
    call check(word(6) == left, "prif_atomic_define_int")
    call prif_sync_all()
    call prif_atomic_ref_logical(right, a, at(7), was)
    call check(logical(was), "prif_atomic_ref_logical")
    call prif_atomic_cas_int(right, a, at(6), old, int(me, c_int64_t), -one)
    call check(old == me, "prif_atomic_cas_int")
    call prif_atomic_cas_int(right, a, at(6), old, int(me, c_int64_t), 5 * one)
    call check(old == -1, "prif_atomic_cas_int of another value")
    call prif_atomic_cas_logical(right, a, at(7), was, .false._8, .true._8)
    call check(logical(was), "prif_atomic_cas_logical of another value")
    call prif_atomic_cas_logical(right, a, at(7), was, .true._8, .false._8)
    call prif_atomic_ref_logical(right, a, at(7), was)
    call check(.not. logical(was), "prif_atomic_cas_logical")
    call prif_atomic_ref_int(right, a, at(6), old)
    call check(old == -1, "prif_atomic_ref_int")
    call prif_atomic_add(n + 1, a, at(1), one, stat)
    call check(stat > 0, "an atomic of no image")
    call prif_sync_all()
    word = 0
    call prif_sync_all()
  end subroutine

  subroutine atomics_indirect()
    integer(PRIF_ATOMIC_INT_KIND) :: old, bit
    logical(PRIF_ATOMIC_LOGICAL_KIND) :: was
    integer(c_intptr_t) :: mine(1), next
    bit = ishft(one, me - 1)
    call prif_atomic_add_indirect(1_c_int, there(1), int(me, c_int64_t))
    call prif_atomic_or_indirect(1_c_int, there(2), bit)
    call prif_atomic_xor_indirect(1_c_int, there(3), bit)
    call prif_sync_all()
    call prif_atomic_ref_int_indirect(1_c_int, there(1), old)
    call check(old == n * (n + 1) / 2, "prif_atomic_add_indirect")
    call prif_atomic_fetch_add_indirect(1_c_int, there(8), one, old)
    call check(old >= 0 .and. old < n, "prif_atomic_fetch_add_indirect")
    call prif_atomic_fetch_or_indirect(1_c_int, there(2), bit, old)
    call check(iand(old, bit) /= 0, "prif_atomic_fetch_or_indirect, prif_atomic_or_indirect")
    call prif_atomic_fetch_xor_indirect(1_c_int, there(3), bit, old)
    call check(iand(old, bit) /= 0, "prif_atomic_fetch_xor_indirect, prif_atomic_xor_indirect")
    call prif_atomic_fetch_and_indirect(1_c_int, there(2), not(bit), old)
    call check(iand(old, bit) /= 0, "prif_atomic_fetch_and_indirect")
    call prif_atomic_or_indirect(1_c_int, there(2), bit)
    call prif_atomic_and_indirect(1_c_int, there(2), not(bit))
    call prif_sync_all()
    if (me == 1) call check(all(word(2:3) == 0) .and. word(8) == n, "every bit is off again")
    ! words of the next image, where its coarray is
    mine = first_word
    if (c_associated(a_ptr)) mine = transfer(a_ptr, mine)
    call prif_atomic_define_int(left, a, at(10), int(mine(1), c_int64_t))
    call prif_sync_all()
    next = int(word(10), c_intptr_t)
    call prif_atomic_define_int_indirect(right, next + 40, int(me, c_int64_t))
    call prif_atomic_define_logical_indirect(right, next + 48, .true._8)
    call prif_atomic_cas_int_indirect(right, next + 40, old, int(me, c_int64_t), 7 * one)
    call check(old == me, "prif_atomic_cas_int_indirect, prif_atomic_define_int_indirect")
    call prif_atomic_cas_logical_indirect(right, next + 48, was, .true._8, .false._8)
    call check(logical(was), "prif_atomic_cas_logical_indirect")
    call prif_atomic_ref_logical_indirect(right, next + 48, was)
    call check(.not. logical(was), "prif_atomic_ref_logical_indirect")
    call prif_sync_all()
    call check(word(6) == 7 .and. word(7) == 0, "words of the next image")
    call prif_atomic_add_indirect(1_c_int, 64_c_intptr_t, one, stat)
    call check(stat > 0, "an atomic in other memory")
  end subroutine

  !> Counts in image 1 under a lock, a lock by its address, and a critical construct.
  subroutine lock_counts()
    integer :: round
    do round = 1, 20
      call prif_lock(1_c_int, l, 0_c_size_t)
      call add_one(2)
      call prif_unlock(1_c_int, l, 0_c_size_t)
      call prif_lock_indirect(1_c_int, first_lock + 8)
      call add_one(3)
      call prif_unlock_indirect(1_c_int, first_lock + 8)
      call prif_critical(crit)
      call add_one(4)
      call prif_end_critical(crit)
    end do
    call prif_sync_all()
    if (me == 1) call check(all(plain(3:5) == 20 * n), "counts under locks")
  end subroutine

  !> In words that are no locks.
  subroutine add_one(i)
    integer, intent(in) :: i
    integer(c_int64_t), target :: value
    call prif_get(1_c_int, l, 8_c_size_t * i, c_loc(value), 8_c_size_t)
    value = value + 1
    call prif_put(1_c_int, l, 8_c_size_t * i, c_loc(value), 8_c_size_t)
  end subroutine

  subroutine lock_states()
    logical(c_bool) :: got
    character(len=:), allocatable :: errmsg
    if (me == 1) call prif_lock(1_c_int, l, 0_c_size_t)
    call prif_sync_all()
    if (me == 2) then
      call prif_lock(1_c_int, l, 0_c_size_t, got)
      call check(.not. logical(got), "a lock that another image has")
      call prif_unlock(1_c_int, l, 0_c_size_t, stat, errmsg_alloc=errmsg)
      call check(stat == PRIF_STAT_LOCKED_OTHER_IMAGE .and. allocated(errmsg), &
                 "unlock of another image's")
    end if
    call prif_sync_all()
    if (me == 1) then
      call prif_lock(1_c_int, l, 0_c_size_t, stat=stat)
      call check(stat == PRIF_STAT_LOCKED, "lock of one's own")
      call prif_unlock(1_c_int, l, 0_c_size_t)
      call prif_unlock_indirect(1_c_int, first_lock, stat)
      call check(stat == PRIF_STAT_UNLOCKED, "unlock of none's")
      call prif_lock_indirect(1_c_int, first_lock, got, stat)
      call check(logical(got) .and. stat == 0, "a lock that is free")
      call prif_unlock(1_c_int, l, 0_c_size_t, stat)
      call check(stat == 0, "unlock")
    end if
  end subroutine

  subroutine event_ring()
    integer(c_int64_t), target :: count
    integer :: round
    call prif_event_query(c_loc(events(1)), count, stat)
    call check(count == 0 .and. stat == 0, "prif_event_query")
    call prif_sync_all()
    do round = 1, 3
      call prif_event_post(right, e, 0_c_size_t)
    end do
    call prif_event_wait(c_loc(events(1)))
    call prif_event_wait(c_loc(events(1)), 2_c_int64_t)
    call prif_event_query(c_loc(events(1)), count)
    call check(count == 0, "prif_event_wait takes what it waited for")
    call prif_event_post_indirect(1_c_int, first_event + 8)
    if (me == 1) call prif_event_wait(c_loc(events(2)), int(n, c_int64_t), stat)
    call check(stat == 0, "prif_event_post_indirect")
    call prif_event_wait(c_loc(count), stat=stat)
    call check(stat > 0, "an event in other memory")
  end subroutine

  subroutine synchronise()
    integer(c_int) :: i
    character(len=40) :: errmsg
    call prif_sync_memory(stat)
    call check(stat == 0, "prif_sync_memory")
    call prif_sync_images(stat=stat)
    call check(stat == 0, "prif_sync_images of all")
    if (me == 1) then
      call prif_sync_images([(i, i=2, n)])
    else
      call prif_sync_images([1_c_int])
    end if
    call prif_sync_images([n + 1], stat, errmsg)
    call check(stat > 0 .and. errmsg(:5) == "image", "prif_sync_images with no image")
    call prif_sync_all(stat, errmsg)
    call check(stat == 0, "prif_sync_all")
  end subroutine
end program
