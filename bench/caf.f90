! SPDX-License-Identifier: BSD-3-Clause
! Coarrays from image 1. --mode 0: scalars, sections of 1 MiB, with stride 2 too, and a loop over
! elements, to image 2, which waits in sync all; synchronisations of both images, an event each way,
! and co_sum. 1: the same names for assignments of plain arrays within one process. Calls nothing of
! this project: any coarray library runs it.
module caf_bench
  use, intrinsic :: iso_fortran_env
  implicit none
  private
  public :: parse, one_sided, together, operation, reals, plain_mode, event_word

  integer, parameter :: reals = 131072           ! of a section: 1 MiB
  real(real64), parameter :: sample_ns = 1e4     ! a sample is the mean of a batch that lasts so long
  integer, parameter :: most_samples = 4000, least_samples = 21, loop_calls = 10
  integer :: nquantiles = 0, mode = 0, max_bytes = huge(0)
  real(real64) :: budget_ns = 4e7
  character(len=32) :: only = ''
  real(real64) :: samples(most_samples)
  type(event_type) :: event_word[*]

  abstract interface
    subroutine operation(ncalls)
      integer, intent(in) :: ncalls
    end subroutine
  end interface
contains
  subroutine parse()
    integer :: i
    character(len=32) :: word, value
    i = 1
    do while (i <= command_argument_count())
      call get_command_argument(i, word)
      call get_command_argument(i + 1, value)
      select case (word)
      case ('--quick')
        budget_ns = 2e6
        i = i - 1  ! has no value
      case ('--samples')
        read (value, *) nquantiles
      case ('--budget-ms')
        read (value, *) budget_ns
        budget_ns = budget_ns * 1e6
      case ('--mode')
        read (value, *) mode
      case ('--only')
        only = value
      case ('--max-bytes')
        read (value, *) max_bytes
      case default
        if (this_image() == 1) write (error_unit, '(3a)') 'caf: unknown option ', trim(word)
        sync all
        error stop 2
      end select
      i = i + 2
    end do
  end subroutine

  logical function plain_mode()
    plain_mode = mode == 1
  end function

  logical function wanted(name, nbytes)
    character(len=*), intent(in) :: name
    integer, intent(in) :: nbytes
    wanted = (only == '' .or. only == name) .and. nbytes <= max_bytes
  end function

  real(real64) function now_ns()
    integer(int64) :: ticks, rate
    call system_clock(ticks, rate)
    now_ns = real(ticks, real64) * (1e9_real64 / rate)
  end function

  real(real64) function time_of(op, ncalls)
    procedure(operation) :: op
    integer, intent(in) :: ncalls
    real(real64) :: start
    start = now_ns()
    call op(ncalls)
    time_of = now_ns() - start
  end function

  !> Calls of a sample.
  integer function batch_of(op)
    procedure(operation) :: op
    real(real64) :: ns
    integer :: i
    do i = 1, 20
      ns = time_of(op, 1)
    end do
    batch_of = 1
    do while (ns < sample_ns .and. batch_of < 100000)
      batch_of = 2 * batch_of
      ns = time_of(op, batch_of)
    end do
  end function

  !> Image 1 measures; the other ones wait. each: operations of a call.
  subroutine one_sided(name, nbytes, each, op)
    character(len=*), intent(in) :: name
    integer, intent(in) :: nbytes, each
    procedure(operation) :: op
    integer :: n, batch
    real(real64) :: start
    if (.not. wanted(name, nbytes)) return
    if (this_image() == 1) then
      batch = batch_of(op)
      start = now_ns()
      n = 0
      do while (n < least_samples .or. (n < most_samples .and. now_ns() - start < budget_ns))
        n = n + 1
        samples(n) = time_of(op, batch) / batch / each
      end do
      call print_line(name, nbytes, n)
    end if
    if (.not. plain_mode()) then
      sync all
    end if
  end subroutine

  !> All images make the same calls; image 1 says how many.
  subroutine together(name, nbytes, op)
    character(len=*), intent(in) :: name
    integer, intent(in) :: nbytes
    procedure(operation) :: op
    integer :: n, i
    real(real64) :: ns
    if (.not. wanted(name, nbytes)) return
    do i = 1, 3
      ns = time_of(op, loop_calls)
    end do
    n = int(min(max(budget_ns / max(ns, 1.0_real64), real(least_samples, real64)), &
                real(most_samples, real64)))
    call co_broadcast(n, source_image=1)
    do i = 1, n
      samples(i) = time_of(op, loop_calls) / loop_calls
    end do
    if (this_image() == 1) call print_line(name, nbytes, n)
    sync all
  end subroutine

  !> Heapsort.
  subroutine sort(n)
    integer, intent(in) :: n
    integer :: i
    real(real64) :: largest
    do i = n / 2, 1, -1
      call sink(i, n)
    end do
    do i = n, 2, -1
      largest = samples(1)
      samples(1) = samples(i)
      samples(i) = largest
      call sink(1, i - 1)
    end do
  end subroutine

  subroutine sink(top, last)
    integer, intent(in) :: top, last
    integer :: parent, child
    real(real64) :: value
    parent = top
    value = samples(top)
    do while (2 * parent <= last)
      child = 2 * parent
      if (child < last) then
        if (samples(child + 1) > samples(child)) child = child + 1
      end if
      if (samples(child) <= value) exit
      samples(parent) = samples(child)
      parent = child
    end do
    samples(parent) = value
  end subroutine

  real(real64) function quantile(n, q)
    integer, intent(in) :: n
    real(real64), intent(in) :: q
    real(real64) :: pos
    integer :: i
    pos = 1 + q * (n - 1)
    i = min(int(pos), n)
    quantile = samples(i) + (pos - i) * (samples(min(i + 1, n)) - samples(i))
  end function

  function text(value)
    real(real64), intent(in) :: value
    character(len=:), allocatable :: text
    character(len=32) :: field
    write (field, '(es14.6)') value
    text = trim(adjustl(field))
  end function

  subroutine print_line(name, nbytes, n)
    character(len=*), intent(in) :: name
    integer, intent(in) :: nbytes, n
    integer :: i
    call sort(n)
    write (output_unit, '(3a,i0,a)', advance='no') '{"bench":"caf","op":"', name, '","bytes":', &
      nbytes, ',"unit":"ns"'
    write (output_unit, '(12a,i0)', advance='no') ',"median":', text(quantile(n, 0.5_real64)), &
      ',"p10":', text(quantile(n, 0.1_real64)), ',"p90":', text(quantile(n, 0.9_real64)), &
      ',"min":', text(samples(1)), ',"max":', text(samples(n)), ',"mean":', &
      text(sum(samples(:n)) / n) // ',"n":', n
    do i = 1, nquantiles
      write (output_unit, '(2a)', advance='no') trim(merge(',"samples":[', ',           ', i == 1)), &
        text(quantile(n, (i - 0.5_real64) / nquantiles))
    end do
    write (output_unit, '(a)') trim(merge(']}', '} ', nquantiles > 0))
    flush (output_unit)
  end subroutine
