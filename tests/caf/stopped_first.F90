! SPDX-License-Identifier: BSD-3-Clause
!
! Each statement with stat= is the first one that learns of an image that has stopped, in a program
! that names none of the procedures for these (stopped.f90). Each has a team of its own, which has
! one image less than the one before; with an argument, that statement alone in the initial team.
! gfortran passes the stat= of end team from 16 on, and without one an image that is gone ends the
! job then.
#if __GNUC__ > 15
#define END_TEAM end team (stat=st)
#else
#define END_TEAM end team
#endif

module operations
  implicit none
contains
  pure function larger(a, b) result(c)
    integer, intent(in) :: a, b
    integer :: c
    c = max(a, b)
  end function
end module

program stopped_first
  use, intrinsic :: iso_fortran_env
  use operations
  implicit none
  integer, parameter :: cases = 7
  type(team_type) :: teams(cases)
  character(2) :: only
  integer :: i, st, learnt
  integer, allocatable :: kept[:], new(:)[:]
  learnt = 0
  call get_command_argument(1, only)
  if (only /= "") then
    read (only, *) i
    call learn(i)
  else
    do i = 1, cases
      form team (merge(1, 2, this_image() <= num_images() - i + 1), teams(i))
    end do
    do i = 1, min(cases, num_images() - 1)
      change team (teams(i))
        call learn(i)
      END_TEAM
    end do
  end if
  if (this_image() == 1) print '(i0,a)', learnt, " statements have learnt of an image that stopped"
contains
  subroutine learn(which)
    integer, intent(in) :: which
    integer :: one
    integer, allocatable :: many(:)
    character(20) :: text
    one = this_image()
    allocate (many(200000), source=one)
    text = "text"
    allocate (kept[*])
    sync all (stat=st)
    call expect(st == 0, "all have come", which)
    if (this_image() == num_images()) stop
    select case (which)
    case (1)
      allocate (new(10)[*], stat=st)
      call expect(.not. allocated(new), "it has no memory", which)
    case (2)
      deallocate (kept, stat=st)
    case (3)
      call co_sum(one, stat=st)
    case (4)
      call co_sum(many, stat=st)
    case (5)
      call co_broadcast(many, source_image=1, stat=st)
    case (6)
      call co_max(text, stat=st)
    case (7)
      call co_reduce(one, larger, stat=st)
    end select
    call expect(st == stat_stopped_image, "it learns of the image", which)
    if (which == 2) allocate (kept[*], stat=st)
    sync all (stat=st)
    call expect(st == stat_stopped_image, "and so does the next one", which)
    deallocate (kept, stat=st)
    call expect(st == stat_stopped_image .or. which == 2, "it is released", which)
    learnt = learnt + 1
  end subroutine
  subroutine expect(holds, what, which)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    integer, intent(in) :: which
    if (holds) return
    print '(2(a,i0),3a,i0)', "FAIL: image ", this_image(), ", statement ", which, ": ", what, &
      ": stat is ", st
    error stop
  end subroutine
end program
