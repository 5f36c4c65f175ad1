! SPDX-License-Identifier: BSD-3-Clause
!
! A program that names none of the procedures for images that are gone: statements with stat= learn
! of images that have stopped all the same, each exactly where it did not come any more.
program stopped
  use, intrinsic :: iso_fortran_env
  implicit none
  integer, parameter :: rounds = 50
  integer :: i, st, total, last
  integer :: seen[*]
  character(120) :: msg
  last = num_images()
  seen = 0
  do i = 1, rounds
    if (mod(i, last) == this_image() - 1) call work(i)
    sync all (stat=st)
    call expect(st == 0, "all have come")
  end do
  if (this_image() == last) stop
  call work(this_image())
  sync images (last, stat=st)
  call expect(st == stat_stopped_image, "sync images learns of it")
  sync all (stat=st, errmsg=msg)
  call expect(st == stat_stopped_image, "sync all learns of it")
  call expect(index(msg, "1 images of the team have stopped") > 0, msg)
  ! from here on as in a program that asks
  seen[1 + mod(this_image(), last - 1)] = this_image()
  sync all (stat=st)
  call expect(st == stat_stopped_image, "again")
  call expect(seen == merge(last - 1, this_image() - 1, this_image() == 1), "synchronised")
  total = 1
  call co_sum(total, stat=st)
  call expect(st == stat_stopped_image, "co_sum learns of it")
  if (this_image() == last - 1 .and. last > 2) stop
  sync all (stat=st, errmsg=msg)
  call expect(st == stat_stopped_image, "of another one")
  if (last > 2) call expect(index(msg, "2 images of the team have stopped") > 0, msg)
  if (this_image() == 1) print '(a)', "images stopped, and the others went on"
contains
  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    print '(a,i0,2a)', "FAIL: image ", this_image(), ": ", trim(what)
    error stop
  end subroutine
  subroutine work(n)
    integer, intent(in) :: n
    integer(int64) :: begin, now, rate
    call system_clock(begin, rate)
    do
      call system_clock(now)
      if (now - begin > rate * mod(n, 3) / 200) exit
    end do
  end subroutine
end program
