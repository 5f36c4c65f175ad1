! SPDX-License-Identifier: BSD-3-Clause
! Teams: form, change, end, sync; images by team, by number of a sibling, by cosubscripts; coarrays
! of a team, their end, and what is called then.
module ends
  use checks
  implicit none
  integer :: ended = 0
contains
  !> Of a coarray whose first word is its number.
  subroutine cleanup(handle) bind(C)
    type(prif_coarray_handle), intent(in), value :: handle
    type(c_ptr) :: memory
    integer(c_int64_t), pointer :: number
    call prif_local_data_pointer(handle, memory)
    call c_f_pointer(memory, number)
    ended = 10 * ended + int(number)
  end subroutine
end module

program teams
  use ends
  implicit none
  type(prif_team_type) :: initial, halves, single, parent, current
  type(prif_coarray_handle) :: x, inside(3)
  type(c_ptr) :: memory
  integer(c_int64_t), pointer :: mine(:)
  integer(c_int64_t), target :: value
  integer(c_int64_t) :: number
  integer(c_int) :: half, me2, n2, image, stat, other
  procedure(prif_coarray_cleanup_interface), pointer :: final_proc
  character(len=30) :: errmsg
  integer :: i

  call start()
  final_proc => cleanup
  call allocate_bytes(16_c_size_t, x, memory)
  call c_f_pointer(memory, mine, [2])
  mine = 0
  call prif_get_team(team=initial)
  call prif_team_number(team_number=number)
  call check(number == -1, "number of the initial team")
  call prif_get_team(PRIF_PARENT_TEAM, parent)
  call check(associated(parent%info, initial%info), "parent of the initial team")
  ! odd and even images, in the opposite order
  half = 1 + mod(me - 1, 2)
  n2 = (n + 2 - half) / 2
  call prif_form_team(int(half, c_int64_t), halves, n2 - (me - 1) / 2)
  call prif_team_number(halves, number)
  call check(number == half, "prif_team_number of a formed team")
  call prif_num_images_with_team(halves, image)
  call check(image == n2, "prif_num_images_with_team")
  call prif_this_image_no_coarray(halves, me2)
  call check(me2 == n2 - (me - 1) / 2, "prif_this_image_no_coarray of a team")
  call prif_sync_team(halves)
  call prif_change_team(halves)
  call in_team()
  call prif_end_team()
  call check(ended == 321, "cleanup of a team's coarrays")
  call prif_this_image_no_coarray(this_image=image)
  call check(image == me, "back")
  ended = 0
  call change_again()
  call prif_end_team(stat, errmsg)
  call check(stat > 0 .and. errmsg /= "", "end of the initial team")
  call prif_form_team(1_c_int64_t, single, 1_c_int, stat, errmsg)
  call check((stat > 0) .eqv. (n > 1), "two images with one index")
  call prif_form_team(1_c_int64_t, single, merge(0_c_int, me, me == 1), stat)
  call check(stat > 0, "an index of 0")
  ! all images of the other new team want one place
  call prif_form_team(merge(1_c_int64_t, 2_c_int64_t, me == 1), single, 1_c_int, stat, errmsg)
  call check((stat > 0) .eqv. (n > 2), "two images of another team with one index")
  call check(stat == 0 .or. index(errmsg, "two images") > 0, "its errmsg: " // trim(errmsg))
  call cleanup_of_several()
  call finish_checks()
contains
  subroutine in_team()
    integer(c_int64_t) :: sub(1)
    integer(c_int) :: images
    call prif_num_images(images)
    call prif_get_team(PRIF_CURRENT_TEAM, current)
    call check(images == n2 .and. associated(current%info, halves%info), "the current team")
    call prif_get_team(PRIF_INITIAL_TEAM, current)
    call prif_get_team(PRIF_PARENT_TEAM, parent)
    call check(associated(current%info, initial%info) .and. &
               associated(parent%info, initial%info), "prif_get_team")
    call prif_sync_all()
    other = 3 - half
    call prif_num_images_with_team_number(-1_c_int64_t, image)
    call check(image == n, "prif_num_images_with_team_number of the initial team")
    if (n > 1) then
      call prif_num_images_with_team_number(int(other, c_int64_t), image)
      call check(image == (n + 2 - other) / 2, "prif_num_images_with_team_number")
      call prif_image_index_with_team_number(x, [int(image, c_int64_t)], int(other, c_int64_t), &
                                             images)
      call check(images == image, "prif_image_index_with_team_number")
      call prif_image_index_with_team_number(x, [image + 1_c_int64_t], int(other, c_int64_t), &
                                             images)
      call check(images == 0, "prif_image_index_with_team_number of no image")
      ! its last image is the first one of the program that is in it
      call prif_initial_team_index_with_team_number(x, [int(image, c_int64_t)], &
                                                    int(other, c_int64_t), images, stat)
      call check(images == other .and. stat == 0, "prif_initial_team_index_with_team_number")
    end if
    call prif_this_image_with_coarray(x, halves, sub)
    call check(sub(1) == me2, "prif_this_image_with_coarray of a team")
    call prif_ucobound_no_dim(x, sub)
    call check(sub(1) == n2, "prif_ucobound_no_dim in a team")
    call prif_this_image_with_dim(x, 1_c_int, initial, sub(1))
    call check(sub(1) == me, "prif_this_image_with_dim of a team")
    call prif_image_index_with_team(x, [int(n, c_int64_t)], initial, image)
    call check(image == n, "prif_image_index_with_team")
    call prif_initial_team_index(x, [int(n2, c_int64_t)], image)
    call check(image == half, "prif_initial_team_index")
    call prif_initial_team_index_with_team(x, [int(n, c_int64_t)], initial, image, stat)
    call check(image == n .and. stat == 0, "prif_initial_team_index_with_team")
    call prif_initial_team_index(x, [n2 + 1_c_int64_t], image, stat)
    call check(image == 0 .and. stat > 0, "prif_initial_team_index of no image")
    ! images of accesses are those of the initial team
    value = 1000 + me
    call prif_put(mod(me, n) + 1, x, 0_c_size_t, c_loc(value), 8_c_size_t)
    i = me
    call prif_co_sum(i)
    call check(i == sum([(i, i=half, n, 2)]), "prif_co_sum in a team")
    do i = 1, 3  ! the teams allocate differently
      call prif_allocate_coarray([1_c_int64_t], [int(n2, c_int64_t)], &
                                 8_c_size_t * (1 + 2000 * half), final_proc, inside(i), memory)
      call c_f_pointer(memory, mine, [1])
      mine(1) = i
    end do
    call prif_sync_all()
    call prif_initial_team_index(inside(2), [mod(me2, n2) + 1_c_int64_t], image)
    call prif_get(image, inside(2), 0_c_size_t, c_loc(value), 8_c_size_t)
    call check(value == 2, "a coarray of a team")
    call prif_form_team(int(me2, c_int64_t), single)
    call prif_change_team(single, stat)
    call check(stat == 0, "stat of prif_change_team")
    call prif_num_images(image)
    call check(image == 1, "a team of one")
    call prif_get_team(PRIF_PARENT_TEAM, parent)
    call check(associated(parent%info, halves%info), "parent of a team of a team")
    call prif_deallocate_coarray(inside(1), stat, errmsg)
    call check(stat > 0 .and. errmsg(:11) == "the coarray", "a coarray of another team")
    call prif_end_team(stat)
    call check(stat == 0 .and. ended == 0, "stat of prif_end_team")
    call prif_sync_team(initial)
    call c_f_pointer(memory, mine, [1])
    call prif_local_data_pointer(x, memory)
    call c_f_pointer(memory, mine, [2])
    call check(mine(1) == 1000 + merge(me - 1, n, me > 1), "put by the initial team's index")
  end subroutine

  !> To the team that is the current one.
  subroutine change_again()
    type(prif_coarray_handle) :: outer, inner
    ended = 0
    call prif_change_team(halves)
    call prif_allocate_coarray([1_c_int64_t], [int(n2, c_int64_t)], 8_c_size_t, final_proc, outer, &
                               memory)
    call c_f_pointer(memory, mine, [1])
    mine = 1
    do i = 1, 2
      call prif_change_team(halves)
      call prif_get_team(PRIF_PARENT_TEAM, parent)
      call check(associated(parent%info, halves%info), "parent of a team in itself")
      call prif_allocate_coarray([1_c_int64_t], [int(n2, c_int64_t)], 8_c_size_t, final_proc, &
                                 inner, memory)
      call c_f_pointer(memory, mine, [1])
      mine = 1 + i
    end do
    call prif_end_team()
    call check(ended == 3, "end of a team in itself")
    call prif_end_team(stat)
    call check(ended == 32 .and. stat == 0, "end of a team in itself again")
    call prif_num_images(image)
    call check(image == n2, "still in the team")
    call prif_end_team()
    call check(ended == 321, "end of the team")
    call prif_change_team(initial, stat)
    call check(stat == 0, "the initial team in itself")
    call prif_end_team(stat)
    call prif_num_images(image)
    call check(stat == 0 .and. image == n, "back in the initial team")
    ended = 0
  end subroutine

  !> In the order of the handles.
  subroutine cleanup_of_several()
    ended = 0
    do i = 1, 3
      call prif_allocate_coarray([1_c_int64_t], [int(n, c_int64_t)], 8_c_size_t, final_proc, &
                                 inside(i), memory)
      call c_f_pointer(memory, mine, [1])
      mine(1) = i
    end do
    call prif_deallocate_coarrays(inside(3:1:-1), stat)
    call check(ended == 321 .and. stat == 0, "prif_deallocate_coarrays")
  end subroutine
end program