end module

program caf
  use, intrinsic :: iso_fortran_env
  use caf_bench
  implicit none
  real(real64), volatile :: value
  real(real64), volatile :: plain_word
  real(real64) :: word[*]
  real(real64), allocatable :: remote(:)[:]
  real(real64), allocatable :: mine(:), plain(:)
  real(real64) :: few(1), many(8192)

  call parse()
  allocate (mine(reals), plain(2 * reals), remote(2 * reals)[*])
  mine = 1
  plain = 0
  remote = 0
  few = 1
  many = 1
  value = 1
  if (plain_mode()) then
    if (this_image() == 1) call plain_ones()
  else
    sync all
    call coarrays()
    call check()
  end if
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

  subroutine plain_ones()
    call one_sided('put', 8, 1, plain_put)
    call one_sided('get', 8, 1, plain_get)
    call one_sided('put_section', 8 * reals, 1, plain_copy)
    call one_sided('get_section', 8 * reals, 1, plain_copy)
    call one_sided('put_stride', 8 * reals, 1, plain_spread)
    call one_sided('get_stride', 8 * reals, 1, plain_gather)
  end subroutine

  !> Image 2 has what image 1 has put last.
  subroutine check()
    if (this_image() == 1) then
      word[2] = 17
      remote(1:2 * reals:2)[2] = mine
    end if
    sync all
    if (this_image() == 2 .and. (word /= 17 .or. any(remote(1:2 * reals:2) /= 1))) then
      write (error_unit, '(a)') 'caf: image 2 lacks what image 1 has put'
      error stop 1
    end if
    sync all
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
    mine = 1
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
    mine = 1
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

  subroutine plain_put(ncalls)
    integer, intent(in) :: ncalls
    integer :: i
    do i = 1, ncalls
      plain_word = value
    end do
  end subroutine

  subroutine plain_get(ncalls)
    integer, intent(in) :: ncalls
    integer :: i
    do i = 1, ncalls
      value = plain_word
    end do
  end subroutine

  !> The value changes, so no call may be left out.
  subroutine plain_copy(ncalls)
    integer, intent(in) :: ncalls
    integer :: i
    do i = 1, ncalls
      mine(1) = i
      plain(1:reals) = mine
      mine(reals) = plain(1)
    end do
  end subroutine

  subroutine plain_spread(ncalls)
    integer, intent(in) :: ncalls
    integer :: i
    do i = 1, ncalls
      mine(1) = i
      plain(1:2 * reals:2) = mine
      mine(reals) = plain(1)
    end do
  end subroutine

  subroutine plain_gather(ncalls)
    integer, intent(in) :: ncalls
    integer :: i
    do i = 1, ncalls
      plain(1) = i
      mine(:) = plain(1:2 * reals:2)
      plain(3) = mine(1)
    end do
  end subroutine
end program
