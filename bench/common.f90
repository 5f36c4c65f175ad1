! SPDX-License-Identifier: BSD-3-Clause
! What the Fortran programs of the bench share: options, a clock, batches, a series of samples and
! its JSON line, as common.h has it for C. Knows no coarrays, so programs of PRIF use it too.
module bench_common
  use, intrinsic :: iso_fortran_env
  implicit none
  private
  public :: parse, wanted, time_of, sample, print_line, operation, plain_mode, add_sample, batches

  real(real64), parameter :: sample_ns = 1e4     ! a sample is the mean of a batch that lasts so long
  integer, parameter :: most_samples = 4000, least_samples = 21
  integer, parameter :: hard_limit = 10          ! budgets, after which too few samples do
  integer, parameter, public :: loop_calls = 10  ! of a batch that several processes make
  integer :: nquantiles = 0, mode = 0, max_bytes = huge(0)
  real(real64) :: budget_ns = 4e7
  character(len=32) :: only = '', program_name = ''
  real(real64) :: samples(most_samples)

  abstract interface
    subroutine operation(ncalls)
      integer, intent(in) :: ncalls
    end subroutine
  end interface
contains
  !> False: an option is unknown, which process 1 has said.
  logical function parse(name, process)
    character(len=*), intent(in) :: name
    integer, intent(in) :: process
    integer :: i
    character(len=32) :: word, value
    program_name = name
    parse = .true.
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
        if (process == 1) write (error_unit, '(4a)') trim(name), ': unknown option ', trim(word)
        parse = .false.
      end select
      i = i + 2
    end do
  end function

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
    real(real64) :: start
    integer :: i
    start = now_ns()
    do i = 1, 20
      ns = time_of(op, 1)
      if (now_ns() - start > hard_limit * budget_ns) exit
    end do
    batch_of = 1
    do while (ns < sample_ns .and. batch_of < 100000)
      batch_of = 2 * batch_of
      ns = time_of(op, batch_of)
    end do
  end function

  !> Until the budget is spent. each: operations of a call.
  subroutine sample(name, nbytes, each, op)
    character(len=*), intent(in) :: name
    integer, intent(in) :: nbytes, each
    procedure(operation) :: op
    integer :: n, batch
    real(real64) :: start, spent
    batch = batch_of(op)
    start = now_ns()
    spent = 0
    n = 0
    do while (n == 0 .or. (n < least_samples .and. spent < hard_limit * budget_ns) .or. &
              (n < most_samples .and. spent < budget_ns))
      n = n + 1
      samples(n) = time_of(op, batch) / batch / each
      spent = now_ns() - start
    end do
    call print_line(name, nbytes, n)
  end subroutine

  !> How many batches of loop_calls the budget allows, of which one takes so long.
  integer function batches(ns)
    real(real64), intent(in) :: ns
    batches = int(min(max(budget_ns / max(ns, 1.0_real64), real(least_samples, real64)), &
                      real(most_samples, real64)))
  end function

  subroutine add_sample(i, ns)
    integer, intent(in) :: i
    real(real64), intent(in) :: ns
    samples(i) = ns
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
    write (output_unit, '(5a,i0,a)', advance='no') '{"bench":"', trim(program_name), &
      '","op":"', name, '","bytes":', nbytes, ',"unit":"ns"'
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
