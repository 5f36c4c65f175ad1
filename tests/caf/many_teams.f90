! SPDX-License-Identifier: BSD-3-Clause
! A team is formed many times, each time with another number; then an image is killed, and the
! others still wait for each other in the initial team, whichever team was the last one. Argument: how
! many times.
program many_teams
  use, intrinsic :: iso_fortran_env
  use, intrinsic :: iso_c_binding
  use checks
  implicit none
  interface
    integer(c_int) function usleep(us) bind(c)
      import
      integer(c_int), value :: us
    end function
    integer(c_int) function raise(signo) bind(c)
      import
      integer(c_int), value :: signo
    end function
  end interface
  type(team_type) :: team
  integer :: come[*], i, n, st
  integer(c_int) :: ignored
  character(len=12) :: word

  call get_command_argument(1, word)
  read (word, *) n
  come = 0
  sync all
  do i = 1, n
    form team (i, team)
    change team (team)
      call check(num_images() == 3, "the team")
    end team
  end do
  if (this_image() == 3) ignored = raise(9)
  do while (image_status(3) == 0)
    ignored = usleep(1000)
  end do
  if (this_image() == 2) then
    ignored = usleep(200000)
    come = 1
  end if
  sync all (stat=st)
  call check(st == stat_failed_image, "sync all")
  call check(come[2] == 1, "waits for the other image")
  sync all (stat=st)
  if (this_image() == 1) print '(a,i0,a)', "went on, ", failed, " checks failed"
  if (failed > 0) error stop "checks failed"
end program
