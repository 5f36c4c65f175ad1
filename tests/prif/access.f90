! SPDX-License-Identifier: BSD-3-Clause
! Coarrays: allocation, aliases, queries; puts and gets to them and to addresses, contiguous and
! strided, with notifications and without.
program access
  use checks
  implicit none
  integer, parameter :: nwords = 600
  type(prif_coarray_handle) :: a, notes, pointers
  type(c_ptr) :: mine_ptr, notes_ptr, pointers_ptr, own_ptr
  integer(c_int64_t), pointer :: mine(:), own(:)
  integer(c_intptr_t), pointer :: pointer_to_own(:)
  integer(c_int64_t), target :: from(nwords), to(nwords), one
  type(prif_notify_type), pointer :: note(:)
  integer(c_int) :: left, right
  integer(c_intptr_t) :: there
  integer :: i

  call start()
  right = mod(me, n) + 1
  left = merge(me - 1, n, me > 1)
  call allocate_bytes(8_c_size_t * nwords, a, mine_ptr)
  call c_f_pointer(mine_ptr, mine, [nwords])
  call allocate_bytes(16_c_size_t, notes, notes_ptr)
  call c_f_pointer(notes_ptr, note, [2])
  note = prif_notify_type()
  call allocate_bytes(8_c_size_t, pointers, pointers_ptr)
  call c_f_pointer(pointers_ptr, pointer_to_own, [1])
  call prif_allocate(8_c_size_t * (nwords + me), own_ptr)
  call c_f_pointer(own_ptr, own, [nwords])
  pointer_to_own = transfer(own_ptr, pointer_to_own(1))
  mine = -1
  own = -2
  from = [(1000_c_int64_t * me + i, i=1, nwords)]
  call prif_sync_all()

  call queries()
  call contiguous()
  call indirect()
  call strided()
  call notified()
  call wrong()

  call prif_sync_all()
  call prif_deallocate(own_ptr)
  call prif_deallocate_coarrays([notes, pointers])
  call prif_deallocate_coarray(a)
  call finish_checks()
