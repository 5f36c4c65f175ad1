! SPDX-License-Identifier: BSD-3-Clause
! Counts how often each key occurs, in a table that is spread over all images. The image of a key
! follows from the key; a place in that image's part is claimed by atomic_cas and counted up by
! atomic_add, so images insert at the same time without a lock. Events tell the image of a part that
! another image has inserted all of its keys.
program table
  use, intrinsic :: iso_fortran_env
  implicit none
  integer, parameter :: no_key = 0
  integer(atomic_int_kind), allocatable :: keys(:)[:], counts(:)[:]
  type(event_type) :: finished[*]
  integer(int64) :: t0, t1, rate
  real(real64) :: seconds
  integer :: me, n, each, places, nkeys, i, entries, total, wrong
  logical :: correct

  me = this_image()
  n = num_images()
  each = keys_wanted()
  nkeys = max(each * n / 2, 1)  ! so many different ones there may be, as 1 to nkeys
  places = 2 * (nkeys / n) + 64
  allocate (keys(0:places - 1)[*], counts(0:places - 1)[*])
  keys = no_key
  counts = 0
  sync all
  call system_clock(t0, rate)
  do i = 1, each
    call insert(key_of(me, i))
  end do
  call everyone_has_inserted()
  call system_clock(t1)
  seconds = max(real(t1 - t0, real64) / rate, 1e-9_real64)

  entries = count(keys /= no_key)
  total = sum(int(counts))
  wrong = wrong_counts()
  call co_sum(entries, result_image=1)
  call co_sum(total, result_image=1)
  call co_sum(wrong, result_image=1)
  if (me == 1) then
    correct = total == each * n .and. wrong == 0
    print '(i0,a,i0,a,i0,a)', total, " keys, ", entries, " different ones, ", wrong, " wrong counts"
    print '(a,i0,a,a,a,f0.6,a,f0.3,a)', "RESULT program=caf-hash-table pes=", n, " verified=", &
      trim(merge("yes", "no ", correct)), " seconds=", seconds, " rate=", &
      real(each, real64) * n / seconds / 1e6_real64, " unit=Mkey/s"
    if (.not. correct) print '(a)', "FAILED"
    if (.not. correct) error stop 1
  end if
  sync all
contains
  !> The place of a key is the first one from its own on that has it or is free.
  subroutine insert(key)
    integer, intent(in) :: key
    integer(atomic_int_kind) :: before
    integer :: image, place
    image = image_of(key)
    place = place_of(key)
    do
      call atomic_cas(keys(place)[image], before, no_key, key)
      if (before == no_key .or. before == key) exit
      place = mod(place + 1, places)
    end do
    call atomic_add(counts(place)[image], 1)
  end subroutine

  !> Image i's keys are in this image's part once it has posted here: events order what precedes.
  subroutine everyone_has_inserted()
    integer :: k
    do k = 1, n - 1
      event post (finished[1 + mod(me + k - 1, n)])
    end do
    if (n > 1) event wait (finished, until_count=n - 1)
  end subroutine

  !> The keys of all images once more, those of this part counted by a plain array.
  integer function wrong_counts()
    integer, allocatable :: expected(:)
    integer :: image, k, key
    allocate (expected(nkeys))
    expected = 0
    do image = 1, n
      do k = 1, each
        key = key_of(image, k)
        if (image_of(key) == me) expected(key) = expected(key) + 1
      end do
    end do
    wrong_counts = 0
    do k = 0, places - 1
      if (keys(k) == no_key) cycle
      if (counts(k) /= expected(keys(k))) wrong_counts = wrong_counts + 1
      expected(keys(k)) = 0
    end do
    wrong_counts = wrong_counts + count(expected /= 0)
  end function

  pure integer function image_of(key)
    integer, intent(in) :: key
    image_of = 1 + mod(key, n)
  end function

  pure integer function place_of(key)
    integer, intent(in) :: key
    place_of = int(mod(scrambled(int(key, int64)), int(places, int64)))
  end function

  !> The k-th key of an image.
  pure integer function key_of(image, k)
    integer, intent(in) :: image, k
    key_of = 1 + int(mod(scrambled(int(image, int64) * 2**20 + k), int(nkeys, int64)))
  end function

  !> A number that is not negative, from two steps of a multiplier and an exchange of halves.
  pure integer(int64) function scrambled(x)
    integer(int64), intent(in) :: x
    integer(int64) :: y
    integer :: k
    y = iand(x, 2_int64**31 - 1)
    do k = 1, 2
      y = iand(y * 1103515245_int64 + 12345_int64, 2_int64**31 - 1)
      y = ieor(y, ishft(y, -16))
    end do
    scrambled = y
  end function

  !> The first argument.
  integer function keys_wanted()
    character(len=20) :: word
    integer :: stat
    keys_wanted = 20000
    if (command_argument_count() == 0) return
    call get_command_argument(1, word)
    read (word, *, iostat=stat) keys_wanted
    if (stat == 0 .and. keys_wanted > 0 .and. keys_wanted <= 100000) return
    if (this_image() == 1) write (error_unit, '(a)') "usage: table [keys of an image, 1 to 100000]"
    sync all  ! so that the line is out before the job ends
    error stop 2
  end function
end program
