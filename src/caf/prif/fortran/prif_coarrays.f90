! SPDX-License-Identifier: BSD-3-Clause
!
! Storage, and queries of coarrays.
submodule(prif:prif_private) prif_coarrays
  implicit none

  integer(c_int), parameter :: lower = 0, upper = 1, shape_ = 2

  interface
    function c_allocate_coarray(corank, lcobounds, nupper, ucobounds, nbytes, handle, memory, &
                                stat, cleanup) bind(C, name="causeway_prif_allocate_coarray")
      import :: c_int, c_int64_t, c_ptr, c_size_t, prif_coarray_cleanup_interface
      integer(c_int), intent(in), value :: corank, nupper
      integer(c_int64_t), intent(in) :: lcobounds(*), ucobounds(*)
      integer(c_size_t), intent(in), value :: nbytes
      type(c_ptr), intent(out) :: handle, memory
      integer(c_int), intent(out), optional :: stat
      procedure(prif_coarray_cleanup_interface), optional :: cleanup
      integer(c_int) :: c_allocate_coarray
    end function
    function c_deallocate_coarrays(handles, n, stat) &
        bind(C, name="causeway_prif_deallocate_coarrays")
      import :: c_int, prif_coarray_handle
      type(prif_coarray_handle), intent(in) :: handles(*)
      integer(c_int), intent(in), value :: n
      integer(c_int), intent(out), optional :: stat
      integer(c_int) :: c_deallocate_coarrays
    end function
    function c_allocate(nbytes, memory, stat) bind(C, name="causeway_prif_allocate")
      import :: c_int, c_ptr, c_size_t
      integer(c_size_t), intent(in), value :: nbytes
      type(c_ptr), intent(out) :: memory
      integer(c_int), intent(out), optional :: stat
      integer(c_int) :: c_allocate
    end function
    function c_deallocate(memory, stat) bind(C, name="causeway_prif_deallocate")
      import :: c_int, c_ptr
      type(c_ptr), intent(in), value :: memory
      integer(c_int), intent(out), optional :: stat
      integer(c_int) :: c_deallocate
    end function
    function c_alias_create(source, corank, lcobounds, nupper, ucobounds, offset) &
        bind(C, name="causeway_prif_alias_create")
      import :: c_int, c_int64_t, c_ptr, c_size_t
      type(c_ptr), intent(in), value :: source
      integer(c_int), intent(in), value :: corank, nupper
      integer(c_int64_t), intent(in) :: lcobounds(*), ucobounds(*)
      integer(c_size_t), intent(in), value :: offset
      type(c_ptr) :: c_alias_create
    end function
    subroutine c_alias_destroy(alias) bind(C, name="causeway_prif_alias_destroy")
      import :: c_ptr
      type(c_ptr), intent(in), value :: alias
    end subroutine
    subroutine c_set_context_data(coarray, context) bind(C, name="causeway_prif_set_context_data")
      import :: c_ptr
      type(c_ptr), intent(in), value :: coarray, context
    end subroutine
    function c_get_context_data(coarray) bind(C, name="causeway_prif_get_context_data")
      import :: c_ptr
      type(c_ptr), intent(in), value :: coarray
      type(c_ptr) :: c_get_context_data
    end function
    function c_local_data_pointer(coarray) bind(C, name="causeway_prif_local_data_pointer")
      import :: c_ptr
      type(c_ptr), intent(in), value :: coarray
      type(c_ptr) :: c_local_data_pointer
    end function
    function c_size_bytes(coarray) bind(C, name="causeway_prif_size_bytes")
      import :: c_ptr, c_size_t
      type(c_ptr), intent(in), value :: coarray
      integer(c_size_t) :: c_size_bytes
    end function
    subroutine c_cobounds(coarray, which, bounds, n) bind(C, name="causeway_prif_cobounds")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), intent(in), value :: coarray
      integer(c_int), intent(in), value :: which, n
      integer(c_int64_t), intent(out) :: bounds(*)
    end subroutine
    function c_cobound(coarray, which, dim) bind(C, name="causeway_prif_cobound")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), intent(in), value :: coarray
      integer(c_int), intent(in), value :: which, dim
      integer(c_int64_t) :: c_cobound
    end function
    subroutine c_cosubscripts(coarray, team, sub, n) bind(C, name="causeway_prif_cosubscripts")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), intent(in), value :: coarray, team
      integer(c_int64_t), intent(out) :: sub(*)
      integer(c_int), intent(in), value :: n
    end subroutine
    function c_cosubscript(coarray, team, dim) bind(C, name="causeway_prif_cosubscript")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), intent(in), value :: coarray, team
      integer(c_int), intent(in), value :: dim
      integer(c_int64_t) :: c_cosubscript
    end function
    function c_image_index(coarray, sub, n, team) bind(C, name="causeway_prif_image_index")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), intent(in), value :: coarray, team
      integer(c_int64_t), intent(in) :: sub(*)
      integer(c_int), intent(in), value :: n
      integer(c_int) :: c_image_index
    end function
    function c_image_index_in_sibling(coarray, sub, n, number) &
        bind(C, name="causeway_prif_image_index_in_sibling")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), intent(in), value :: coarray
      integer(c_int64_t), intent(in) :: sub(*)
      integer(c_int), intent(in), value :: n
      integer(c_int64_t), intent(in), value :: number
      integer(c_int) :: c_image_index_in_sibling
    end function
    function c_initial_index(coarray, sub, n, team, index, stat) &
        bind(C, name="causeway_prif_initial_index")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), intent(in), value :: coarray, team
      integer(c_int64_t), intent(in) :: sub(*)
      integer(c_int), intent(in), value :: n
      integer(c_int), intent(out) :: index
      integer(c_int), intent(out), optional :: stat
      integer(c_int) :: c_initial_index
    end function
    function c_initial_index_in_sibling(coarray, sub, n, number, index, stat) &
        bind(C, name="causeway_prif_initial_index_in_sibling")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), intent(in), value :: coarray
      integer(c_int64_t), intent(in) :: sub(*)
      integer(c_int), intent(in), value :: n
      integer(c_int64_t), intent(in), value :: number
      integer(c_int), intent(out) :: index
      integer(c_int), intent(out), optional :: stat
      integer(c_int) :: c_initial_index_in_sibling
    end function
  end interface

