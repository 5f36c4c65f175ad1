! SPDX-License-Identifier: BSD-3-Clause
! Coarrays from image 1: scalars, sections of 1 MiB, with stride 2 too, and a loop over elements, to
! image 2, which waits in sync all; synchronisations of both images, an event each way, and co_sum.
! Calls nothing of this project, but for what module bench_base may have beside each row: any
! coarray library runs it with that of caf_alone.f90.
module caf_bench
  use, intrinsic :: iso_fortran_env
  use bench_common
  implicit none
  private
  public :: one_sided, together, reals, event_word

  integer, parameter :: reals = 131072           ! of a section: 1 MiB
  type(event_type) :: event_word[*]
contains
  !> Image 1 measures; the other ones wait. each: operations of a call.
  subroutine one_sided(name, nbytes, each, op)
    character(len=*), intent(in) :: name
    integer, intent(in) :: nbytes, each
    procedure(operation) :: op
    if (.not. wanted(name, nbytes)) return
    if (this_image() == 1) call sample(name, nbytes, each, op)
    sync all
  end subroutine

  !> All images make the same calls; image 1 says how many.
  subroutine together(name, nbytes, op)
    character(len=*), intent(in) :: name
    integer, intent(in) :: nbytes
    procedure(operation) :: op
    integer :: plan(2)
    if (.not. wanted(name, nbytes)) return
    plan = schedule(name, nbytes, op)
    call co_broadcast(plan, source_image=1)
    call take_turns(name, nbytes, op, plan, this_image() == 1)
    sync all
  end subroutine
end module

program caf
  use, intrinsic :: iso_fortran_env
  use bench_base
  use bench_common
  use caf_bench
  implicit none
  real(real64), volatile :: value
  real(real64) :: word[*]
  real(real64), allocatable :: remote(:)[:]
  real(real64), allocatable :: mine(:)
  real(real64) :: few(1), many(8192)

  if (.not. parse('caf', this_image())) then
    sync all
    error stop 2
  end if
  allocate (mine(reals), remote(2 * reals)[*])
  mine = 1
  remote = 0
  few = 1
  many = 1
  value = 1
  call base_begin()
  sync all
  call coarrays()
  call check()
  call base_end()
contains
  subroutine coarrays()
    call one_sided('put', 8, 1, put)
    call one_sided('get', 8, 1, get)
    call one_sided('put_memory', 8, 1, put_memory)
    call one_sided('put_loop', 8, 1000, put_loop)
    call one_sided('put_section', 8 * reals, 1, put_section)
    call one_sided('get_section', 8 * reals, 1, get_section)
    call one_sided('put_stride', 8 * reals, 1, put_stride)
    call one_sided('get_stride', 8 * reals, 1, get_stride)
    call together('sync_all', 0, all_images)
    call together('sync_images', 0, neighbours)
    call together('event', 0, events)
    call together('sum', 8, sum_few)
    call together('sum', 65536, sum_many)
  end subroutine

  !> Image 2 has what image 1 has put last. Where it has not, and image 1 reads it there, the library
  !> has two places for one variable.
  subroutine check()
    real(real64) :: back
    if (this_image() == 1) then
      mine = 1
      word[2] = 17
      remote(1:2 * reals:2)[2] = mine
    end if
    sync all
    back = word[2]
    if (this_image() == 2) then
      if (any(remote(1:2 * reals:2) /= 1)) call wrong('an array')
      if (word /= 17 .and. back == 17) call wrong('a scalar, which a get from it gives')
      if (word /= 17) call wrong('a scalar')
    end if
    sync all
  end subroutine

  subroutine wrong(what)
    character(len=*), intent(in) :: what
    write (error_unit, '(2a)') "the library's variable in image 2 lacks what image 1 has put: ", what
    error stop 1
  end subroutine

  subroutine put(ncalls)
    integer, intent(in) :: ncalls
    integer :: i
    do i = 1, ncalls
      word[2] = value
    end do
  end subroutine

  subroutine get(ncalls)
    integer, intent(in) :: ncalls
    integer :: i
    do i = 1, ncalls
      value = word[2]
    end do
  end subroutine

  !> Until it is there.
  subroutine put_memory(ncalls)
    integer, intent(in) :: ncalls
    integer :: i
    do i = 1, ncalls
      word[2] = value
      sync memory
    end do
  end subroutine

  subroutine put_loop(ncalls)
    integer, intent(in) :: ncalls
    integer :: i, k
    do i = 1, ncalls
      do k = 1, 1000
        remote(17 * k)[2] = value
      end do
      sync memory
    end do
  end subroutine

  subroutine put_section(ncalls)
    integer, intent(in) :: ncalls
    integer :: i
    do i = 1, ncalls
      remote(1:reals)[2] = mine
      sync memory
    end do
  end subroutine

  subroutine get_section(ncalls)
    integer, intent(in) :: ncalls
    integer :: i
    do i = 1, ncalls
      mine(:) = remote(1:reals)[2]
    end do
  end subroutine

  subroutine put_stride(ncalls)
    integer, intent(in) :: ncalls
    integer :: i
    do i = 1, ncalls
      remote(1:2 * reals:2)[2] = mine
      sync memory
    end do
  end subroutine

  subroutine get_stride(ncalls)
    integer, intent(in) :: ncalls
    integer :: i
    do i = 1, ncalls
      mine(:) = remote(1:2 * reals:2)[2]
    end do
  end subroutine

  subroutine all_images(ncalls)
    integer, intent(in) :: ncalls
    integer :: i
    do i = 1, ncalls
      sync all
    end do
  end subroutine

  subroutine neighbours(ncalls)
    integer, intent(in) :: ncalls
    integer :: i, other
    other = 3 - this_image()
    if (other < 1) return
    do i = 1, ncalls
      sync images (other)
    end do
  end subroutine

  !> There and back.
  subroutine events(ncalls)
    integer, intent(in) :: ncalls
    integer :: i
    do i = 1, ncalls
      if (this_image() == 1) then
        event post (event_word[2])
        event wait (event_word)
      else if (this_image() == 2) then
        event wait (event_word)
        event post (event_word[1])
      end if
    end do
  end subroutine

  subroutine sum_few(ncalls)
    integer, intent(in) :: ncalls
    integer :: i
    do i = 1, ncalls
      few = 1
      call co_sum(few)
    end do
  end subroutine

  subroutine sum_many(ncalls)
    integer, intent(in) :: ncalls
    integer :: i
    do i = 1, ncalls
      many = 1
      call co_sum(many)
    end do
  end subroutine
end program
