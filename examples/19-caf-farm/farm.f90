! SPDX-License-Identifier: BSD-3-Clause
! Tasks that images take one by one, from a counter in image 1, which keeps who has taken which, and
! the results. The last of three or more images fails in the middle of its third task, or image 2 is
! killed there; image 1 finds what is left and does that itself, so the sum of all is right.
program farm
  use, intrinsic :: iso_c_binding, only: c_int
  use, intrinsic :: iso_fortran_env
  implicit none
  interface
    integer(c_int) function c_raise(signal) bind(c, name="raise")
      import
      integer(c_int), value :: signal
    end function
  end interface
  integer(atomic_int_kind) :: next[*]
  integer(atomic_int_kind), allocatable :: done(:)[:]
  integer, allocatable :: taken(:)[:]
  real(real64), allocatable :: value(:)[:]
  integer(int64) :: t0, t1, rate
  real(real64) :: seconds, right
  integer :: me, n, ntasks, mine, i, lost, st
  logical :: correct, killed

  me = this_image()
  n = num_images()
  call read_arguments(ntasks, killed)
  allocate (done(ntasks)[*], taken(ntasks)[*], value(ntasks)[*])
  next = 1
  done = 0
  taken = 0
  value = 0
  lost = 0
  sync all
  call system_clock(t0, rate)
  if (me > 1 .or. n == 1) call work()
  if (me == 1) call look_after()
  call system_clock(t1)
  seconds = max(real(t1 - t0, real64) / rate, 1e-9_real64)
  if (me == 1) then
    right = 0
    do i = 1, ntasks
      right = right + result_of(i)
    end do
    correct = abs(sum(value) - right) < 1e-9_real64 * abs(right)
    print '(i0,a,i0,a)', ntasks, " tasks, image 1 did ", lost, " of an image that failed"
    print '(a,i0,a,a,a,f0.6,a,f0.3,a)', "RESULT program=caf-farm pes=", n, " verified=", &
      trim(merge("yes", "no ", correct)), " seconds=", seconds, " rate=", &
      ntasks / seconds, " unit=task/s"
    if (.not. correct) print '(a)', "FAILED"
    if (.not. correct) error stop 1
  end if
  sync all (stat=st)
contains
  !> Takes tasks until there is none.
  subroutine work()
    integer :: nmine
    nmine = 0
    do
      call atomic_fetch_add(next[1], 1, mine)
      if (mine > ntasks) exit
      taken(mine)[1] = me
      nmine = nmine + 1
      if (n > 2 .and. me == merge(2, n, killed) .and. nmine == 3) call fail()
      value(mine)[1] = result_of(mine)
      sync memory  ! the value is there before it is said to be
      call atomic_define(done(mine)[1], 1)
    end do
  end subroutine

  !> As a crash does, or the system when it has no memory left; or by the statement.
  subroutine fail()
    integer(c_int), parameter :: sigkill = 9
    integer(c_int) :: ignored
    if (killed) ignored = c_raise(sigkill)
    fail image
  end subroutine

  !> Image 1: until all tasks are done. One that an image has taken and left is done here; so is one
  !> that an image may have taken, if it failed before it could say so.
  subroutine look_after()
    integer(atomic_int_kind) :: state, given
    integer :: k, nleft
    nleft = 1
    do while (nleft > 0)
      sync memory
      nleft = 0
      call atomic_ref(given, next)
      do k = 1, ntasks
        call atomic_ref(state, done(k))
        if (state == 1) cycle
        nleft = nleft + 1
        if (given <= ntasks .or. .not. is_left(taken(k))) cycle
        value(k) = result_of(k)
        call atomic_define(done(k), 1)
        lost = lost + 1
      end do
    end do
  end subroutine

  logical function is_left(image)
    integer, intent(in) :: image
    if (image == 0) then
      is_left = size(failed_images()) > 0
    else
      is_left = image_status(image) == stat_failed_image
    end if
  end function

  !> Some work: a partial sum of the series of the zeta function.
  pure real(real64) function result_of(task)
    integer, intent(in) :: task
    integer :: k
    result_of = 0
    do k = 1, 20000
      result_of = result_of + 1 / (real(k, real64) + task)**2
    end do
  end function

  !> How many tasks, and the word "killed" or none.
  subroutine read_arguments(tasks, killed)
    integer, intent(out) :: tasks
    logical, intent(out) :: killed
    character(len=20) :: word
    integer :: stat
    tasks = 1000
    call get_command_argument(2, word)
    killed = word == "killed"
    stat = merge(0, 1, killed .or. word == "")
    call get_command_argument(1, word)
    if (stat == 0 .and. word /= "") read (word, *, iostat=stat) tasks
    if (stat == 0 .and. tasks >= 100) return
    if (this_image() == 1) write (error_unit, '(a)') "usage: farm [tasks, 100 or more [killed]]"
    sync all  ! so that the line is out before the job ends
    error stop 2
  end subroutine
end program
