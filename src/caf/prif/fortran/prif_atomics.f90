! SPDX-License-Identifier: BSD-3-Clause
!
! Atomics. A logical is a word of 0 or 1.
submodule(prif:prif_private) prif_atomics
  implicit none

  !> Numbers of operations (src/caf/prif/words.c).
  integer(c_int), parameter :: define = 0, ref = 1, cas = 2, add = 3, and = 4, or = 5, xor = 6
  integer(PRIF_ATOMIC_INT_KIND), parameter :: none = 0, one = 1

  interface
    function c_atomic(op, image, coarray, place, value, compare, old, stat) &
        bind(C, name="causeway_prif_atomic")
      import :: c_int, c_int64_t, c_intptr_t, c_ptr
      integer(c_int), intent(in), value :: op, image
      type(c_ptr), intent(in), value :: coarray
      integer(c_intptr_t), intent(in), value :: place
      integer(c_int64_t), intent(in), value :: value, compare
      integer(c_int64_t), intent(out), optional :: old
      integer(c_int), intent(out), optional :: stat
      integer(c_int) :: c_atomic
    end function
  end interface

contains
  pure function bits(value)
    logical(PRIF_ATOMIC_LOGICAL_KIND), intent(in) :: value
    integer(PRIF_ATOMIC_INT_KIND) :: bits
    bits = merge(one, none, value)
  end function

  module procedure prif_atomic_add
    integer(c_int) :: code
    code = c_atomic(add, image_num, coarray_handle%info, int(offset, c_intptr_t), value, none, &
                    stat=stat)
  end procedure

  module procedure prif_atomic_fetch_add
    integer(c_int) :: code
    code = c_atomic(add, image_num, coarray_handle%info, int(offset, c_intptr_t), value, none, &
                    old, stat)
  end procedure

  module procedure prif_atomic_and
    integer(c_int) :: code
    code = c_atomic(and, image_num, coarray_handle%info, int(offset, c_intptr_t), value, none, &
                    stat=stat)
  end procedure

  module procedure prif_atomic_fetch_and
    integer(c_int) :: code
    code = c_atomic(and, image_num, coarray_handle%info, int(offset, c_intptr_t), value, none, &
                    old, stat)
  end procedure

  module procedure prif_atomic_or
    integer(c_int) :: code
    code = c_atomic(or, image_num, coarray_handle%info, int(offset, c_intptr_t), value, none, &
                    stat=stat)
  end procedure

  module procedure prif_atomic_fetch_or
    integer(c_int) :: code
    code = c_atomic(or, image_num, coarray_handle%info, int(offset, c_intptr_t), value, none, &
                    old, stat)
  end procedure

  module procedure prif_atomic_xor
    integer(c_int) :: code
    code = c_atomic(xor, image_num, coarray_handle%info, int(offset, c_intptr_t), value, none, &
                    stat=stat)
  end procedure

  module procedure prif_atomic_fetch_xor
    integer(c_int) :: code
    code = c_atomic(xor, image_num, coarray_handle%info, int(offset, c_intptr_t), value, none, &
                    old, stat)
  end procedure

  module procedure prif_atomic_define_int
    integer(c_int) :: code
    code = c_atomic(define, image_num, coarray_handle%info, int(offset, c_intptr_t), value, &
                    none, stat=stat)
  end procedure

  module procedure prif_atomic_define_logical
    integer(c_int) :: code
    code = c_atomic(define, image_num, coarray_handle%info, int(offset, c_intptr_t), &
                    bits(value), none, stat=stat)
  end procedure

  module procedure prif_atomic_ref_int
    integer(c_int) :: code
    code = c_atomic(ref, image_num, coarray_handle%info, int(offset, c_intptr_t), none, none, &
                    value, stat)
  end procedure

  module procedure prif_atomic_ref_logical
    integer(c_int) :: code
    integer(PRIF_ATOMIC_INT_KIND) :: word
    code = c_atomic(ref, image_num, coarray_handle%info, int(offset, c_intptr_t), none, none, &
                    word, stat)
    value = word /= 0
  end procedure

  module procedure prif_atomic_cas_int
    integer(c_int) :: code
    code = c_atomic(cas, image_num, coarray_handle%info, int(offset, c_intptr_t), new, compare, &
                    old, stat)
  end procedure

  module procedure prif_atomic_cas_logical
    integer(c_int) :: code
    integer(PRIF_ATOMIC_INT_KIND) :: word
    code = c_atomic(cas, image_num, coarray_handle%info, int(offset, c_intptr_t), bits(new), &
                    bits(compare), word, stat)
    old = word /= 0
  end procedure

  module procedure prif_atomic_add_indirect
    integer(c_int) :: code
    code = c_atomic(add, image_num, c_null_ptr, atom_remote_ptr, value, none, stat=stat)
  end procedure

  module procedure prif_atomic_fetch_add_indirect
    integer(c_int) :: code
    code = c_atomic(add, image_num, c_null_ptr, atom_remote_ptr, value, none, old, stat)
  end procedure

  module procedure prif_atomic_and_indirect
    integer(c_int) :: code
    code = c_atomic(and, image_num, c_null_ptr, atom_remote_ptr, value, none, stat=stat)
  end procedure

  module procedure prif_atomic_fetch_and_indirect
    integer(c_int) :: code
    code = c_atomic(and, image_num, c_null_ptr, atom_remote_ptr, value, none, old, stat)
  end procedure

  module procedure prif_atomic_or_indirect
    integer(c_int) :: code
    code = c_atomic(or, image_num, c_null_ptr, atom_remote_ptr, value, none, stat=stat)
  end procedure

  module procedure prif_atomic_fetch_or_indirect
    integer(c_int) :: code
    code = c_atomic(or, image_num, c_null_ptr, atom_remote_ptr, value, none, old, stat)
  end procedure

  module procedure prif_atomic_xor_indirect
    integer(c_int) :: code
    code = c_atomic(xor, image_num, c_null_ptr, atom_remote_ptr, value, none, stat=stat)
  end procedure

  module procedure prif_atomic_fetch_xor_indirect
    integer(c_int) :: code
    code = c_atomic(xor, image_num, c_null_ptr, atom_remote_ptr, value, none, old, stat)
  end procedure

  module procedure prif_atomic_define_int_indirect
    integer(c_int) :: code
    code = c_atomic(define, image_num, c_null_ptr, atom_remote_ptr, value, none, stat=stat)
  end procedure

  module procedure prif_atomic_define_logical_indirect
    integer(c_int) :: code
    code = c_atomic(define, image_num, c_null_ptr, atom_remote_ptr, bits(value), none, stat=stat)
  end procedure

  module procedure prif_atomic_ref_int_indirect
    integer(c_int) :: code
    code = c_atomic(ref, image_num, c_null_ptr, atom_remote_ptr, none, none, value, stat)
  end procedure

  module procedure prif_atomic_ref_logical_indirect
    integer(c_int) :: code
    integer(PRIF_ATOMIC_INT_KIND) :: word
    code = c_atomic(ref, image_num, c_null_ptr, atom_remote_ptr, none, none, word, stat)
    value = word /= 0
  end procedure

  module procedure prif_atomic_cas_int_indirect
    integer(c_int) :: code
    code = c_atomic(cas, image_num, c_null_ptr, atom_remote_ptr, new, compare, old, stat)
  end procedure

  module procedure prif_atomic_cas_logical_indirect
    integer(c_int) :: code
    integer(PRIF_ATOMIC_INT_KIND) :: word
    code = c_atomic(cas, image_num, c_null_ptr, atom_remote_ptr, bits(new), bits(compare), word, &
                    stat)
    old = word /= 0
  end procedure
end submodule
