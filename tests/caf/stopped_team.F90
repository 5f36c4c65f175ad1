! SPDX-License-Identifier: BSD-3-Clause
!
! Images that stop, and teams, in a program that names none of the procedures for these
! (stopped.f90). An image that learns of one in a team of these two meets others, which have not
! learnt of it, in a team without it. There an image comes to synchronisations from a team of its
! own, before another one stops.
! gfortran passes the stat= of end team from 16 on, and without one an image that is gone ends the
! job then.
#if __GNUC__ > 15
#define END_TEAM end team (stat=st)
#else
#define END_TEAM end team
#endif

program stopped_team
  use, intrinsic :: iso_fortran_env
  implicit none
  type(team_type) :: pair, left, alone
  integer :: i, st, me, last, total
  me = this_image()
  last = num_images()
  form team (merge(1, 2, me == 1 .or. me == last), pair)
  form team (merge(1, 2, me < last), left)
  change team (pair)
    if (me == last) stop
    sync all (stat=st)
    call expect(st == merge(stat_stopped_image, 0, me == 1), "only the pair learns of it")
  END_TEAM
  change team (left)
    do i = 1, 20
      total = i
      call co_sum(total)
      call expect(total == i * (last - 1), "those that are left add")
      sync all
      call co_sum(total, stat=st)
      call expect(st == 0 .and. total == i * (last - 1)**2, "and add again")
    end do
    form team (me, alone)
    do i = 1, 3
      if (me == 1) then
        change team (alone)
          sync team (left)
        END_TEAM
      else
        sync all (stat=st)
        call expect(st == 0, "one has come from a team of its own")
      end if
    end do
    if (me > 1 .and. me == last - 1) stop
    sync all (stat=st)
    call expect(st == merge(stat_stopped_image, 0, last > 2), "those that are left learn of it")
  END_TEAM
  sync all (stat=st)
  call expect(st == stat_stopped_image, "and in the initial team")
  if (me == 1) print '(a)', "images of teams stopped"
contains
  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    print '(a,i0,3a,i0)', "FAIL: image ", me, ": ", what, ": stat is ", st
    error stop
  end subroutine
end program