contains
  ! With its interface: gfortran from 12.3 on does not find that of final_proc otherwise.
  module subroutine prif_allocate_coarray(lcobounds, ucobounds, size_in_bytes, final_proc, &
      coarray_handle, allocated_memory, stat, errmsg, errmsg_alloc)
    integer(c_int64_t), intent(in) :: lcobounds(:), ucobounds(:)
    integer(c_size_t), intent(in) :: size_in_bytes
    procedure(prif_coarray_cleanup_interface), intent(in), pointer :: final_proc
    type(prif_coarray_handle), intent(out) :: coarray_handle
    type(c_ptr), intent(out) :: allocated_memory
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:), allocatable, intent(inout), optional :: errmsg_alloc
    integer(c_int) :: code
    procedure(prif_coarray_cleanup_interface), pointer :: cleanup  ! as in prif_collectives
    cleanup => final_proc
    if (associated(cleanup)) then
      code = c_allocate_coarray(size(lcobounds, kind=c_int), lcobounds, &
                                size(ucobounds, kind=c_int), ucobounds, size_in_bytes, &
                                coarray_handle%info, allocated_memory, stat, cleanup)
    else
      code = c_allocate_coarray(size(lcobounds, kind=c_int), lcobounds, &
                                size(ucobounds, kind=c_int), ucobounds, size_in_bytes, &
                                coarray_handle%info, allocated_memory, stat)
    end if
    if (code /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end subroutine

  module procedure prif_deallocate_coarray
    if (c_deallocate_coarrays([coarray_handle], 1_c_int, stat) /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  module procedure prif_deallocate_coarrays
    if (c_deallocate_coarrays(coarray_handles, size(coarray_handles, kind=c_int), stat) /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  module procedure prif_allocate
    if (c_allocate(size_in_bytes, allocated_memory, stat) /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  module procedure prif_deallocate
    if (c_deallocate(mem, stat) /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  module procedure prif_alias_create
    alias_handle%info = c_alias_create(source_handle%info, size(alias_lcobounds, kind=c_int), &
                                       alias_lcobounds, size(alias_ucobounds, kind=c_int), &
                                       alias_ucobounds, data_pointer_offset)
  end procedure

  module procedure prif_alias_destroy
    call c_alias_destroy(alias_handle%info)
  end procedure

  ! ---------------------------------------------------------------- queries
  module procedure prif_set_context_data
    call c_set_context_data(coarray_handle%info, context_data)
  end procedure

  module procedure prif_get_context_data
    context_data = c_get_context_data(coarray_handle%info)
  end procedure

  module procedure prif_local_data_pointer
    local_data = c_local_data_pointer(coarray_handle%info)
  end procedure

  module procedure prif_size_bytes
    data_size = c_size_bytes(coarray_handle%info)
  end procedure

  module procedure prif_lcobound_with_dim
    lcobound = c_cobound(coarray_handle%info, lower, dim)
  end procedure

  module procedure prif_lcobound_no_dim
    call c_cobounds(coarray_handle%info, lower, lcobounds, size(lcobounds, kind=c_int))
  end procedure

  module procedure prif_ucobound_with_dim
    ucobound = c_cobound(coarray_handle%info, upper, dim)
  end procedure

  module procedure prif_ucobound_no_dim
    call c_cobounds(coarray_handle%info, upper, ucobounds, size(ucobounds, kind=c_int))
  end procedure

  module procedure prif_coshape
    integer(c_int64_t) :: extents(size(sizes))
    call c_cobounds(coarray_handle%info, shape_, extents, size(sizes, kind=c_int))
    sizes = extents
  end procedure

  module procedure prif_this_image_with_coarray
    call c_cosubscripts(coarray_handle%info, team_of(team), cosubscripts, &
                        size(cosubscripts, kind=c_int))
  end procedure

  module procedure prif_this_image_with_dim
    cosubscript = c_cosubscript(coarray_handle%info, team_of(team), dim)
  end procedure

  module procedure prif_image_index
    image_index = c_image_index(coarray_handle%info, sub, size(sub, kind=c_int), team_of())
  end procedure

  module procedure prif_image_index_with_team
    image_index = c_image_index(coarray_handle%info, sub, size(sub, kind=c_int), team_of(team))
  end procedure

  module procedure prif_image_index_with_team_number
    image_index = c_image_index_in_sibling(coarray_handle%info, sub, size(sub, kind=c_int), &
                                           team_number)
  end procedure

  module procedure prif_initial_team_index
    integer(c_int) :: code
    code = c_initial_index(coarray_handle%info, sub, size(sub, kind=c_int), team_of(), &
                           initial_team_index, stat)
  end procedure

  module procedure prif_initial_team_index_with_team
    integer(c_int) :: code
    code = c_initial_index(coarray_handle%info, sub, size(sub, kind=c_int), team_of(team), &
                           initial_team_index, stat)
  end procedure

  module procedure prif_initial_team_index_with_team_number
    integer(c_int) :: code
    code = c_initial_index_in_sibling(coarray_handle%info, sub, size(sub, kind=c_int), &
                                      team_number, initial_team_index, stat)
  end procedure
end submodule
