! SPDX-License-Identifier: BSD-3-Clause
! Images that stop while image 1 asks who has: the last one first, and each when the next one has.
! An image that a list names, or that IMAGE_STATUS says has stopped, is in each later list.
program stopping
  use, intrinsic :: iso_fortran_env
  implicit none
  integer, allocatable :: now(:), before(:)
  integer :: me, n, rounds, failures

  me = this_image()
  n = num_images()
  sync all
  if (me > 1) then
    do while (me < n)
      if (image_status(me + 1) == stat_stopped_image) exit
    end do
    stop
  end if
  failures = 0
  rounds = 0
  allocate (before(0))
  do while (size(before) < n - 1 .and. failures == 0)
    rounds = rounds + 1
    now = stopped_images()
    call expect(now, before)
    before = now
    if (image_status(n) == stat_stopped_image) call expect(stopped_images(), [n])
  end do
  if (failures == 0) print '(i0,a)', n - 1, " images stopped, and each list had those before it"
contains
  subroutine expect(list, wanted)
    integer, intent(in) :: list(:), wanted(:)
    integer :: i
    do i = 1, size(wanted)
      if (any(list == wanted(i))) cycle
      failures = failures + 1
      print '(a,i0,a,*(1x,i0))', "FAIL: image ", wanted(i), " has stopped, but the list has", list
    end do
  end subroutine
end program
