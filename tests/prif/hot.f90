! SPDX-License-Identifier: BSD-3-Clause
! A hundred puts and gets of 8 bytes, for hot.py.
program hot
  use checks
  implicit none
  type(prif_coarray_handle) :: x
  type(c_ptr) :: memory
  integer(c_int64_t), target :: value = 5
  integer :: i
  call start()
  call allocate_bytes(80_c_size_t, x, memory)
  do i = 1, 100
    call prif_put(1_c_int, x, 8_c_size_t, c_loc(value), 8_c_size_t)
    call prif_get(1_c_int, x, 8_c_size_t, c_loc(value), 8_c_size_t)
  end do
  call prif_stop(.true._c_bool)
end program
