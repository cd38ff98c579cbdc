//! Reusable buffers that start on a cache line, so that no vector load straddles two.

/// Bytes of a cache line.
const LINE: usize = 64;

/// Numbers that start on a cache line.
pub(super) struct Aligned<T = f32> {
    store: Vec<T>,
    start: usize,
    len: usize,
}

impl<T: Copy + Default> Aligned<T> {
    /// Creates `len` zeros.
    pub(super) fn zeros(len: usize) -> Self {
        let padding = LINE / size_of::<T>();
        let store = vec![T::default(); len + padding];
        let start = store.as_ptr().align_offset(LINE).min(padding);
        Self { store, start, len }
    }

    /// Returns the first `len` numbers, whatever they hold; a buffer that is too short is replaced by a longer one.
    pub(super) fn room(&mut self, len: usize) -> &mut [T] {
        if self.len < len {
            *self = Self::zeros(len);
        }
        &mut self.as_mut_slice()[..len]
    }

    /// Returns the numbers.
    pub(super) fn as_slice(&self) -> &[T] {
        &self.store[self.start..self.start + self.len]
    }

    /// Returns the numbers for writing.
    pub(super) fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.store[self.start..self.start + self.len]
    }
}

impl<T: Copy + Default> Default for Aligned<T> {
    fn default() -> Self {
        Self::zeros(0)
    }
}
