! SPDX-License-Identifier: BSD-3-Clause
!
! Begin and end. Callbacks run in the image that stops, the last one registered first.
submodule(prif:prif_private) prif_life
  use, intrinsic :: iso_fortran_env, only: error_unit, output_unit
  implicit none

  type :: entry
    procedure(prif_stop_callback_interface), pointer, nopass :: callback => null()
    type(entry), pointer :: next => null()
  end type
  type(entry), pointer :: callbacks => null()

  interface
    function c_init() bind(C, name="causeway_prif_init")
      import :: c_int
      integer(c_int) :: c_init
    end function
    subroutine c_stop(code) bind(C, name="causeway_prif_stop")
      import :: c_int
      integer(c_int), intent(in), value :: code
    end subroutine
    subroutine c_error_stop(code) bind(C, name="causeway_prif_error_stop")
      import :: c_int
      integer(c_int), intent(in), value :: code
    end subroutine
    subroutine c_fail_image() bind(C, name="causeway_prif_fail_image")
    end subroutine
  end interface

contains
  module procedure prif_init
    stat = c_init()
  end procedure

  ! With its interface, as prif_allocate_coarray.
  module subroutine prif_register_stop_callback(callback)
    procedure(prif_stop_callback_interface), intent(in), pointer :: callback
    type(entry), pointer :: first
    allocate (first)
    first%callback => callback
    first%next => callbacks
    callbacks => first
  end subroutine

  !> One that stops, too, goes on with those that are left.
  subroutine run_callbacks(is_error_stop, quiet, stop_code_int, stop_code_char)
    logical(c_bool), intent(in) :: is_error_stop, quiet
    integer(c_int), intent(in), optional :: stop_code_int
    character(len=*), intent(in), optional :: stop_code_char
    procedure(prif_stop_callback_interface), pointer :: callback
    do while (associated(callbacks))
      callback => callbacks%callback
      callbacks => callbacks%next
      call callback(is_error_stop, quiet, stop_code_int, stop_code_char)
    end do
  end subroutine

  subroutine say(unit, words, quiet, stop_code_int, stop_code_char)
    integer, intent(in) :: unit
    character(len=*), intent(in) :: words
    logical(c_bool), intent(in) :: quiet
    integer(c_int), intent(in), optional :: stop_code_int
    character(len=*), intent(in), optional :: stop_code_char
    if (.not. quiet) then
      if (present(stop_code_int)) write (unit, '(a,1x,i0)') words, stop_code_int
      if (present(stop_code_char)) write (unit, '(a)') stop_code_char
    end if
    flush (output_unit)
    flush (error_unit)
  end subroutine

  module procedure prif_stop
    integer(c_int) :: code
    code = 0
    if (present(stop_code_int)) code = stop_code_int
    call run_callbacks(.false._c_bool, quiet, stop_code_int, stop_code_char)
    call say(output_unit, "STOP", quiet, stop_code_int, stop_code_char)
    call c_stop(code)
  end procedure

  module procedure prif_error_stop
    integer(c_int) :: code
    code = 1
    if (present(stop_code_int)) code = stop_code_int
    call run_callbacks(.true._c_bool, quiet, stop_code_int, stop_code_char)
    call say(error_unit, "ERROR STOP", quiet, stop_code_int, stop_code_char)
    call c_error_stop(code)
  end procedure

  module procedure prif_fail_image
    call c_fail_image()
  end procedure
end submodule
