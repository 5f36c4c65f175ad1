! SPDX-License-Identifier: BSD-3-Clause
! Ends a program, or uses a procedure in a wrong way, as the argument says.
module callbacks
  use prif
  use, intrinsic :: iso_c_binding
  implicit none
contains
  subroutine early(is_error_stop, quiet, stop_code_int, stop_code_char)
    logical(c_bool), intent(in) :: is_error_stop, quiet
    integer(c_int), intent(in), optional :: stop_code_int
    character(len=*), intent(in), optional :: stop_code_char
    call say("early", is_error_stop, quiet, stop_code_int, stop_code_char)
  end subroutine

  subroutine late(is_error_stop, quiet, stop_code_int, stop_code_char)
    logical(c_bool), intent(in) :: is_error_stop, quiet
    integer(c_int), intent(in), optional :: stop_code_int
    character(len=*), intent(in), optional :: stop_code_char
    call say("late", is_error_stop, quiet, stop_code_int, stop_code_char)
  end subroutine

  !> Within a statement that prints.
  integer function amid(how, x)
    character(len=*), intent(in) :: how
    type(prif_coarray_handle), intent(in) :: x
    integer(c_int64_t), target :: value
    amid = 0
    if (how == "amid_stop") call prif_stop(.false._c_bool, 7_c_int)
    if (how == "amid_error") call prif_error_stop(.false._c_bool, 9_c_int)
    call prif_get(4_c_int, x, 0_c_size_t, c_loc(value), 8_c_size_t)
  end function

  subroutine say(name, is_error_stop, quiet, stop_code_int, stop_code_char)
    character(len=*), intent(in) :: name
    logical(c_bool), intent(in) :: is_error_stop, quiet
    integer(c_int), intent(in), optional :: stop_code_int
    character(len=*), intent(in), optional :: stop_code_char
    integer(c_int) :: code
    character(len=20) :: text
    code = -1
    text = "none"
    if (present(stop_code_int)) code = stop_code_int
    if (present(stop_code_char)) text = stop_code_char
    print '(a,2l2,i3,1x,a)', name, is_error_stop, quiet, code, trim(text)
  end subroutine
end module

program ends
  use callbacks
  implicit none
  procedure(prif_stop_callback_interface), pointer :: callback
  procedure(prif_coarray_cleanup_interface), pointer :: none => null()
  type(prif_coarray_handle) :: x, alias
  type(prif_team_type) :: team
  type(c_ptr) :: memory
  integer(c_int64_t), pointer :: word
  integer(c_int64_t), target :: value = 1
  integer(c_int) :: stat, me
  character(len=14) :: how

  call get_command_argument(1, how)
  if (how == "before") call prif_sync_all()
  call prif_init(stat)
  call prif_this_image_no_coarray(this_image=me)
  call prif_allocate_coarray([1_c_int64_t], [3_c_int64_t], 8_c_size_t, none, x, memory)
  call c_f_pointer(memory, word)
  word = 0
  if (how(:4) == "amid") then
    if (me == 1 .or. how /= "amid_error") print *, amid(how, x)
    call prif_sync_all()
  end if
  callback => early
  call prif_register_stop_callback(callback)
  callback => late
  call prif_register_stop_callback(callback)
  call prif_sync_all()
  select case (how)
  case ("stop")
    call prif_stop(.false._c_bool, 7_c_int)
  case ("stop_text")
    call prif_stop(.false._c_bool, stop_code_char="all is done")
  case ("quiet")
    call prif_stop(.true._c_bool, 5_c_int)
  case ("error_stop")
    if (me == 1) call prif_error_stop(.false._c_bool, 9_c_int)
    call prif_sync_all()
  case ("error_512")
    if (me == 1) call prif_error_stop(.false._c_bool, 512_c_int)
    call prif_sync_all()
  case ("error_text")
    if (me == 1) call prif_error_stop(.false._c_bool, stop_code_char="it went wrong")
    call prif_sync_all()
  case ("error_quiet")
    if (me == 1) call prif_error_stop(.true._c_bool)
    call prif_sync_all()
  case ("image")
    call prif_put(4_c_int, x, 0_c_size_t, c_loc(value), 8_c_size_t)
  case ("handle")
    x%info = c_null_ptr
    call prif_get(1_c_int, x, 0_c_size_t, c_loc(value), 8_c_size_t)
  case ("beyond")
    call prif_event_post(1_c_int, x, 1_c_size_t)
  case ("unlock")
    call prif_unlock(1_c_int, x, 0_c_size_t)
  case ("cobounds")
    call prif_allocate_coarray([1_c_int64_t], [2_c_int64_t], 8_c_size_t, none, x, memory)
  case ("alias_cobounds")
    call prif_alias_create(x, [1_c_int64_t, 1_c_int64_t], [0_c_int64_t, 3_c_int64_t], 0_c_size_t, &
                           alias)
  case ("corank")
    call prif_lcobound_with_dim(x, 2_c_int, value)
  case ("team")
    call prif_change_team(team)
  case ("number")
    call prif_form_team(0_c_int64_t, team)
  case ("sibling")
    call prif_num_images_with_team_number(5_c_int64_t, stat)
  case ("alias")
    call prif_alias_destroy(x)
  case ("released")
    call prif_deallocate_coarray(x)
    call prif_set_context_data(x, memory)
  case ("mixed_team")
    if (me == 1) call prif_form_team(1_c_int64_t, team)
    call prif_sync_all()
  case ("mixed_sum")
    if (me == 1) call prif_co_sum(value)
    call prif_allocate_coarray([1_c_int64_t], [3_c_int64_t], 8_c_size_t, none, x, memory)
  case ("asked")
    call asked()
  end select
