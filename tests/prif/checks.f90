! SPDX-License-Identifier: BSD-3-Clause
! A false condition is printed with its name and the image, and counted; the program goes on. Behind
! all checks: their number on image 1, and the end with status 1 where one failed anywhere.
module checks
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use prif
  implicit none
  integer(c_int) :: checked = 0, failed = 0
  integer(c_int) :: me = 0, n = 0  ! this image, and how many
  procedure(prif_coarray_cleanup_interface), pointer :: no_cleanup => null()
contains
  subroutine start()
    integer(c_int) :: stat
    call prif_init(stat)
    if (stat /= 0) error stop "prif_init"
    call prif_this_image_no_coarray(this_image=me)
    call prif_num_images(n)
  end subroutine

  subroutine check(condition, name)
    logical, intent(in) :: condition
    character(len=*), intent(in) :: name
    checked = checked + 1
    if (condition) return
    failed = failed + 1
    write (error_unit, '(a,i0,2a)') "FAIL: image ", me, ": ", name
  end subroutine

  !> A coarray of corank 1.
  subroutine allocate_bytes(nbytes, handle, memory)
    integer(c_size_t), intent(in) :: nbytes
    type(prif_coarray_handle), intent(out) :: handle
    type(c_ptr), intent(out) :: memory
    integer(c_int) :: images
    call prif_num_images(images)
    call prif_allocate_coarray([1_c_int64_t], [int(images, c_int64_t)], nbytes, no_cleanup, &
                               handle, memory)
  end subroutine

  subroutine finish_checks()
    call prif_co_sum(checked)
    call prif_co_sum(failed)
    if (me == 1) print '(2(i0,a))', checked, " checks, ", failed, " failed"
    call prif_sync_all()
    if (failed > 0) call prif_error_stop(.false._c_bool, stop_code_char="checks failed")
    call prif_stop(.true._c_bool)
  end subroutine
end module
