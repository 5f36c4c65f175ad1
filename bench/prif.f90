! SPDX-License-Identifier: BSD-3-Clause
! What caf.f90 measures, by calls of PRIF, under the same names: image 1 puts to image 2 and gets
! from it, both synchronise. Calls nothing of this project, but for what module bench_base may have
! beside each row: any library of PRIF runs it with that of caf_alone.f90.
module prif_bench
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: real64, error_unit
  use prif
  use bench_base
  use bench_common
  implicit none
  private
  public :: start, coarrays, check, me

  integer, parameter :: reals = 131072  ! of a section: 1 MiB
  integer(c_size_t), parameter :: word = 8_c_size_t, section = reals * word
  integer(c_int), parameter :: there = 2
  integer(c_int) :: me = 0, images = 0
  type(prif_coarray_handle) :: remote, events
  type(c_ptr) :: event_word
  real(real64), pointer :: own(:)
  real(real64), target :: value = 1, mine(reals) = 1
  real(real64) :: few(1), many(8192)
  procedure(prif_coarray_cleanup_interface), pointer :: no_cleanup => null()
contains
  !> As many bytes in each image.
  subroutine allocate_bytes(nbytes, handle, memory)
    integer(c_size_t), intent(in) :: nbytes
    type(prif_coarray_handle), intent(out) :: handle
    type(c_ptr), intent(out) :: memory
    call prif_allocate_coarray([1_c_int64_t], [int(images, c_int64_t)], nbytes, no_cleanup, &
                               handle, memory)
  end subroutine

  subroutine start()
    integer(c_int) :: stat
    type(c_ptr) :: memory
    type(prif_event_type), pointer :: event
    call prif_init(stat)
    if (stat /= 0) error stop "prif_init"
    call prif_this_image_no_coarray(this_image=me)
    call prif_num_images(images)
    if (.not. parse('prif', int(me))) call prif_error_stop(.true._c_bool, stop_code_int=2_c_int)
    call allocate_bytes(2 * section, remote, memory)
    call c_f_pointer(memory, own, [2 * reals])
    call allocate_bytes(int(storage_size(event) / 8, c_size_t), events, event_word)
    call c_f_pointer(event_word, event)
    event = prif_event_type()
    own = 0
    call base_begin()
    call prif_sync_all()
  end subroutine

  subroutine coarrays()
    call one_sided('put', 8, put)
    call one_sided('get', 8, get)
    call one_sided('put_memory', 8, put_memory)
    call one_sided('put_section', int(section), put_section)
    call one_sided('get_section', int(section), get_section)
    call one_sided('put_stride', int(section), put_stride)
    call one_sided('get_stride', int(section), get_stride)
    call together('sync_all', 0, all_images)
    call together('sync_images', 0, neighbours)
    call together('event', 0, posts)
    call together('sum', 8, sum_few)
    call together('sum', 65536, sum_many)
  end subroutine

  !> Image 2 has what image 1 has put last.
  subroutine check()
    if (me == 1) then
      mine = 1
      call put_stride(1)
      value = 17
      call prif_put(there, remote, word, c_loc(value), word)
    end if
    call prif_sync_all()
    if (me == there) then
      if (any(own(1::2) /= 1) .or. own(2) /= 17) then
        write (error_unit, '(a)') 'prif: image 2 lacks what image 1 has put'
        call prif_error_stop(.true._c_bool, stop_code_int=1_c_int)
      end if
    end if
    call base_end()
    call prif_sync_all()
    call prif_stop(.true._c_bool)
  end subroutine

  subroutine one_sided(name, nbytes, op)
    character(len=*), intent(in) :: name
    integer, intent(in) :: nbytes
    procedure(operation) :: op
    if (.not. wanted(name, nbytes)) return
    if (me == 1) call sample(name, nbytes, 1, op)
    call prif_sync_all()
  end subroutine

  subroutine together(name, nbytes, op)
    character(len=*), intent(in) :: name
    integer, intent(in) :: nbytes
    procedure(operation) :: op
    integer(c_int) :: plan(2)
    if (.not. wanted(name, nbytes)) return
    plan = schedule(name, nbytes, op)
    call prif_co_broadcast(plan, 1_c_int)
    call take_turns(name, nbytes, op, plan, me == 1)
    call prif_sync_all()
  end subroutine

  subroutine put(ncalls)
    integer, intent(in) :: ncalls
    integer :: i
    do i = 1, ncalls
      call prif_put(there, remote, 0_c_size_t, c_loc(value), word)
    end do
  end subroutine

  subroutine get(ncalls)
    integer, intent(in) :: ncalls
    integer :: i
    do i = 1, ncalls
      call prif_get(there, remote, 0_c_size_t, c_loc(value), word)
    end do
  end subroutine

  subroutine put_memory(ncalls)
    integer, intent(in) :: ncalls
    integer :: i
    do i = 1, ncalls
      call prif_put(there, remote, 0_c_size_t, c_loc(value), word)
      call prif_sync_memory()
    end do
  end subroutine

  subroutine put_section(ncalls)
    integer, intent(in) :: ncalls
    integer :: i
    do i = 1, ncalls
      call prif_put(there, remote, 0_c_size_t, c_loc(mine), section)
      call prif_sync_memory()
    end do
  end subroutine

  subroutine get_section(ncalls)
    integer, intent(in) :: ncalls
    integer :: i
    do i = 1, ncalls
      call prif_get(there, remote, 0_c_size_t, c_loc(mine), section)
    end do
  end subroutine

  subroutine put_stride(ncalls)
    integer, intent(in) :: ncalls
    integer :: i
    do i = 1, ncalls
      call prif_put_strided(there, remote, 0_c_size_t, [16_c_ptrdiff_t], c_loc(mine), &
                            [8_c_ptrdiff_t], word, [int(reals, c_size_t)])
      call prif_sync_memory()
    end do
  end subroutine

  subroutine get_stride(ncalls)
    integer, intent(in) :: ncalls
    integer :: i
    do i = 1, ncalls
      call prif_get_strided(there, remote, 0_c_size_t, [16_c_ptrdiff_t], c_loc(mine), &
                            [8_c_ptrdiff_t], word, [int(reals, c_size_t)])
    end do
  end subroutine

  subroutine all_images(ncalls)
    integer, intent(in) :: ncalls
    integer :: i
    do i = 1, ncalls
      call prif_sync_all()
    end do
  end subroutine

  subroutine neighbours(ncalls)
    integer, intent(in) :: ncalls
    integer :: i
    if (me > 2) return
    do i = 1, ncalls
      call prif_sync_images([3 - me])
    end do
  end subroutine

  !> There and back.
  subroutine posts(ncalls)
    integer, intent(in) :: ncalls
    integer :: i
    do i = 1, ncalls
      if (me == 1) then
        call prif_event_post(2_c_int, events, 0_c_size_t)
        call prif_event_wait(event_word)
      else if (me == 2) then
        call prif_event_wait(event_word)
        call prif_event_post(1_c_int, events, 0_c_size_t)
      end if
    end do
  end subroutine

  subroutine sum_few(ncalls)
    integer, intent(in) :: ncalls
    integer :: i
    do i = 1, ncalls
      few = 1
      call prif_co_sum(few)
    end do
  end subroutine

  subroutine sum_many(ncalls)
    integer, intent(in) :: ncalls
    integer :: i
    do i = 1, ncalls
      many = 1
      call prif_co_sum(many)
    end do
  end subroutine
end module

program prif_calls
  use prif_bench
  implicit none
  call start()
  call coarrays()
  call check()
end program
