! SPDX-License-Identifier: BSD-3-Clause
! Images are killed one after the other, each while the others wait for it in another procedure. For
! each of these the images that live form a team. Arguments: "all" or the name of one, "nostat" waits
! without stat; and an image that is not to be killed (it may host a server).
program killed
  use checks
  implicit none
  interface
    integer(c_int) function usleep(us) bind(c)
      import c_int
      integer(c_int), value :: us
    end function
    integer(c_int) function raise(signo) bind(c)
      import c_int
      integer(c_int), value :: signo
    end function
  end interface
  character(len=12), parameter :: statements(*) = [character(len=12) :: "sync_all", &
    "sync_images", "sync_team", "event_wait", "notify_wait", "lock", "critical", "co_sum", &
    "co_sum long", "co_broadcast", "form_team", "end_team", "allocate", "deallocate", "compute"]
  type(prif_coarray_handle) :: x, locks, events, notes, crit, counts
  type(c_ptr) :: memory, event_word, note_word
  integer(c_int64_t), pointer :: mine(:), count
  type(prif_lock_type), pointer :: lock
  type(prif_event_type), pointer :: event
  type(prif_notify_type), pointer :: note
  type(prif_critical_type), pointer :: critical
  integer(c_int), allocatable :: dead(:)
  integer(c_int) :: spared, i
  character(len=12) :: chosen, word

  call start()
  call get_command_argument(1, chosen)
  call get_command_argument(2, word)
  read (word, *) spared
  call allocate_bytes(24_c_size_t, x, memory)
  call c_f_pointer(memory, mine, [3])
  mine = me
  call allocate_bytes(8_c_size_t, counts, memory)
  call c_f_pointer(memory, count)
  count = 0
  call allocate_bytes(16_c_size_t, locks, memory)
  call c_f_pointer(memory, lock)
  lock = prif_lock_type()
  call allocate_bytes(16_c_size_t, events, event_word)
  call c_f_pointer(event_word, event)
  event = prif_event_type()
  call allocate_bytes(16_c_size_t, notes, note_word)
  call c_f_pointer(note_word, note)
  note = prif_notify_type()
  call allocate_bytes(int(storage_size(critical) / 8, c_size_t), crit, memory)
  call c_f_pointer(memory, critical)
  critical = prif_critical_type()
  allocate (dead(0))
  call prif_sync_all()
  if (chosen == "nostat") then
    if (me == n) call die(9)
    call prif_sync_all()
    error stop "went on without stat"
  end if
  do i = 1, size(statements)
    if (chosen == "all" .or. chosen == statements(i)) &
      call one(trim(statements(i)), merge(9, 11, mod(i, 2) == 1))
  end do
  call check(all(of_failed() == dead), "prif_failed_images at the end")
  if (me == spared) &
    print '(3(i0,a))', n - size(dead), " of ", n, " images went on, ", failed, " checks failed"
  if (failed > 0) call prif_error_stop(.false._c_bool, stop_code_char="checks failed")
  call prif_stop(.true._c_bool)
