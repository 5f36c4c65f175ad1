! SPDX-License-Identifier: BSD-3-Clause
!
! Collectives. An array of any type goes on as the compiler has it, to functions that are no bind(C)
! procedures. gfortran passes on the place of a dummy procedure pointer, not what it points to, but
! not so of a variable.
submodule(prif:prif_private) prif_collectives
  implicit none

  !> caf_reduce_t of src/caf/reduce_ops.h.
  integer(c_int), parameter :: sum_ = 0, min_ = 1, max_ = 2

  interface
    subroutine causeway_prif_co_broadcast(a, compiler, source_image, stat, code)
      import :: c_int
      type(*), intent(inout), target :: a(..)
      integer(c_int), intent(in) :: compiler, source_image
      integer(c_int), intent(out), optional :: stat
      integer(c_int), intent(out) :: code
    end subroutine
    subroutine causeway_prif_co_combine(a, compiler, op, text_length, result_image, stat, code)
      import :: c_int
      type(*), intent(inout), target :: a(..)
      integer(c_int), intent(in) :: compiler, op, text_length
      integer(c_int), intent(in), optional :: result_image
      integer(c_int), intent(out), optional :: stat
      integer(c_int), intent(out) :: code
    end subroutine
    subroutine causeway_prif_co_reduce(a, compiler, operation, cdata, result_image, stat, code)
      import :: c_int, c_ptr, prif_operation_wrapper_interface
      type(*), intent(inout), target :: a(..)
      integer(c_int), intent(in) :: compiler
      procedure(prif_operation_wrapper_interface) :: operation
      type(c_ptr), intent(in) :: cdata
      integer(c_int), intent(in), optional :: result_image
      integer(c_int), intent(out), optional :: stat
      integer(c_int), intent(out) :: code
    end subroutine
    function c_co_broadcast_cptr(data, nbytes, source_image, stat) &
        bind(C, name="causeway_prif_co_broadcast_cptr")
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), intent(in), value :: data
      integer(c_size_t), intent(in), value :: nbytes
      integer(c_int), intent(in), value :: source_image
      integer(c_int), intent(out), optional :: stat
      integer(c_int) :: c_co_broadcast_cptr
    end function
    function c_co_reduce_cptr(data, element_size, n, operation, cdata, result_image, stat) &
        bind(C, name="causeway_prif_co_reduce_cptr")
      import :: c_int, c_ptr, c_size_t, prif_operation_wrapper_interface
      type(c_ptr), intent(in), value :: data, cdata
      integer(c_size_t), intent(in), value :: element_size, n
      procedure(prif_operation_wrapper_interface) :: operation
      integer(c_int), intent(in), optional :: result_image
      integer(c_int), intent(out), optional :: stat
      integer(c_int) :: c_co_reduce_cptr
    end function
  end interface

contains
  module procedure prif_co_broadcast
    integer(c_int) :: code
    call causeway_prif_co_broadcast(a, compiler, source_image, stat, code)
    if (code /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  module procedure prif_co_broadcast_cptr
    if (c_co_broadcast_cptr(a_ptr, size_in_bytes, source_image, stat) /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  module procedure prif_co_sum
    integer(c_int) :: code
    call causeway_prif_co_combine(a, compiler, sum_, 0_c_int, result_image, stat, code)
    if (code /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  module procedure prif_co_min
    integer(c_int) :: code
    call causeway_prif_co_combine(a, compiler, min_, 0_c_int, result_image, stat, code)
    if (code /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  module procedure prif_co_max
    integer(c_int) :: code
    call causeway_prif_co_combine(a, compiler, max_, 0_c_int, result_image, stat, code)
    if (code /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  module procedure prif_co_min_character
    integer(c_int) :: code
    call causeway_prif_co_combine(a, compiler, min_, len(a, c_int), result_image, stat, code)
    if (code /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  module procedure prif_co_max_character
    integer(c_int) :: code
    call causeway_prif_co_combine(a, compiler, max_, len(a, c_int), result_image, stat, code)
    if (code /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  ! With its interface, as prif_allocate_coarray.
  module subroutine prif_co_reduce(a, operation_wrapper, cdata, result_image, stat, errmsg, &
      errmsg_alloc)
    type(*), intent(inout), target :: a(..)
    procedure(prif_operation_wrapper_interface), intent(in), pointer :: operation_wrapper
    type(c_ptr), intent(in), value :: cdata
    integer(c_int), intent(in), optional :: result_image
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    integer(c_int) :: code
    procedure(prif_operation_wrapper_interface), pointer :: operation
    operation => operation_wrapper
    call causeway_prif_co_reduce(a, compiler, operation, cdata, result_image, stat, code)
    if (code /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end subroutine

  ! With its interface, as prif_allocate_coarray.
  module subroutine prif_co_reduce_cptr(a_ptr, element_size, element_count, operation_wrapper, &
      cdata, result_image, stat, errmsg, errmsg_alloc)
    type(c_ptr), intent(in) :: a_ptr
    integer(c_size_t), intent(in) :: element_size, element_count
    procedure(prif_operation_wrapper_interface), intent(in), pointer :: operation_wrapper
    type(c_ptr), intent(in), value :: cdata
    integer(c_int), intent(in), optional :: result_image
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    procedure(prif_operation_wrapper_interface), pointer :: operation
    operation => operation_wrapper
    if (c_co_reduce_cptr(a_ptr, element_size, element_count, operation, cdata, &
                         result_image, stat) /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end subroutine
end submodule
