! SPDX-License-Identifier: BSD-3-Clause
! Loops of atomics that find the word as it was, and leave it so, give the processor away.
program tried
  use checks
  use yields
  implicit none
  integer, parameter :: tries = 2000, least = 10, forms = 5
  integer(PRIF_ATOMIC_INT_KIND), parameter :: zero = 0, one = 1, two = 2
  type(prif_coarray_handle) :: a
  type(c_ptr) :: memory
  integer(PRIF_ATOMIC_INT_KIND), pointer :: word
  integer(PRIF_ATOMIC_INT_KIND) :: old
  integer(c_long) :: before
  integer :: form, i
  character(len=20) :: name
  call start()
  call allocate_bytes(8_c_size_t, a, memory)
  call c_f_pointer(memory, word)
  word = 1
  call prif_sync_all()
  if (me == 2) then
    do form = 1, forms
      before = given_away()
      do i = 1, tries
        select case (form)
        case (1)
          call prif_atomic_ref_int(2_c_int, a, 0_c_size_t, old)
        case (2)
          call prif_atomic_ref_int(1_c_int, a, 0_c_size_t, old)
        case (3)
          call prif_atomic_cas_int(1_c_int, a, 0_c_size_t, old, zero, two)
        case (4)
          call prif_atomic_fetch_or(1_c_int, a, 0_c_size_t, one, old)
        case (5)
          call prif_atomic_fetch_add(1_c_int, a, 0_c_size_t, zero, old)
        end select
        if (old /= 1) error stop "a word that changes"
      end do
      write (name, '(a,i0)') "tried form ", form
      call check(given_away() - before > least, name)
    end do
  end if
  call prif_sync_all()
  call finish_checks()
end program
