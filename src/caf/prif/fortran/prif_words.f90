! SPDX-License-Identifier: BSD-3-Clause
!
! Locks, critical constructs, events, notifications.
submodule(prif:prif_private) prif_words
  implicit none

  interface
    function c_lock(image, coarray, place, acquired, stat) bind(C, name="causeway_prif_lock")
      import :: c_bool, c_int, c_intptr_t, c_ptr
      integer(c_int), intent(in), value :: image
      type(c_ptr), intent(in), value :: coarray
      integer(c_intptr_t), intent(in), value :: place
      logical(c_bool), intent(out), optional :: acquired
      integer(c_int), intent(out), optional :: stat
      integer(c_int) :: c_lock
    end function
    function c_unlock(image, coarray, place, stat) bind(C, name="causeway_prif_unlock")
      import :: c_int, c_intptr_t, c_ptr
      integer(c_int), intent(in), value :: image
      type(c_ptr), intent(in), value :: coarray
      integer(c_intptr_t), intent(in), value :: place
      integer(c_int), intent(out), optional :: stat
      integer(c_int) :: c_unlock
    end function
    function c_critical(coarray, stat) bind(C, name="causeway_prif_critical")
      import :: c_int, c_ptr
      type(c_ptr), intent(in), value :: coarray
      integer(c_int), intent(out), optional :: stat
      integer(c_int) :: c_critical
    end function
    subroutine c_end_critical(coarray) bind(C, name="causeway_prif_end_critical")
      import :: c_ptr
      type(c_ptr), intent(in), value :: coarray
    end subroutine
    function c_event_post(image, coarray, place, stat) bind(C, name="causeway_prif_event_post")
      import :: c_int, c_intptr_t, c_ptr
      integer(c_int), intent(in), value :: image
      type(c_ptr), intent(in), value :: coarray
      integer(c_intptr_t), intent(in), value :: place
      integer(c_int), intent(out), optional :: stat
      integer(c_int) :: c_event_post
    end function
    function c_event_wait(notify, event, until, stat) bind(C, name="causeway_prif_event_wait")
      import :: c_bool, c_int, c_int64_t, c_ptr
      logical(c_bool), intent(in), value :: notify
      type(c_ptr), intent(in), value :: event
      integer(c_int64_t), intent(in), value :: until
      integer(c_int), intent(out), optional :: stat
      integer(c_int) :: c_event_wait
    end function
    function c_event_query(event, count, stat) bind(C, name="causeway_prif_event_query")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), intent(in), value :: event
      integer(c_int64_t), intent(out) :: count
      integer(c_int), intent(out), optional :: stat
      integer(c_int) :: c_event_query
    end function
  end interface

contains
  module procedure prif_lock
    if (c_lock(image_num, coarray_handle%info, int(offset, c_intptr_t), acquired_lock, &
               stat) /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  module procedure prif_lock_indirect
    if (c_lock(image_num, c_null_ptr, lock_var_ptr, acquired_lock, stat) /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  module procedure prif_unlock
    if (c_unlock(image_num, coarray_handle%info, int(offset, c_intptr_t), stat) /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  module procedure prif_unlock_indirect
    if (c_unlock(image_num, c_null_ptr, lock_var_ptr, stat) /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  module procedure prif_critical
    if (c_critical(critical_coarray%info, stat) /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  module procedure prif_end_critical
    call c_end_critical(critical_coarray%info)
  end procedure

  module procedure prif_event_post
    if (c_event_post(image_num, coarray_handle%info, int(offset, c_intptr_t), stat) /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  module procedure prif_event_post_indirect
    if (c_event_post(image_num, c_null_ptr, event_var_ptr, stat) /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  module procedure prif_event_wait
    integer(c_int64_t) :: until
    until = 1
    if (present(until_count)) until = until_count
    if (c_event_wait(.false._c_bool, event_var_ptr, until, stat) /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  module procedure prif_notify_wait
    integer(c_int64_t) :: until
    until = 1
    if (present(until_count)) until = until_count
    if (c_event_wait(.true._c_bool, notify_var_ptr, until, stat) /= 0) then
      if (present(errmsg)) errmsg = message()
      if (present(errmsg_alloc)) errmsg_alloc = message()
    end if
  end procedure

  module procedure prif_event_query
    integer(c_int) :: code
    code = c_event_query(event_var_ptr, count, stat)
  end procedure
end submodule
