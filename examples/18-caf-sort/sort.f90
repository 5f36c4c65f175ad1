! SPDX-License-Identifier: BSD-3-Clause
! Keys of all images in order: each image sorts its own, then neighbours exchange blocks in turns
! (odd-even transposition); the lower one keeps the lower half. As many turns as images suffice.
program sort
  use, intrinsic :: iso_fortran_env, only: int64, real64, error_unit
  implicit none
  integer(int64), allocatable :: keys(:)[:], theirs(:), kept(:)
  integer(int64) :: nkeys, i, t0, t1, rate, total, sum_before, sum_after
  real(real64) :: seconds
  integer :: me, n, turn, other, wrong

  me = this_image()
  n = num_images()
  nkeys = keys_wanted()
  allocate (keys(nkeys)[*], theirs(nkeys), kept(nkeys))
  total = 88172645463325252_int64 + me * 362436069_int64
  do i = 1, nkeys
    total = ieor(total, ishft(total, 13))
    total = ieor(total, ishft(total, -7))
    total = ieor(total, ishft(total, 17))
    keys(i) = total
  end do
  sum_before = mixed(keys)
  call co_sum(sum_before)
  sync all

  call system_clock(t0, rate)
  call sort_keys(keys, theirs)
  do turn = 1, n
    other = me + merge(1, -1, mod(me + turn, 2) == 0)
    if (other < 1 .or. other > n) cycle
    sync images (other)  ! its block is that of this turn
    theirs(:) = keys(:)[other]
    sync images (other)  ! it has read this one
    call keep(me < other)
    keys(:) = kept
  end do
  sync all
  call system_clock(t1)
  seconds = max(real(t1 - t0, real64) / rate, 1e-9_real64)

  wrong = int(count(keys(2:) < keys(:nkeys-1)))
  if (me < n) then
    total = keys(1)[me + 1]
    if (total < keys(nkeys)) wrong = wrong + 1
  end if
  sum_after = mixed(keys)
  call co_sum(sum_after)
  if (sum_after /= sum_before) wrong = wrong + 1
  call co_sum(wrong)
  if (me == 1) then
    print '(i0,a,i0,a)', nkeys * n, " keys in order, ", wrong, " wrong"
    print '(a,i0,a,a,a,f0.6,a,f0.3,a)', "RESULT program=caf-sort pes=", n, " verified=", &
      trim(merge("yes", "no ", wrong == 0)), " seconds=", seconds, " rate=", &
      nkeys * n / seconds / 1e6_real64, " unit=Mkey/s"
    if (wrong /= 0) print '(a)', "FAILED"
  end if
  if (wrong /= 0) error stop 1
contains
  !> The same for the same keys in any order.
  pure integer(int64) function mixed(of)
    integer(int64), intent(in) :: of(:)
    mixed = sum(ieor(of, ishft(of, -11)) / 65536)
  end function

  !> The lower or upper half of both blocks.
  subroutine keep(lower)
    logical, intent(in) :: lower
    integer(int64) :: a, b, k
    if (lower) then
      a = 1
      b = 1
      do k = 1, nkeys
        if (keys(a) <= theirs(b)) then
          kept(k) = keys(a)
          a = a + 1
        else
          kept(k) = theirs(b)
          b = b + 1
        end if
      end do
    else
      a = nkeys
      b = nkeys
      do k = nkeys, 1, -1
        if (keys(a) > theirs(b)) then
          kept(k) = keys(a)
          a = a - 1
        else
          kept(k) = theirs(b)
          b = b - 1
        end if
      end do
    end if
  end subroutine

  !> Merges runs that double in length.
  subroutine sort_keys(of, room)
    integer(int64), intent(inout) :: of(:), room(:)
    integer(int64) :: length, first, middle, last
    length = 1
    do while (length < size(of, kind=int64))
      do first = 1, size(of, kind=int64), 2 * length
        middle = min(first + length, size(of, kind=int64) + 1)
        last = min(first + 2 * length, size(of, kind=int64) + 1) - 1
        call merge_runs(of(first:middle-1), of(middle:last), room(first:last))
      end do
      of = room
      length = 2 * length
    end do
  end subroutine

  pure subroutine merge_runs(a, b, into)
    integer(int64), intent(in) :: a(:), b(:)
    integer(int64), intent(out) :: into(:)
    integer(int64) :: i, j, k
    logical :: from_a
    i = 1
    j = 1
    do k = 1, size(into, kind=int64)
      from_a = j > size(b, kind=int64)
      if (.not. from_a .and. i <= size(a, kind=int64)) from_a = a(i) <= b(j)
      if (from_a) then
        into(k) = a(i)
        i = i + 1
      else
        into(k) = b(j)
        j = j + 1
      end if
    end do
  end subroutine

  !> Keys of an image: the first argument.
  integer(int64) function keys_wanted()
    character(len=20) :: word
    integer :: stat
    keys_wanted = 200000
    if (command_argument_count() == 0) return
    call get_command_argument(1, word)
    read (word, *, iostat=stat) keys_wanted
    if (stat == 0 .and. keys_wanted >= 1) return
    if (this_image() == 1) write (error_unit, '(a)') "usage: sort [keys of an image, 1 or more]"
    sync all  ! so that the line is out before the job ends
    error stop 2
  end function
end program