contains
  function offset(i)
    integer, intent(in) :: i
    integer(c_size_t) :: offset
    offset = 8_c_size_t * (i - 1)
  end function

  subroutine queries()
    type(prif_coarray_handle) :: b, c
    type(c_ptr) :: memory, expected
    integer(c_size_t) :: nbytes, sizes(2)
    integer(c_int64_t) :: bounds(2), bound
    integer(c_int) :: index, init
    integer(c_int64_t) :: sub(2)
    integer, target :: anything
    call prif_init(init)
    call check(init == PRIF_STAT_ALREADY_INIT, "prif_init again")
    call check(PRIF_VERSION_MAJOR == 0 .and. PRIF_VERSION_MINOR == 8, "version")
    call prif_local_data_pointer(a, memory)
    call check(c_associated(memory, mine_ptr), "prif_local_data_pointer")
    call prif_size_bytes(a, nbytes)
    call check(nbytes == 8 * nwords, "prif_size_bytes")
    ! two codimensions: 0:1 and -3:, so image 3 is [0, -2]
    call prif_alias_create(a, [0_c_int64_t, -3_c_int64_t], [1_c_int64_t, int(n, c_int64_t)], &
                           80_c_size_t, b)
    call prif_alias_create(b, [2_c_int64_t], [int(n + 1, c_int64_t)], 8_c_size_t, c)
    call prif_local_data_pointer(c, memory)
    expected = c_loc(mine(12))
    call check(c_associated(memory, expected), "an alias of an alias")
    call prif_lcobound_no_dim(b, bounds)
    call check(all(bounds == [0, -3]), "prif_lcobound_no_dim")
    call prif_ucobound_no_dim(b, bounds)
    call check(all(bounds == [1, (n + 1) / 2 - 4]), "prif_ucobound_no_dim")
    call prif_lcobound_with_dim(b, 2_c_int, bound)
    call check(bound == -3, "prif_lcobound_with_dim")
    call prif_ucobound_with_dim(b, 1_c_int, bound)
    call check(bound == 1, "prif_ucobound_with_dim")
    call prif_ucobound_with_dim(b, 2_c_int, bound)
    call check(bound == (n + 1) / 2 - 4, "prif_ucobound_with_dim of the last one")
    call prif_coshape(b, sizes)
    call check(all(sizes == [2, (n + 1) / 2]), "prif_coshape")
    call prif_this_image_with_coarray(b, cosubscripts=sub)
    call check(all(sub == [mod(me - 1, 2), (me - 1) / 2 - 3]), "prif_this_image_with_coarray")
    call prif_this_image_with_dim(b, 2_c_int, cosubscript=bound)
    call check(bound == (me - 1) / 2 - 3, "prif_this_image_with_dim")
    call prif_image_index(b, sub, index)
    call check(index == me, "prif_image_index")
    call prif_image_index(b, [1_c_int64_t, int(n, c_int64_t)], index)
    call check(index == 0, "prif_image_index of no image")
    call prif_image_index(b, [2_c_int64_t, -3_c_int64_t], index)
    call check(index == 0, "prif_image_index beyond a cobound")
    call prif_set_context_data(b, c_loc(anything))
    call prif_get_context_data(a, memory)
    expected = c_loc(anything)
    call check(c_associated(memory, expected), "context data of all aliases")
    one = 100 + me
    call prif_put(right, c, 8_c_size_t, c_loc(one), 8_c_size_t)
    call prif_sync_all()
    call check(mine(13) == 100 + left, "put by an alias")
    call prif_alias_destroy(c)
    call prif_alias_destroy(b)
    call without_the_last()
  end subroutine

  subroutine without_the_last()
    type(prif_coarray_handle) :: b, c
    type(c_ptr) :: memory
    procedure(prif_coarray_cleanup_interface), pointer :: none => null()
    integer(c_size_t) :: sizes(3)
    integer(c_int64_t) :: sub(3), bounds(1)
    integer(c_int) :: index
    call prif_allocate_coarray([1_c_int64_t, 0_c_int64_t, 5_c_int64_t], [1_c_int64_t, 2_c_int64_t], &
                               8_c_size_t, none, b, memory)
    call prif_coshape(b, sizes)
    call check(all(sizes == [1, 3, (n + 2) / 3]), "coshape, without the last upper cobound")
    call prif_this_image_with_coarray(b, cosubscripts=sub)
    call check(all(sub == [1, mod(me - 1, 3), 5 + (me - 1) / 3]), "cosubscripts without it")
    call prif_image_index(b, sub, index)
    call check(index == me, "prif_image_index without it")
    call prif_image_index(b, [1_c_int64_t, 0_c_int64_t, huge(1_c_int64_t)], index)
    call check(index == 0, "prif_image_index of no image without it")
    call prif_alias_create(b, [-1_c_int64_t], bounds(:0), 0_c_size_t, c)
    call prif_ucobound_no_dim(c, bounds)
    call check(bounds(1) == n - 2, "an alias without upper cobounds")
    call prif_alias_destroy(c)
    call prif_deallocate_coarray(b)
  end subroutine

  subroutine contiguous()
    integer :: k
    do k = 1, 3  ! the last one stays
      one = 10 * me + k
      call prif_put(right, a, offset(1), c_loc(one), 8_c_size_t)
    end do
    call prif_get(right, a, offset(1), c_loc(to), 8_c_size_t)
    call check(to(1) == 10 * me + 3, "a get sees the puts before it")
    call prif_put(right, a, offset(20), c_loc(from), 8_c_size_t * 500)
    call prif_put(me, a, offset(2), c_loc(from(7)), 1_c_size_t)
    call prif_sync_all()
    call check(mine(1) == 10 * left + 3, "prif_put")
    call check(all(mine(20:519) == from(:500) + 1000 * (left - me)), "prif_put of 4000 bytes")
    call check(iand(mine(2), 255_c_int64_t) == iand(from(7), 255_c_int64_t), "a put of a byte")
    call prif_get(left, a, offset(20), c_loc(to), 8_c_size_t * 500)
    call check(all(to(:500) == from(:500) + 1000 * (merge(left - 1, n, left > 1) - me)), "prif_get")
    call prif_sync_all()
  end subroutine

  subroutine indirect()
    integer(c_intptr_t), target :: address
    call prif_get(right, pointers, 0_c_size_t, c_loc(address), 8_c_size_t)
    there = address
    call prif_put_indirect(right, there + 16, c_loc(from), 80_c_size_t)
    call prif_sync_all()
    call check(own(2) == -2 .and. all(own(3:12) == from(:10) + 1000 * (left - me)) .and. &
               own(13) == -2, "prif_put_indirect")
    call prif_get_indirect(right, there + 24, c_loc(to), 16_c_size_t)
    call check(all(to(:2) == from(2:3)), "prif_get_indirect")
    call prif_sync_all()
  end subroutine

  subroutine strided()
    integer(c_int64_t), pointer :: m(:, :)
    integer(c_int64_t), target :: b(6, 5), back(6, 5)
    integer :: j
    call c_f_pointer(mine_ptr, m, [10, 60])
    mine = 0
    b = reshape([(from(j), j=1, 30)], [6, 5])
    call prif_sync_all()
    ! rows 2, 4, 6 of columns 9, 7, 5 there from rows 1, 2, 3 of columns 1, 2, 3
    call prif_put_strided(right, a, offset(82), [16_c_ptrdiff_t, -160_c_ptrdiff_t], c_loc(b), &
                          [8_c_ptrdiff_t, 48_c_ptrdiff_t], 8_c_size_t, [3_c_size_t, 3_c_size_t])
    call prif_sync_all()
    call check(all(m(2:6:2, 9:5:-2) == b(1:3, 1:3) + 1000 * (left - me)), "prif_put_strided")
    call check(count(mine /= 0) == 9, "prif_put_strided and nothing else")
    back = 0
    call prif_get_strided(right, a, offset(82), [16_c_ptrdiff_t, -160_c_ptrdiff_t], &
                          c_loc(back(6, 5)), [-8_c_ptrdiff_t, -48_c_ptrdiff_t], 8_c_size_t, &
                          [3_c_size_t, 3_c_size_t])
    call check(all(back(6:4:-1, 5:3:-1) == b(1:3, 1:3)) .and. count(back /= 0) == 9, &
               "prif_get_strided")
    call prif_put_strided_indirect(right, there + 800, [24_c_ptrdiff_t], c_loc(b), &
                                   [48_c_ptrdiff_t], 8_c_size_t, [5_c_size_t])
    call prif_sync_all()
    call check(all(own(101:113:3) == b(1, :) + 1000 * (left - me)) .and. own(102) == -2, &
               "prif_put_strided_indirect")
    call prif_get_strided_indirect(right, there + 800, [24_c_ptrdiff_t], c_loc(to), &
                                   [8_c_ptrdiff_t], 8_c_size_t, [5_c_size_t])
    call check(all(to(:5) == b(1, :)), "prif_get_strided_indirect")
    call prif_put_strided(right, a, offset(1), [integer(c_ptrdiff_t) ::], c_loc(b), &
                          [integer(c_ptrdiff_t) ::], 16_c_size_t, [integer(c_size_t) ::])
    call prif_put_strided(right, a, offset(1), [8_c_ptrdiff_t], c_loc(b), [8_c_ptrdiff_t], &
                          8_c_size_t, [0_c_size_t])
    call prif_sync_all()
    call check(all(mine(1:2) == b(1:2, 1) + 1000 * (left - me)) .and. mine(3) == 0, &
               "one element, and none")
  end subroutine

  !> Each form writes three words and counts one notification; half of them in each variable.
  subroutine notified()
    integer(c_intptr_t) :: note_there
    integer(c_intptr_t), target :: address
    integer(c_ptrdiff_t), parameter :: gap(1) = 16, dense(1) = 8
    integer(c_size_t), parameter :: three(1) = 3, nbytes = 24, word = 8
    integer :: k
    pointer_to_own = transfer(notes_ptr, pointer_to_own(1))
    mine = 0
    own = 0
    call prif_sync_all()
    call prif_get(right, pointers, 0_c_size_t, c_loc(address), 8_c_size_t)
    note_there = address + 8
    call prif_put_with_notify(right, a, offset(1), c_loc(from), nbytes, notes, 0_c_size_t)
    call prif_put_with_notify_indirect(right, a, offset(11), c_loc(from), nbytes, note_there)
    call prif_put_indirect_with_notify(right, there, c_loc(from), nbytes, notes, 0_c_size_t)
    call prif_put_indirect_with_notify_indirect(right, there + 80, c_loc(from), nbytes, note_there)
    call prif_put_strided_with_notify(right, a, offset(21), gap, c_loc(from), dense, word, three, &
                                      notes, 0_c_size_t)
    call prif_put_strided_with_notify_indirect(right, a, offset(31), gap, c_loc(from), dense, &
                                               word, three, note_there)
    call prif_put_strided_indirect_with_notify(right, there + 160, gap, c_loc(from), dense, word, &
                                               three, notes, 0_c_size_t)
    call prif_put_strided_indirect_with_notify_indirect(right, there + 240, gap, c_loc(from), &
                                                        dense, word, three, note_there)
    call prif_notify_wait(c_loc(note(1)))
    call prif_notify_wait(c_loc(note(1)), 3_c_int64_t)
    call prif_notify_wait(c_loc(note(2)), until_count=4_c_int64_t)
    do k = 1, 11, 10
      call check(all(mine(k:k + 2) == from(:3) + 1000 * (left - me)), "put with a notification")
      call check(all(own(k:k + 2) == from(:3) + 1000 * (left - me)), "put to an address, notified")
      call check(all(mine(k + 20:k + 24:2) == from(:3) + 1000 * (left - me)), "strided, notified")
      call check(all(own(k + 20:k + 24:2) == from(:3) + 1000 * (left - me)), &
                 "strided to an address, notified")
    end do
    call check(count(mine /= 0) == 12 .and. count(own /= 0) == 12, "nothing else")
    call prif_sync_all()
  end subroutine

  subroutine wrong()
    integer(c_int) :: stat
    character(len=20) :: errmsg
    character(len=:), allocatable :: errmsg_alloc
    type(prif_coarray_handle) :: huge_one
    type(c_ptr) :: memory
    errmsg = "unchanged"
    call prif_put(right, a, 0_c_size_t, c_loc(from), 8_c_size_t, stat, errmsg)
    call check(stat == 0 .and. errmsg == "unchanged", "stat and errmsg of success")
    call prif_put(n + 1, a, 0_c_size_t, c_loc(from), 8_c_size_t, stat, errmsg)
    call check(stat > 0 .and. errmsg(:5) == "image", "an image that does not exist")
    call prif_get(right, a, offset(nwords), c_loc(to), 9_c_size_t, stat, errmsg_alloc=errmsg_alloc)
    call check(stat > 0 .and. index(errmsg_alloc, "9 bytes at byte 4792 of a coarray") == 1, &
               "beyond the end")
    call prif_get_strided(right, a, 0_c_size_t, [-8_c_ptrdiff_t], c_loc(to), [8_c_ptrdiff_t], &
                          8_c_size_t, [2_c_size_t], stat)
    call check(stat > 0, "below the beginning")
    call prif_put_indirect(right, 8_c_intptr_t, c_loc(from), 8_c_size_t, stat)
    call check(stat > 0, "an address of other memory")
    call prif_put_with_notify(right, a, 0_c_size_t, c_loc(from), 8_c_size_t, notes, 16_c_size_t, &
                              stat, errmsg_alloc=errmsg_alloc)
    call check(stat > 0, "a notification beyond its coarray")
    call prif_deallocate(c_loc(one), stat, errmsg_alloc=errmsg_alloc)
    call check(stat > 0 .and. index(errmsg_alloc, "prif_allocate") > 0, "what was not allocated")
    call prif_deallocate(mine_ptr, stat, errmsg_alloc=errmsg_alloc)
    call check(stat > 0 .and. index(errmsg_alloc, "prif_allocate") > 0, "not a coarray's")
    ! the text that Caffeine's tests look for
    call prif_allocate(ishft(1_c_size_t, 50), memory, stat, errmsg)
    call check(stat == PRIF_STAT_OUT_OF_MEMORY .and. index(errmsg, "out of memory") == 1, &
               "no memory")
    call prif_allocate_coarray([1_c_int64_t], [int(n, c_int64_t)], ishft(1_c_size_t, 50), &
                               no_cleanup, huge_one, memory, stat, errmsg)
    call check(stat == PRIF_STAT_OUT_OF_MEMORY .and. index(errmsg, "out of memory") == 1, &
               "no coarray")
  end subroutine
end program
