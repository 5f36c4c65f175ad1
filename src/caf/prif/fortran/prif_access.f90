! SPDX-License-Identifier: BSD-3-Clause
!
! Puts and gets. An address in the image stands for a coarray and an offset in functions that get
! no coarray.
submodule(prif:prif_private) prif_access
  implicit none

  interface
    function c_put(image, coarray, offset, buffer, nbytes, stat) bind(C, name="causeway_prif_put")
      import :: c_int, c_ptr, c_size_t
      integer(c_int), intent(in), value :: image
      type(c_ptr), intent(in), value :: coarray, buffer
      integer(c_size_t), intent(in), value :: offset, nbytes
      integer(c_int), intent(out), optional :: stat
      integer(c_int) :: c_put
    end function
    function c_get(image, coarray, offset, buffer, nbytes, stat) bind(C, name="causeway_prif_get")
      import :: c_int, c_ptr, c_size_t
      integer(c_int), intent(in), value :: image
      type(c_ptr), intent(in), value :: coarray, buffer
      integer(c_size_t), intent(in), value :: offset, nbytes
      integer(c_int), intent(out), optional :: stat
      integer(c_int) :: c_get
    end function
    function c_put_indirect(image, place, buffer, nbytes, stat) &
        bind(C, name="causeway_prif_put_indirect")
      import :: c_int, c_intptr_t, c_ptr, c_size_t
      integer(c_int), intent(in), value :: image
      integer(c_intptr_t), intent(in), value :: place
      type(c_ptr), intent(in), value :: buffer
      integer(c_size_t), intent(in), value :: nbytes
      integer(c_int), intent(out), optional :: stat
      integer(c_int) :: c_put_indirect
    end function
    function c_get_indirect(image, place, buffer, nbytes, stat) &
        bind(C, name="causeway_prif_get_indirect")
      import :: c_int, c_intptr_t, c_ptr, c_size_t
      integer(c_int), intent(in), value :: image
      integer(c_intptr_t), intent(in), value :: place
      type(c_ptr), intent(in), value :: buffer
      integer(c_size_t), intent(in), value :: nbytes
      integer(c_int), intent(out), optional :: stat
      integer(c_int) :: c_get_indirect
    end function
    function c_strided(put, image, coarray, place, remote_stride, buffer, stride, element_size, &
                       extent, rank, stat) bind(C, name="causeway_prif_strided")
      import :: c_bool, c_int, c_intptr_t, c_ptr, c_ptrdiff_t, c_size_t
      logical(c_bool), intent(in), value :: put
      integer(c_int), intent(in), value :: image, rank
      type(c_ptr), intent(in), value :: coarray, buffer
      integer(c_intptr_t), intent(in), value :: place
      integer(c_ptrdiff_t), intent(in) :: remote_stride(*), stride(*)
      integer(c_size_t), intent(in), value :: element_size
      integer(c_size_t), intent(in) :: extent(*)
      integer(c_int), intent(out), optional :: stat
      integer(c_int) :: c_strided
    end function
    function c_notify(image, coarray, place, stat) bind(C, name="causeway_prif_notify")
      import :: c_int, c_intptr_t, c_ptr
      integer(c_int), intent(in), value :: image
      type(c_ptr), intent(in), value :: coarray
      integer(c_intptr_t), intent(in), value :: place
      integer(c_int), intent(out), optional :: stat
      integer(c_int) :: c_notify
    end function
  end interface

