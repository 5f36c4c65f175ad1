! SPDX-License-Identifier: BSD-3-Clause
! Teams: form, change, end, sync; numbers of images; coarrays allocated in teams and before;
! collectives, events and locks of a team; teams of teams; formed again and again; what is of all
! images in any team: critical constructs, and the sequences of random_init.
program teams
  use iso_fortran_env
  use checks
  implicit none
  type(team_type) :: halves, quarters, again
  integer :: x(2)[*]
  type(lock_type) :: lk[*]
  integer, allocatable :: inside(:)[:], after(:)[:]
  type(event_type), allocatable :: events(:)[:]
  type(lock_type), allocatable :: locks(:)[:]
  logical, external :: ancestors
  integer :: me, n, half, i, s, me2, n2, round

  me = this_image()
  n = num_images()
  half = 1 + mod(me - 1, 2)
  x = 0
  call check(team_number() == -1, "number of the initial team")
  form team (half, halves)
  call check(team_number(halves) == half, "number of a formed team")
  sync team (halves)
  change team (halves)
    me2 = this_image()
    n2 = num_images()
    call check(n2 == (n + 2 - half) / 2 .and. me2 == (me + 1) / 2, "numbers in a team")
    call check(team_number() == half, "number of the current team")
    s = me
    call co_sum(s)
    call check(s == sum([(i, i=half, n, 2)]), "co_sum of a team")
    x(1)[mod(me2, n2) + 1] = me
    sync all
    call check(x(1) == merge(me - 2, me - 2 + 2 * n2, me > 2), "put in a team")
    if (half == 1) then  ! the teams allocate differently
      allocate (inside(1000)[*])
    else
      allocate (inside(10)[*])
    end if
    inside = me2
    sync all
    inside(3)[mod(me2, n2) + 1] = -me
    sync images (*)
    call check(inside(3) == -merge(me - 2, me - 2 + 2 * n2, me > 2), "coarray of a team")
    lock (lk[1])
    i = x(2)[1]
    x(2)[1] = i + 1
    unlock (lk[1])
    sync all
    if (me2 == 1) call check(x(2) == n2, "lock of a team")
    form team (this_image(), quarters)
    change team (quarters)
      call check(num_images() == 1 .and. this_image() == 1, "a team of one")
      call check(ancestors(me2, n), "ancestors")
      sync all
    end team
    deallocate (inside)
    if (half == 1) allocate (after(7)[*])
    if (half == 2) allocate (after(70000)[*])
    allocate (events(half)[*], locks(half)[*])
  end team
  call check(this_image() == me .and. num_images() == n, "back")
  call check(.not. allocated(after), "released by the end of the team")
  call check(.not. (allocated(events) .or. allocated(locks)), "events and locks of the team")
  x = 0
  sync all
  if (me == half) x(2)[1, team=halves] = 10 + me
  sync all
  if (me <= 2) call check(x(2) == 10 + me, "put into a team that is not the current one")
  allocate (inside(5)[*])  ! where no two images need have room at one place
  inside = 0
  sync all
  inside(2)[mod(me, n) + 1] = me
  sync all
  call check(inside(2) == merge(me - 1, n, me > 1), "coarray behind teams")
  do round = 1, 1100  ! more than there can be teams at a time
    form team (1 + mod(me + round, 2), again)
  end do
  change team (again)
    s = 1
    call co_sum(s)
    call check(s == num_images(), "the last of many")
  end team
  call all_images()
  call finish_checks()
contains
  !> Image 2 is in the construct while `busy` is not 0 in image 1, which is of another team.
  subroutine all_images()
    integer(atomic_int_kind), save :: busy[*] = 0
    real, save :: drawn(4)[*]
    type(team_type) :: whole, parts
    real :: numbers(4)
    logical :: alone
    alone = .true.
    form team (1, whole)
    change team (whole)
      form team (1 + mod(me - 1, 2), parts)
      change team (parts)
        do round = 1, 20
          critical
            if (me == 2) busy[1, team=whole] = 1
            if (me <= 2) alone = stays_free(busy) .and. alone
            if (me == 2) busy[1, team=whole] = 0
          end critical
        end do
        call random_init(.true., .true.)
        call random_number(numbers)
      end team
    end team
    call check(alone, "a critical construct excludes images of other teams")
    drawn = numbers
    sync all
    do i = 1, n
      if (i /= me) call check(any(drawn(:)[i] /= numbers), "distinct sequences in teams")
    end do
  end subroutine

  !> For a millisecond; of image 2, which does not look, it only waits.
  logical function stays_free(busy)
    integer(atomic_int_kind), intent(in) :: busy[*]
    integer(int64) :: now, end, rate
    integer :: value
    stays_free = .true.
    call system_clock(now, rate)
    end = now + rate / 1000
    do while (now < end)
      call atomic_ref(value, busy)
      stays_free = stays_free .and. value == 0
      call system_clock(now)
    end do
  end function
end program
