! SPDX-License-Identifier: BSD-3-Clause
! Images that fail or stop while the others go on. The last image ends as the argument says: "fail",
! "stop", "team", where it fails in a team of its own, or "none", where the others ask for no stat;
! with "post" they do not in a post to it.
program gone
  use iso_fortran_env
  use checks
  implicit none
  integer :: x(3)[*], me, n, last, st, i, v
  integer, allocatable :: list(:), kinds(:)
  integer(16), allocatable :: wide(:)
  type(lock_type) :: lk[*], kept[*]
  type(event_type) :: ev[*]
  type(team_type) :: apart
  character(len=8) :: how
  character(len=60) :: msg
  integer :: code

  call get_command_argument(1, how)
  me = this_image()
  n = num_images()
  last = n
  code = merge(stat_stopped_image, stat_failed_image, how == "stop")
  x = me
  form team (merge(2, 1, me == last), apart)
  sync all (stat=st)
  call check(st == 0, "all are there")
  call check(image_status(last) == 0 .or. me /= 1, "image_status of a running image")
  list = failed_images()
  call check(size(list) == 0, "no failed image")
  sync all
  if (how == "team") then
    change team (apart)
      if (me == last) call the_end()
    end team
  else
    sync images (*)
    if (me == last) call the_end()
  end if
  if (how == "none") then
    do
      sync all
    end do
  end if

  ! the others
  do
    sync all (stat=st, errmsg=msg)
    if (st /= 0) exit
  end do
  call check(st == code .and. msg /= "", "sync all: " // trim(msg))
  sync all (stat=st)
  call check(st == code, "sync all again")
  call check(image_status(last) == code .and. image_status(me) == 0, "image_status")
  list = failed_images()
  kinds = stopped_images()
  if (how == "stop") list = stopped_images()
  call check(size(list) == 1, "list of the images")
  if (size(list) == 1) call check(list(1) == last, "image in the list")
  wide = failed_images(kind=16)
  if (how == "stop") wide = stopped_images(kind=16)
  call check(all(wide == last), "image in a list of the widest kind")
  call check(size(kinds) == merge(1, 0, how == "stop"), "stopped_images")
  v = x(2)[last]
  call check(v == last, "its memory is there")
  v = x(2)[last, stat=st]
  call check(v == last .and. st == merge(0, code, how == "stop"), "stat= of an element")
  v = sum(x(2:2)[last, stat=st])
  call check(v == last .and. st == merge(0, code, how == "stop"), "stat= of a section")
  v = x(2)[me, stat=st]
  call check(v == me .and. st == 0, "stat= of an image that runs")
  call atomic_ref(v, x(2)[last], st)
  call check(v == last .and. st == merge(0, code, how == "stop"), "atomic_ref")
  event post (ev[last], stat=st)
  call check(st == merge(0, code, how == "stop"), "event post")
  if (how == "post") event post (ev[last])
  x(3)[last] = me
  if (how /= "stop") then
    lock (lk[last], stat=st, errmsg=msg)
    call check(st == code .and. index(msg, "has failed") > 0, "a lock of its own: " // trim(msg))
    unlock (lk[last], stat=st)
    call check(st == code, "unlock there")
    lock (lk[1], stat=st)
    call check(st == 0, "the lock that it held")
    i = x(1)[1]
    x(1)[1] = i + 1
    unlock (lk[1])
  end if
  lock (kept[1], stat=st, errmsg=msg)
  if (how == "stop") then
    call check(st == code .and. index(msg, "has locked the variable, has stopped") > 0, &
               "the lock that it has still")
  else
    unlock (kept[1], stat=st)
  end if
  sync images (last, stat=st)
  call check(st == code, "sync images")
  i = me
  call co_sum(i, stat=st)
  call check(st == code, "co_sum")
  call co_broadcast(i, 1, stat=st)
  call check(st == code, "co_broadcast")
  if (me == 1) then
    sync images ([(i, i=2,n-1)])
    if (how /= "stop") call check(x(1) == n, "updates under the lock")
    event wait (ev, stat=st, errmsg=msg)  ! all others are about to end
    call check(st == code .and. index(msg, "no other image") > 0, "event wait of the last one")
    print '(3(i0,a))', n - 1, " images went on, ", failed, " failed"
  else
    sync images (1)
  end if
  if (failed > 0) error stop "checks failed"
contains
  subroutine the_end()
    lock (lk[1])
    lock (kept[1])
    if (how == "stop") then
      unlock (lk[1])
      stop
    end if
    fail image
  end subroutine
end program