contains
  !> -1: one of the strides has another size than the extents.
  pure function rank_of(remote_stride, stride, extent)
    integer(c_ptrdiff_t), intent(in) :: remote_stride(:), stride(:)
    integer(c_size_t), intent(in) :: extent(:)
    integer(c_int) :: rank_of
    rank_of = -1
    if (size(remote_stride) == size(extent) .and. size(stride) == size(extent)) &
      rank_of = size(extent, kind=c_int)
  end function

  module procedure prif_put
    if (c_put(image_num, coarray_handle%info, offset, current_image_buffer, size_in_bytes, &
              stat) /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  module procedure prif_get
    if (c_get(image_num, coarray_handle%info, offset, current_image_buffer, size_in_bytes, &
              stat) /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  module procedure prif_put_indirect
    if (c_put_indirect(image_num, remote_ptr, current_image_buffer, size_in_bytes, stat) /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  module procedure prif_get_indirect
    if (c_get_indirect(image_num, remote_ptr, current_image_buffer, size_in_bytes, stat) /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  module procedure prif_get_strided
    if (c_strided(.false._c_bool, image_num, coarray_handle%info, int(offset, c_intptr_t), &
                  remote_stride, current_image_buffer, current_image_stride, element_size, &
                  extent, rank_of(remote_stride, current_image_stride, extent), stat) /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  module procedure prif_get_strided_indirect
    if (c_strided(.false._c_bool, image_num, c_null_ptr, remote_ptr, &
                  remote_stride, current_image_buffer, current_image_stride, element_size, &
                  extent, rank_of(remote_stride, current_image_stride, extent), stat) /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  module procedure prif_put_strided
    if (c_strided(.true._c_bool, image_num, coarray_handle%info, int(offset, c_intptr_t), &
                  remote_stride, current_image_buffer, current_image_stride, element_size, &
                  extent, rank_of(remote_stride, current_image_stride, extent), stat) /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  module procedure prif_put_strided_indirect
    if (c_strided(.true._c_bool, image_num, c_null_ptr, remote_ptr, &
                  remote_stride, current_image_buffer, current_image_stride, element_size, &
                  extent, rank_of(remote_stride, current_image_stride, extent), stat) /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  ! ---------------------------------------------------------------- with a notification
  module procedure prif_put_with_notify
    integer(c_int) :: code
    code = c_put(image_num, coarray_handle%info, offset, current_image_buffer, size_in_bytes, stat)
    if (code == 0) code = c_notify(image_num, notify_coarray_handle%info, &
                                   int(notify_offset, c_intptr_t), stat)
    if (code /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  module procedure prif_put_with_notify_indirect
    integer(c_int) :: code
    code = c_put(image_num, coarray_handle%info, offset, current_image_buffer, size_in_bytes, stat)
    if (code == 0) code = c_notify(image_num, c_null_ptr, notify_ptr, stat)
    if (code /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  module procedure prif_put_indirect_with_notify
    integer(c_int) :: code
    code = c_put_indirect(image_num, remote_ptr, current_image_buffer, size_in_bytes, stat)
    if (code == 0) code = c_notify(image_num, notify_coarray_handle%info, &
                                   int(notify_offset, c_intptr_t), stat)
    if (code /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  module procedure prif_put_indirect_with_notify_indirect
    integer(c_int) :: code
    code = c_put_indirect(image_num, remote_ptr, current_image_buffer, size_in_bytes, stat)
    if (code == 0) code = c_notify(image_num, c_null_ptr, notify_ptr, stat)
    if (code /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  module procedure prif_put_strided_with_notify
    integer(c_int) :: code
    code = c_strided(.true._c_bool, image_num, coarray_handle%info, int(offset, c_intptr_t), &
                     remote_stride, current_image_buffer, current_image_stride, element_size, &
                     extent, rank_of(remote_stride, current_image_stride, extent), stat)
    if (code == 0) code = c_notify(image_num, notify_coarray_handle%info, &
                                   int(notify_offset, c_intptr_t), stat)
    if (code /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  module procedure prif_put_strided_with_notify_indirect
    integer(c_int) :: code
    code = c_strided(.true._c_bool, image_num, coarray_handle%info, int(offset, c_intptr_t), &
                     remote_stride, current_image_buffer, current_image_stride, element_size, &
                     extent, rank_of(remote_stride, current_image_stride, extent), stat)
    if (code == 0) code = c_notify(image_num, c_null_ptr, notify_ptr, stat)
    if (code /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  module procedure prif_put_strided_indirect_with_notify
    integer(c_int) :: code
    code = c_strided(.true._c_bool, image_num, c_null_ptr, remote_ptr, &
                     remote_stride, current_image_buffer, current_image_stride, element_size, &
                     extent, rank_of(remote_stride, current_image_stride, extent), stat)
    if (code == 0) code = c_notify(image_num, notify_coarray_handle%info, &
                                   int(notify_offset, c_intptr_t), stat)
    if (code /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  module procedure prif_put_strided_indirect_with_notify_indirect
    integer(c_int) :: code
    code = c_strided(.true._c_bool, image_num, c_null_ptr, remote_ptr, &
                     remote_stride, current_image_buffer, current_image_stride, element_size, &
                     extent, rank_of(remote_stride, current_image_stride, extent), stat)
    if (code == 0) code = c_notify(image_num, c_null_ptr, notify_ptr, stat)
    if (code /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure
end submodule