contains
  !> Sections of more bytes than 64 bits count.
  subroutine beyond(y, remote_stride, stride, extent)
    type(prif_coarray_handle), intent(in) :: y
    integer(c_ptrdiff_t), intent(in) :: remote_stride(:), stride(:)
    integer(c_size_t), intent(in) :: extent(:)
    character(len=72) :: said
    said = ""
    call prif_put_strided(1_c_int, y, 8_c_size_t, remote_stride, c_loc(value), stride, &
                          8_c_size_t, extent, stat, said)
    if (stat == 0 .or. index(said, "of a coarray of 64") == 0) print '(a)', "WRONG", said
    said = ""
    call prif_get_strided(1_c_int, y, 8_c_size_t, remote_stride, c_loc(value), stride, &
                          8_c_size_t, extent, stat, said)
    if (stat == 0 .or. index(said, "of a coarray of 64") == 0) print '(a)', "WRONG", said
  end subroutine

  !> With stat the program goes on, and the images stay together.
  subroutine asked()
    type(prif_coarray_handle) :: y, absent
    type(prif_team_type) :: half
    character(len=72) :: said
    logical :: flags(2)
    integer(c_int) :: images
    procedure(prif_operation_wrapper_interface), pointer :: nothing => null()
    call prif_allocate_coarray([1_c_int64_t], [3_c_int64_t], int(8 * me, c_size_t), none, y, &
                               memory, stat, said)
    call tell("allocate", said)
    call prif_allocate_coarray([1_c_int64_t], [2_c_int64_t], 8_c_size_t, none, y, memory, stat, said)
    call tell("cobounds", said)
    call prif_allocate_coarray([1_c_int64_t], [1_c_int64_t, 3_c_int64_t], 8_c_size_t, none, y, &
                               memory, stat, said)
    call tell("upper", said)
    call prif_allocate_coarray([-huge(1_c_int64_t), 1_c_int64_t], [huge(1_c_int64_t)], 8_c_size_t, &
                               none, y, memory, stat, said)
    call tell("shape", said)
    call prif_allocate_coarray([(1_c_int64_t, images = 1, 16)], [(1_c_int64_t, images = 1, 15)], &
                               8_c_size_t, none, y, memory, stat, said)
    call tell("corank", said)
    call prif_form_team(merge(0_c_int64_t, 1_c_int64_t, me == 2), half, stat=stat, errmsg=said)
    if (me == 2) call tell("form", said)
    if (me /= 2) then
      if (stat /= 0) print '(a)', "WRONG"
      call prif_num_images_with_team(half, stat)
      if (stat /= 2) print '(a)', "WRONG"
      call prif_change_team(half, stat)
      call prif_num_images_with_team_number(1_c_int64_t, stat)
      call prif_deallocate_coarray(x, stat, said)
      call tell("deallocate", said)
      call prif_end_team(stat)
    end if
    absent%info = c_null_ptr
    call prif_change_team(team, stat, said)
    call tell("change", said)
    call prif_sync_team(team, stat, said)
    call tell("sync", said)
    call prif_put(1_c_int, absent, 0_c_size_t, c_loc(value), 8_c_size_t, stat, said)
    call tell("put", said)
    call prif_get(1_c_int, absent, 0_c_size_t, c_loc(value), 8_c_size_t, stat, said)
    call tell("get", said)
    call prif_critical(absent, stat, said)
    call tell("critical", said)
    call prif_deallocate_coarray(absent, stat, said)
    call tell("again", said)
    call prif_allocate_coarray([1_c_int64_t, -huge(1_c_int64_t)], [1_c_int64_t, huge(1_c_int64_t)], &
                               64_c_size_t, none, y, memory, stat, said)
    if (stat /= 0) print '(a)', "WRONG", said
    call beyond(y, [8_c_ptrdiff_t], [8_c_ptrdiff_t], [2_c_size_t**61 + 1])
    call beyond(y, [8_c_ptrdiff_t, 8_c_ptrdiff_t], [8_c_ptrdiff_t, 8_c_ptrdiff_t], &
                [2_c_size_t**32, 2_c_size_t**32])
    call beyond(y, [0_c_ptrdiff_t, 0_c_ptrdiff_t], [0_c_ptrdiff_t, 0_c_ptrdiff_t], &
                [2_c_size_t**32, 2_c_size_t**32])
    call beyond(y, [-8_c_ptrdiff_t], [8_c_ptrdiff_t], [2_c_size_t**61 + 1])
    call prif_put_strided(1_c_int, y, 0_c_size_t, [8_c_ptrdiff_t], c_loc(value), [8_c_ptrdiff_t], &
                          8_c_size_t, [1_c_size_t, 1_c_size_t], stat, said)
    call tell("ranks", said)
    call prif_event_post(1_c_int, y, 4_c_size_t, stat, said)
    call tell("aligned", said)
    call prif_deallocate_coarrays([y, y], stat, said)
    call tell("twice", said)
    call prif_co_sum(flags, stat=stat, errmsg=said)
    call tell("logicals", said)
    call prif_co_reduce(flags, nothing, c_null_ptr, stat=stat, errmsg=said)
    call tell("operation", said)
    call prif_initial_team_index_with_team_number(y, [1_c_int64_t, 0_c_int64_t], 5_c_int64_t, &
                                                  images, stat)
    if (stat == 0 .or. images /= 0) print '(a)', "WRONG"
    call prif_alias_create(y, [1_c_int64_t], [3_c_int64_t], 8_c_size_t, alias)
    call prif_deallocate_coarrays([y, x], stat)
    if (stat /= 0) print '(a)', "WRONG"
    call prif_get(1_c_int, y, 0_c_size_t, c_loc(value), 8_c_size_t, stat, said)
    call tell("released", said)
    call prif_put(1_c_int, alias, 0_c_size_t, c_loc(value), 8_c_size_t, stat, said)
    call tell("its alias", said)
    call prif_event_post(1_c_int, y, 0_c_size_t, stat, said)
    call tell("its word", said)
    call prif_deallocate_coarray(y, stat, said)
    call tell("once more", said)
    call prif_alias_destroy(alias)
    call prif_stop(.true._c_bool)
  end subroutine

  subroutine tell(statement, said)
    character(len=*), intent(in) :: statement, said
    if (stat == 0) print '(a)', "WRONG"
    print '(a,": ",a)', statement, trim(said)
  end subroutine
end program