contains
  function of_failed() result(list)
    integer(c_int), allocatable :: list(:)
    call prif_failed_images(failed_images=list)
  end function

  integer(c_int) function status_of(image)
    integer(c_int), intent(in) :: image
    call prif_image_status(image, image_status=status_of)
  end function

  !> The last image of those that live dies in it.
  subroutine one(statement, signo)
    character(len=*), intent(in) :: statement
    integer, intent(in) :: signo
    type(prif_team_type) :: living
    integer(c_int) :: victim, here, st, k
    integer(c_int), allocatable :: list(:)
    integer(c_int64_t), target :: value
    character(len=200) :: errmsg
    victim = n
    do while (any(dead == victim) .or. victim == spared)
      victim = victim - 1
    end do
    call prif_form_team(1_c_int64_t, living, stat=st)
    call prif_change_team(living, st)
    call check(st == 0, statement // ": prif_change_team")
    call prif_num_images(here)
    ! the victim is not the last one of the team where a spared one is behind it
    if (victim < spared) here = here - 1
    call wait_for_it(statement, signo, living, here, me == victim, st)
    call check(st == PRIF_STAT_FAILED_IMAGE .or. any(statement == &
      [character(len=12) :: "lock", "critical", "compute"]), statement // " gives the code")
    call check(status_of(here) == PRIF_STAT_FAILED_IMAGE, statement // ": prif_image_status")
    list = of_failed()
    call check(size(list) == 1, statement // ": prif_failed_images of the team")
    errmsg = ""
    call prif_sync_all(st, errmsg)
    call check(st == PRIF_STAT_FAILED_IMAGE .and. index(errmsg, "was killed by signal") > 0, &
               statement // ": prif_sync_all behind it: " // errmsg)
    call prif_end_team(st)
    call check(st == PRIF_STAT_FAILED_IMAGE, statement // ": prif_end_team")
    dead = pack([(k, k=1, n)], [(any(dead == k) .or. k == victim, k=1, n)])
    list = of_failed()
    call check(size(list) == size(dead), statement // ": number of images that have failed")
    if (size(list) == size(dead)) call check(all(list == dead), statement // ": which have failed")
    call prif_get(victim, x, 8_c_size_t, c_loc(value), 8_c_size_t, st)
    call check(st == PRIF_STAT_FAILED_IMAGE .and. value == victim, &
               statement // ": its memory is there")
    value = me
    call prif_put(victim, x, 16_c_size_t, c_loc(value), 8_c_size_t)
    ! still a synchronisation of those that live
    call prif_atomic_add(1_c_int, counts, 0_c_size_t, 1_c_int64_t)
    call prif_sync_all(st)
    call check(st == PRIF_STAT_FAILED_IMAGE, statement // ": prif_sync_all of the initial team")
    if (me == 1) call check(count == n - size(dead), statement // ": the others are synchronised")
    call prif_sync_all(st)
    if (me == 1) count = 0
    call prif_sync_all(st)
  end subroutine

  subroutine wait_for_it(statement, signo, team, victim, dies, st)
    character(len=*), intent(in) :: statement
    integer, intent(in) :: signo
    type(prif_team_type), intent(in) :: team
    integer(c_int), intent(in) :: victim
    logical, intent(in) :: dies
    integer(c_int), intent(out) :: st
    type(prif_coarray_handle) :: fresh
    type(prif_team_type) :: inner
    type(c_ptr) :: fresh_memory
    integer(c_int), allocatable, target :: long(:)
    integer(c_int) :: k, others, width
    st = -1
    call prif_num_images(others)
    others = others - 1
    select case (statement)
    case ("sync_all")
      if (dies) call die(signo)
      call prif_sync_all(st)
    case ("sync_images")
      if (dies) call die(signo)
      call prif_sync_images(stat=st)
    case ("sync_team")
      if (dies) call die(signo)
      call prif_sync_team(team, st)
    case ("event_wait")
      if (dies) call die(9)  ! at once: signal 11 writes stacks first
      call prif_this_image_no_coarray(this_image=k)
      if (k == 1) call ask_others(victim)
      call prif_event_wait(event_word, stat=st)
    case ("notify_wait")
      if (dies) call die(signo)
      call prif_notify_wait(note_word, stat=st)
    case ("lock")
      if (dies) call prif_lock(1_c_int, locks, 0_c_size_t)
      call prif_sync_all()
      if (dies) call die(signo)
      call prif_lock(1_c_int, locks, 0_c_size_t, stat=st)
      call check(st == 0, "the lock of an image that was killed")
      call prif_unlock(1_c_int, locks, 0_c_size_t)
    case ("critical")
      call prif_critical(crit, st)
      if (dies) call die(signo)
      call prif_end_critical(crit)
      call wait_until_dead(victim)
    case ("co_sum")
      if (dies) call die(signo)
      k = 1
      call prif_co_sum(k, stat=st)
    case ("co_sum long")
      if (dies) call die(signo)
      allocate (long(100000), source=1_c_int)
      call prif_co_sum(long, stat=st)
    case ("co_broadcast")
      if (dies) call die(signo)
      k = 1
      call prif_co_broadcast(k, victim, st)
    case ("form_team")
      if (dies) call die(signo)
      call prif_form_team(1_c_int64_t, inner, stat=st)
      call prif_change_team(inner)
      call prif_num_images(width)
      call check(width == others, "the team of those that live")
      k = 1
      call prif_co_sum(k, stat=width)
      call check(width == 0 .and. k == others, "prif_co_sum in the team of those that live")
      call prif_end_team()
    case ("end_team")
      call prif_form_team(1_c_int64_t, inner)
      call prif_change_team(inner)
      if (dies) call die(signo)
      call prif_end_team(st)
    case ("allocate")
      if (dies) call die(signo)
      call prif_allocate_coarray([1_c_int64_t], [int(others + 1, c_int64_t)], 8000_c_size_t, &
                                 no_cleanup, fresh, fresh_memory, st)
    case ("deallocate")
      call prif_allocate_coarray([1_c_int64_t], [int(others + 1, c_int64_t)], 8000_c_size_t, &
                                 no_cleanup, fresh, fresh_memory)
      if (dies) call die(signo)
      call prif_deallocate_coarray(fresh, st)
    case ("compute")
      if (dies) call die(signo)
      call wait_until_dead(victim)
    end select
  end subroutine

  !> Of the victim while it lives, mostly; what others say later tells nothing of its death.
  subroutine ask_others(victim)
    integer(c_int), intent(in) :: victim
    integer(c_int) :: k, width, st, ignored
    integer(c_int), allocatable :: list(:)
    st = status_of(victim)
    ignored = usleep(200000_c_int)
    call prif_stopped_images(stopped_images=list)
    call prif_num_images(width)
    do k = 1, width
      if (k /= victim) st = status_of(k)
    end do
    call check(size(list) == 0 .and. st == 0, "nothing of images that live")
  end subroutine

  subroutine wait_until_dead(victim)
    integer(c_int), intent(in) :: victim
    integer(c_int) :: ignored
    do while (status_of(victim) == 0)
      ignored = usleep(1000_c_int)
    end do
  end subroutine

  !> When the others wait, mostly.
  subroutine die(signo)
    integer, intent(in) :: signo
    integer(c_int) :: ignored
    ignored = usleep(20000_c_int)
    ignored = raise(int(signo, c_int))
    ignored = usleep(10000000_c_int)
  end subroutine
end program
