! SPDX-License-Identifier: BSD-3-Clause
!
! Images that wait for ever, by the first argument; the test finds lines by their comments.
program waiting
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env
  implicit none
  interface
    integer(c_int) function sleep(seconds) bind(c)
      import c_int
      integer(c_int), value :: seconds
    end function
  end interface
  type(lock_type) :: lk[*]
  type(event_type) :: ev[*]
  integer(c_int) :: left
  integer :: me
  character(len=20) :: what

  call get_command_argument(1, what)
  me = this_image()
  select case (what)
  case ("locks")
    if (me < 3) lock (lk[me])
    sync all
    if (me < 3) lock (lk[3 - me])  ! never given
    left = sleep(30_c_int)
    print *, "FAIL: the job went on"
  case ("missing")
    if (me == 3) event wait (ev)  ! never posted
    sync all  ! never left
  case ("partners")
    if (me == 1) sync images (2)  ! without image 2
    if (me == 2) sync images (3)  ! without image 3
    if (me == 3) then
      event post (ev)
      event wait (ev, until_count=2)  ! posted once
    end if
  case ("behind")
    if (me == 2) lock (lk[2])
    sync all
    if (me /= 2) lock (lk[2])  ! the queue
    if (me == 2) event wait (ev)  ! with the lock
  case ("gone")
    if (me < 3) sync all  ! for an image that has ended
  end select
end program
