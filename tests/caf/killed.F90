! SPDX-License-Identifier: BSD-3-Clause
! Images are killed one after the other, each while the others wait for it in another statement. For
! each of these the images that live form a team, so that they come to the statement as images do of
! which none is gone. Arguments: "all" or the name of one statement; "nostat" waits without stat=, in
! "host" the spared image is killed, in "each" all are. The second argument is an image that is not
! to be killed (it hosts a server), or 0.
!
! gfortran passes the stat= of form team, change team and end team from 16 on, and without one an
! image that is gone ends the job then.
#if __GNUC__ < 16
#define AND_STAT
#define ITS_STAT
#else
#define AND_STAT , stat=st
#define ITS_STAT (stat=st)
#endif
program killed
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
  character(len=12), parameter :: statements(*) = [character(len=12) :: "sync all", &
    "sync images", "event wait", "lock", "critical", "co_sum", "co_sum long", "co_broadcast", &
    "form team", "end team", "allocate", "deallocate", "compute", "apart"]
  integer :: x(4)[*], spared, me, n, i, ndead
  type(lock_type) :: lk[*], own[*]
  type(event_type) :: ev[*]
  integer(atomic_int_kind) :: counter[*]
  integer, allocatable :: dead(:)
  character(len=12) :: chosen, word

  call get_command_argument(1, chosen)
  call get_command_argument(2, word)
  read (word, *) spared
  me = this_image()
  n = num_images()
  x = me
  counter = 0
  ndead = 0
  allocate (dead(0))
  sync all
  if (chosen == "nostat") then
    if (me == n) call die(9)
    sync all
    error stop "went on without stat="
  else if (chosen == "host" .and. me == spared) then
    call die(9)
  else if (chosen == "each") then
    call die(9)
  end if
  do i = 1, size(statements)
    if (chosen /= "all" .and. chosen /= statements(i)) cycle
    call one(trim(statements(i)), merge(9, 11, mod(i, 2) == 1))
  end do
  call check(all(failed_images() == dead), "failed_images at the end")
  if (me == max(spared, 2)) print '(3(i0,a))', n - ndead, " of ", n, " images went on, ", failed, " checks failed"
  if (failed > 0) error stop "checks failed"
