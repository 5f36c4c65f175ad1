! SPDX-License-Identifier: BSD-3-Clause
! What the Fortran programs of the bench share: options, a clock, batches, a series of samples and
! its JSON line, as common.h has it for C. Knows no coarrays, so programs of PRIF use it too. Where
! module bench_base has the same operation by other means, both are timed in turns, slice by slice,
! and two lines follow: the other's times, NAME.base, and the ratios of neighbouring slices,
! NAME.ratio. What a slice is about to do it does once before its time begins.
module bench_common
  use, intrinsic :: iso_fortran_env
  use bench_base
  implicit none
  private
  public :: parse, wanted, sample, schedule, take_turns, print_line, operation, add_sample

  real(real64), parameter :: sample_ns = 1e4     ! a sample is the mean of a batch that lasts so long
  integer, parameter :: most_samples = 4000, least_samples = 21
  integer, parameter :: hard_limit = 10          ! budgets, after which too few samples do
  integer, parameter :: loop_calls = 10          ! at least, of a batch that several processes make
  integer :: nquantiles = 0, max_bytes = huge(0)
  real(real64) :: budget_ns = 4e7
  character(len=32) :: only = '', program_name = ''
  real(real64), target :: samples(most_samples), bases(most_samples), ratios(most_samples)

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
    integer :: i, status
    character(len=32) :: word, value
    program_name = name
    parse = .true.
    i = 1
    do while (i <= command_argument_count())
      call get_command_argument(i, word)
      call get_command_argument(i + 1, value)
      status = 0
      select case (word)
      case ('--quick')
        budget_ns = 2e6
        i = i - 1  ! has no value
      case ('--samples')
        read (value, *, iostat=status) nquantiles
      case ('--budget-ms')
        read (value, *, iostat=status) budget_ns
        budget_ns = budget_ns * 1e6
      case ('--only')
        only = value
      case ('--max-bytes')
        read (value, *, iostat=status) max_bytes
      case default
        if (process == 1) write (error_unit, '(4a)') trim(name), ': unknown option ', trim(word), &
          '; there are --quick, --only NAME, --max-bytes N, --budget-ms N, --samples N'
        parse = .false.
      end select
      if (status /= 0) then
        if (process == 1) write (error_unit, '(6a)') trim(name), ': ', trim(word), ' "', &
          trim(value), '": expected a number'
        parse = .false.
      end if
      i = i + 2
    end do
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

  !> Without what came before.
  real(real64) function slice(op, ncalls)
    procedure(operation) :: op
    integer, intent(in) :: ncalls
    call base_settle()
    call op(1)
    slice = time_of(op, ncalls) / ncalls
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

  !> Turns: the base is first in each second one.
  subroutine take_turn(i, op, both, ncalls, each)
    integer, intent(in) :: i, ncalls, each
    procedure(operation) :: op
    logical, intent(in) :: both
    if (both .and. mod(i, 2) == 0) bases(i) = slice(base, ncalls) / each
    samples(i) = slice(op, ncalls) / each
    if (both .and. mod(i, 2) == 1) bases(i) = slice(base, ncalls) / each
  end subroutine

  !> Until the budget is spent. each: operations of a call.
  subroutine sample(name, nbytes, each, op)
    character(len=*), intent(in) :: name
    integer, intent(in) :: nbytes, each
    procedure(operation) :: op
    integer :: n, batch
    logical :: both
    real(real64) :: start, spent, budget
    both = base_found(name, nbytes)
    batch = batch_of(op)
    budget = budget_of(both)
    start = now_ns()
    spent = 0
    n = 0
    do while (n == 0 .or. (n < least_samples .and. spent < hard_limit * budget) .or. &
              (n < most_samples .and. spent < budget))
      n = n + 1
      call take_turn(n, op, both, batch, each)
      spent = now_ns() - start
    end do
    call print_lines(name, nbytes, n, both)
  end subroutine

  !> A slice of a large transfer is two of them, and so is one of the base.
  real(real64) function budget_of(both)
    logical, intent(in) :: both
    budget_of = merge(4 * budget_ns, budget_ns, both)
  end function

  !> For take_turns, where several processes make the calls, which take what one of them has found:
  !> the number of turns, and the calls of a batch.
  function schedule(name, nbytes, op)
    character(len=*), intent(in) :: name
    integer, intent(in) :: nbytes
    procedure(operation) :: op
    integer :: schedule(2), i
    logical :: both
    real(real64) :: ns, base_ns, turn_ns
    both = base_found(name, nbytes)
    base_ns = 0
    do i = 1, 3
      ns = time_of(op, loop_calls) / loop_calls
      if (both) base_ns = time_of(base, loop_calls) / loop_calls
    end do
    schedule(2) = max(loop_calls, int(sample_ns / max(ns, 1.0_real64)))
    turn_ns = (ns + base_ns) * (schedule(2) + 1)
    schedule(1) = int(min(max(budget_of(both) / max(turn_ns, 1.0_real64), &
                              real(least_samples, real64)), real(most_samples, real64)))
  end function

  subroutine take_turns(name, nbytes, op, plan, printing)
    character(len=*), intent(in) :: name
    integer, intent(in) :: nbytes, plan(2)
    procedure(operation) :: op
    logical, intent(in) :: printing
    logical :: both
    integer :: i
    both = base_found(name, nbytes)
    do i = 1, plan(1)
      call take_turn(i, op, both, plan(2), 1)
    end do
    if (printing) call print_lines(name, nbytes, plan(1), both)
  end subroutine

  subroutine add_sample(i, ns)
    integer, intent(in) :: i
    real(real64), intent(in) :: ns
    samples(i) = ns
  end subroutine

  subroutine print_lines(name, nbytes, n, both)
    character(len=*), intent(in) :: name
    integer, intent(in) :: nbytes, n
    logical, intent(in) :: both
    if (both) ratios(:n) = samples(:n) / bases(:n)
    call print_line(name, nbytes, n)
    if (.not. both) return
    call print_series(bases(:n), name // '.base', nbytes, 'ns')
    call print_series(ratios(:n), name // '.ratio', nbytes, 'ratio')
  end subroutine

  subroutine print_line(name, nbytes, n)
    character(len=*), intent(in) :: name
    integer, intent(in) :: nbytes, n
    call print_series(samples(:n), name, nbytes, 'ns')
  end subroutine

  !> Heapsort.
  subroutine sort(series)
    real(real64), intent(inout) :: series(:)
    integer :: i, n
    real(real64) :: largest
    n = size(series)
    do i = n / 2, 1, -1
      call sink(series, i, n)
    end do
    do i = n, 2, -1
      largest = series(1)
      series(1) = series(i)
      series(i) = largest
      call sink(series, 1, i - 1)
    end do
  end subroutine

  subroutine sink(series, top, last)
    real(real64), intent(inout) :: series(:)
    integer, intent(in) :: top, last
    integer :: parent, child
    real(real64) :: value
    parent = top
    value = series(top)
    do while (2 * parent <= last)
      child = 2 * parent
      if (child < last) then
        if (series(child + 1) > series(child)) child = child + 1
      end if
      if (series(child) <= value) exit
      series(parent) = series(child)
      parent = child
    end do
    series(parent) = value
  end subroutine

  real(real64) function quantile(series, q)
    real(real64), intent(in) :: series(:)
    real(real64), intent(in) :: q
    real(real64) :: pos
    integer :: i, n
    n = size(series)
    pos = 1 + q * (n - 1)
    i = min(int(pos), n)
    quantile = series(i) + (pos - i) * (series(min(i + 1, n)) - series(i))
  end function

  function text(value)
    real(real64), intent(in) :: value
    character(len=:), allocatable :: text
    character(len=32) :: field
    write (field, '(es14.6)') value
    text = trim(adjustl(field))
  end function

  subroutine print_series(series, name, nbytes, unit)
    real(real64), intent(inout) :: series(:)
    character(len=*), intent(in) :: name, unit
    integer, intent(in) :: nbytes
    integer :: i, n
    n = size(series)
    call sort(series)
    write (output_unit, '(5a,i0,3a)', advance='no') '{"bench":"', trim(program_name), &
      '","op":"', name, '","bytes":', nbytes, ',"unit":"', unit, '"'
    write (output_unit, '(12a,i0)', advance='no') ',"median":', text(quantile(series, 0.5_real64)), &
      ',"p10":', text(quantile(series, 0.1_real64)), ',"p90":', text(quantile(series, 0.9_real64)), &
      ',"min":', text(series(1)), ',"max":', text(series(n)), ',"mean":', &
      text(sum(series) / n) // ',"n":', n
    do i = 1, nquantiles
      write (output_unit, '(2a)', advance='no') trim(merge(',"samples":[', ',           ', i == 1)), &
        text(quantile(series, (i - 0.5_real64) / nquantiles))
    end do
    write (output_unit, '(a)') trim(merge(']}', '} ', nquantiles > 0))
    flush (output_unit)
  end subroutine
end module
