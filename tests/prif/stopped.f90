! SPDX-License-Identifier: BSD-3-Clause
! Each procedure with stat is the first one that learns of an image that has stopped, in a program
! that calls none of those for images that are gone. Each has a team of its own, which has one image
! less than the one before.
program stopped
  use checks
  implicit none
  integer, parameter :: cases = 8
  type(prif_team_type) :: teams(cases)
  integer(c_int) :: stat, i
  integer :: learnt = 0
  call start()
  do i = 1, cases
    call prif_form_team(merge(1_c_int64_t, 2_c_int64_t, me <= n - i + 1), teams(i))
  end do
  do i = 1, min(cases, n - 1)
    call prif_change_team(teams(i))
    call learn(i)
    call prif_end_team(stat)
    call check(stat == PRIF_STAT_STOPPED_IMAGE, "end of the team")
  end do
  if (me == 1) print '(2(i0,a))', learnt, " procedures learnt of an image, ", failed, " failed"
  if (failed > 0) call prif_error_stop(.false._c_bool, stop_code_char="checks failed")
  call prif_stop(.true._c_bool)
contains
  subroutine learn(which)
    integer(c_int), intent(in) :: which
    character(*), parameter :: names(cases) = [character(24) :: "prif_form_team", &
      "prif_change_team", "prif_end_team", "prif_sync_team", "prif_allocate_coarray", &
      "prif_deallocate_coarray", "prif_co_min", "prif_sync_all"]
    type(prif_team_type) :: all_of_it, later
    type(prif_coarray_handle) :: x, y
    type(c_ptr) :: memory
    integer(c_int) :: images, mine, last
    call prif_num_images(last)
    call prif_form_team(1_c_int64_t, all_of_it)
    call allocate_bytes(8_c_size_t, x, memory)
    call prif_sync_all(stat)
    call check(stat == 0, "all have come")
    if (which == 3) call prif_change_team(all_of_it)
    if (me == last) call prif_stop(.true._c_bool)
    stat = 0
    select case (which)
    case (1)
      call prif_form_team(1_c_int64_t, later, stat=stat)
    case (2)
      call prif_change_team(all_of_it, stat)
    case (3)
      call prif_end_team(stat)
    case (4)
      call prif_sync_team(all_of_it, stat)
    case (5)
      call prif_allocate_coarray([1_c_int64_t], [int(last, c_int64_t)], 8_c_size_t, no_cleanup, &
                                 y, memory, stat)
    case (6)
      call prif_deallocate_coarray(x, stat)
    case (7)
      mine = me
      call prif_co_min(mine, stat=stat)
    case (8)
      call prif_sync_all(stat)
    end select
    call check(stat == PRIF_STAT_STOPPED_IMAGE, names(which))
    if (which == 2) call prif_end_team(stat)
    call check(stat == PRIF_STAT_STOPPED_IMAGE, names(which) // " and what follows")
    if (which == 1) then
      call prif_change_team(later, stat)
      call check(stat == 0, "the team without the image")
      call prif_num_images(images)
      call check(images == last - 1, "has those that are left")
      mine = 1
      call prif_co_sum(mine)
      call check(mine == images, "which add")
      call prif_end_team(stat)
      call check(stat == 0, "and end it")
    end if
    learnt = learnt + 1
  end subroutine
end program
