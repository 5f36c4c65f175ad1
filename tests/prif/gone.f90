! SPDX-License-Identifier: BSD-3-Clause
! Images that fail or stop while the others go on: the last one does as the argument says.
program gone
  use checks
  implicit none
  interface
    integer(c_int) function usleep(us) bind(C)
      import :: c_int
      integer(c_int), value :: us
    end function
  end interface
  type(prif_coarray_handle) :: x, locks
  type(prif_team_type) :: initial, pair
  type(c_ptr) :: memory
  type(prif_lock_type), pointer :: lock
  integer(c_int64_t), pointer :: mine
  integer(c_int64_t), target :: value
  integer(c_int), allocatable :: failed_list(:), stopped_list(:)
  integer(c_int) :: code, stat, status, i
  character(len=4) :: how
  character(len=60) :: errmsg

  call start()
  call get_command_argument(1, how)
  code = merge(PRIF_STAT_STOPPED_IMAGE, PRIF_STAT_FAILED_IMAGE, how == "stop")
  call prif_get_team(team=initial)
  call allocate_bytes(8_c_size_t, x, memory)
  call c_f_pointer(memory, mine)
  mine = me
  call allocate_bytes(8_c_size_t, locks, memory)
  call c_f_pointer(memory, lock)
  lock = prif_lock_type()
  call prif_sync_all(stat)
  call prif_image_status(n, image_status=status)
  call check(stat == 0 .and. (status == 0 .or. me /= 1), "all are there")
  call prif_failed_images(failed_images=failed_list)
  call check(size(failed_list) == 0, "no image has failed")
  call prif_sync_images()
  ! the last image ends between the two; the others are back when the one with it changes
  call prif_form_team(merge(2_c_int64_t, 1_c_int64_t, me >= n - 1), pair)
  if (me == n) call the_end()
  if (me == n - 1) status = usleep(100000_c_int)
  call prif_change_team(pair, stat)
  call check(stat == merge(code, 0, me == n - 1), "prif_change_team")
  call prif_end_team(stat)
  call check(stat == merge(code, 0, me == n - 1), "prif_end_team")
  do
    call prif_sync_all(stat, errmsg)
    if (stat /= 0) exit
  end do
  call check(stat == code .and. errmsg /= "", "prif_sync_all")
  call prif_image_status(n, initial, status)
  call check(status == code, "prif_image_status")
  call prif_failed_images(initial, failed_list)
  call prif_stopped_images(initial, stopped_list)
  if (how == "stop") then
    call check(size(failed_list) == 0 .and. size(stopped_list) == 1, "prif_stopped_images")
    call check(all(stopped_list == [n]), "the image that has stopped")
  else
    call check(size(failed_list) == 1 .and. size(stopped_list) == 0, "prif_failed_images")
    call check(all(failed_list == [n]), "the image that has failed")
    call prif_lock(n, locks, 0_c_size_t, stat=stat, errmsg=errmsg)
    call check(stat == code .and. index(errmsg, "has failed") > 0, "a lock of its own")
    call prif_unlock(n, locks, 0_c_size_t, stat)
    call check(stat == code, "unlock there")
    call prif_lock(1_c_int, locks, 0_c_size_t, stat=stat)
    call check(stat == 0, "the lock that it held")
    call prif_unlock(1_c_int, locks, 0_c_size_t)
  end if
  call prif_get(n, x, 0_c_size_t, c_loc(value), 8_c_size_t)
  call check(value == n, "its memory is there")
  call prif_get(n, x, 0_c_size_t, c_loc(value), 8_c_size_t, stat, errmsg)
  call check(stat == merge(0, code, how == "stop") .and. value == n, "prif_get")
  call check(how == "stop" .or. index(errmsg, "has failed") > 0, "prif_get: " // trim(errmsg))
  call prif_get_strided(n, x, 0_c_size_t, [8_c_ptrdiff_t], c_loc(value), [8_c_ptrdiff_t], &
                        8_c_size_t, [1_c_size_t], stat)
  call check(stat == merge(0, code, how == "stop") .and. value == n, "prif_get_strided")
  call prif_atomic_ref_int(n, x, 0_c_size_t, value, stat)
  call check(stat == merge(0, code, how == "stop") .and. value == n, "prif_atomic_ref_int")
  call prif_get(me, x, 0_c_size_t, c_loc(value), 8_c_size_t, stat)
  call check(stat == 0, "prif_get from an image that runs")
  i = me
  call prif_co_sum(i, stat=stat)
  call check(stat == code, "prif_co_sum")
  call prif_co_broadcast(i, 1_c_int, stat)
  call check(stat == code, "prif_co_broadcast")
  call prif_sync_images([n], stat)
  call check(stat == code, "prif_sync_images")
  call prif_deallocate_coarray(x, stat)
  call check(stat == code, "prif_deallocate_coarray")
  if (me == 1) then
    call prif_sync_images([(i, i=2, n - 1)])
    print '(2(i0,a))', n - 1, " images went on, ", failed, " failed"
  else
    call prif_sync_images([1_c_int])
  end if
  if (failed > 0) call prif_error_stop(.false._c_bool, stop_code_char="checks failed")
  call prif_stop(.true._c_bool)
contains
  subroutine the_end()
    if (how == "stop") call prif_stop(.true._c_bool)
    call prif_lock(1_c_int, locks, 0_c_size_t)
    call prif_fail_image()
  end subroutine
end program
