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
    subroutine c_say(is_error, text, nbytes) bind(C, name="causeway_prif_say")
      import :: c_bool, c_char, c_size_t
      logical(c_bool), intent(in), value :: is_error
      character(kind=c_char), intent(in) :: text(*)
      integer(c_size_t), intent(in), value :: nbytes
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

  !> Not by the units, which a statement of output may have locked that has called this. C flushes
  !> those of gfortran.
  subroutine say(is_error, words, quiet, stop_code_int, stop_code_char)
    logical(c_bool), intent(in) :: is_error
    character(len=*), intent(in) :: words
    logical(c_bool), intent(in) :: quiet
    integer(c_int), intent(in), optional :: stop_code_int
    character(len=*), intent(in), optional :: stop_code_char
    character(len=40) :: line
    if (compiler /= 1) then
      flush (output_unit)
      flush (error_unit)
    end if
    if (quiet) return
    if (present(stop_code_int)) then
      write (line, '(a,1x,i0)') words, stop_code_int
      call c_say(is_error, line, len_trim(line, c_size_t))
    end if
    if (present(stop_code_char)) call c_say(is_error, stop_code_char, len(stop_code_char, c_size_t))
  end subroutine

  module procedure prif_stop
    integer(c_int) :: code
    code = 0
    if (present(stop_code_int)) code = stop_code_int
    call run_callbacks(.false._c_bool, quiet, stop_code_int, stop_code_char)
    call say(.false._c_bool, "STOP", quiet, stop_code_int, stop_code_char)
    call c_stop(code)
  end procedure

  module procedure prif_error_stop
    integer(c_int) :: code
    code = 1
    if (present(stop_code_int)) code = stop_code_int
    call run_callbacks(.true._c_bool, quiet, stop_code_int, stop_code_char)
    call say(.true._c_bool, "ERROR STOP", quiet, stop_code_int, stop_code_char)
    call c_error_stop(code)
  end procedure

  module procedure prif_fail_image
    call c_fail_image()
  end procedure
end submodule