contains
  !> The last image of those that live dies in it.
  subroutine one(statement, signo)
    character(len=*), intent(in) :: statement
    integer, intent(in) :: signo
    type(team_type) :: living
    integer :: victim, here, st
    integer, allocatable :: list(:)
    victim = n
    do while (any(dead == victim) .or. victim == spared)
      victim = victim - 1
    end do
    form team (1, living AND_STAT)
    change team (living AND_STAT)
      here = num_images()
      ! the victim is not the last one of the team where a spared one is behind it
      if (victim < spared) here = here - 1
      call wait_for_it(statement, signo, here, me == victim, st)
      call check(st == stat_failed_image .or. any(statement == &
        [character(len=12) :: "lock", "critical", "compute"]), statement // " gives STAT_FAILED_IMAGE")
      call check(image_status(here) == stat_failed_image, statement // ": image_status")
      list = failed_images()
      call check(size(list) == 1, statement // ": failed_images of the team")
      sync all (stat=st)
      call check(st == stat_failed_image, statement // ": sync all behind it")
    end team ITS_STAT
    dead = pack([(i, i=1, n)], [(any(dead == i) .or. i == victim, i=1, n)])
    ndead = size(dead)
    list = failed_images()
    call check(size(list) == ndead, statement // ": number of images that have failed")
    if (size(list) == ndead) call check(all(list == dead), statement // ": which have failed")
    call check(x(2)[victim] == victim, statement // ": its memory is there")
    x(3)[victim] = me
    ! still a synchronisation of those that live
    call atomic_add(counter[1], 1)
    sync all (stat=st)
    call check(st == stat_failed_image, statement // ": sync all of the initial team")
    if (me == 1) call check(counter == n - ndead, statement // ": the others are synchronised")
    sync all (stat=st)
    if (me == 1) counter = 0
    sync all (stat=st)
    if (statement == "apart") call in_pairs(pack([(i, i=1, n)], [(all(dead /= i), i=1, n)]))
  end subroutine

  !> Images synchronise with each other as often as before, also those of which one has gone on
  !> without the other.
  subroutine in_pairs(living)
    integer, intent(in) :: living(:)
    integer :: k
    do k = 1, 3
      if (me == living(1)) then
        x(4) = k
        sync images (living(2:))
        sync images (living(2:))
      else
        sync images (living(1))
        call check(x(4)[living(1)] == k, "sync images behind one that gave STAT_FAILED_IMAGE")
        sync images (living(1))
      end if
    end do
  end subroutine

  subroutine wait_for_it(statement, signo, victim, dies, st)
    character(len=*), intent(in) :: statement
    integer, intent(in) :: signo, victim
    logical, intent(in) :: dies
    integer, intent(out) :: st
    integer, allocatable :: fresh(:)[:], long(:)
    type(team_type) :: inner
    integer :: k, others
    real :: r
    st = -1
    others = num_images() - 1
    select case (statement)
    case ("sync all")
      if (dies) call die(signo)
      sync all (stat=st)
    case ("sync images")
      if (dies) call die(signo)
      sync images (*, stat=st)
    case ("event wait")
      if (dies) call die(signo)
      if (this_image() == 1) call ask_others(victim)
      event wait (ev, stat=st)
    case ("lock")
      if (dies) lock (lk[1])
      if (dies) lock (own[1])
      sync all
      if (dies) call die(signo)
      lock (lk[1], stat=st)
      call check(st == 0, "the lock of an image that was killed")
      x(1)[1] = x(1)[1] + 1
      unlock (lk[1])
      unlock (own[1], stat=st)  ! stat_unlocked, which gfortran has as 0
      call check(st == 0, "unlock of the lock of an image that was killed")
    case ("critical")
      critical
        if (dies) call die(signo)
        st = 0
      end critical
      call wait_until_dead(victim)
    case ("co_sum")
      if (dies) call die(signo)
      k = this_image()
      call co_sum(k, stat=st)
    case ("co_sum long")
      if (dies) call die(signo)
      allocate (long(100000), source=1)
      call co_sum(long, stat=st)
    case ("co_broadcast")
      if (dies) call die(signo)
      k = 1
      call co_broadcast(k, victim, stat=st)
    case ("form team")
      if (dies) call die(signo)
      form team (1, inner AND_STAT)
      change team (inner AND_STAT)
        call check(num_images() == others, "the team of those that live")
        k = 1
        call co_sum(k, stat=st)
        call check(st == 0 .and. k == others, "co_sum in the team of those that live")
      end team ITS_STAT
      st = stat_failed_image
    case ("end team")
      form team (1, inner AND_STAT)
      change team (inner AND_STAT)
        allocate (fresh(1000)[*])
        if (dies) call die(signo)
      end team ITS_STAT
      call check(.not. allocated(fresh), "a coarray of a team that has ended")
      st = stat_failed_image
    case ("allocate")
      if (dies) call die(signo)
      allocate (fresh(1000)[*], stat=st)
      call check(.not. allocated(fresh), "an array that not all could allocate")
    case ("deallocate")
      allocate (fresh(1000)[*])
      if (dies) call die(signo)
      deallocate (fresh, stat=st)
    case ("compute")
      if (dies) call die(signo)
      r = 0
      do while (image_status(victim) == 0)
        r = r + sqrt(real(this_image()))
      end do
      call check(r >= 0, "computed")
    case ("apart")
      ! one learns of it by another statement, and does not come to this one
      if (dies) call die(signo)
      if (this_image() > 1) then
        sync images (1, stat=st)
      else
        call wait_until_dead(victim)
        st = stat_failed_image
      end if
    end select
  end subroutine

  !> Of the victim while it lives, mostly; what others say later tells nothing of its death.
  subroutine ask_others(victim)
    integer, intent(in) :: victim
    integer :: k, st
    integer, allocatable :: list(:)
    integer(c_int) :: ignored
    st = image_status(victim)
    ignored = usleep(200000)
    list = stopped_images()
    do k = 1, num_images()
      if (k /= victim) st = image_status(k)
    end do
    call check(size(list) == 0 .and. st == 0, "nothing of images that live")
  end subroutine

  subroutine wait_until_dead(victim)
    integer, intent(in) :: victim
    integer(c_int) :: ignored
    do while (image_status(victim) == 0)
      ignored = usleep(1000)
    end do
  end subroutine

  !> When the others wait, mostly.
  subroutine die(signo)
    integer, intent(in) :: signo
    integer(c_int) :: ignored
    ignored = usleep(20000)
    ignored = raise(signo)
    ignored = usleep(10000000)
  end subroutine
end program
