//! Products of matrices that are pieces of larger ones.

/// A matrix inside a slice of numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'a> {
    values: &'a [f32],
    shape: (usize, usize),
    strides: (usize, usize),
}

/// The same, to be written.
pub(super) struct ViewMut<'a> {
    values: &'a mut [f32],
    shape: (usize, usize),
    stride: usize,
}

impl<'a> View<'a> {
    /// Views `rows` rows of `columns` numbers, each of which begins `stride` after the one before.
    pub(super) fn rows(values: &'a [f32], rows: usize, columns: usize, stride: usize) -> View<'a> {
        check(values.len(), rows, columns, stride);
        View { values, shape: (rows, columns), strides: (stride, 1) }
    }

    /// Rows for columns.
    pub(super) fn transposed(self) -> View<'a> {
        View {
            values: self.values,
            shape: (self.shape.1, self.shape.0),
            strides: (self.strides.1, self.strides.0),
        }
    }
}

impl<'a> ViewMut<'a> {
    pub(super) fn rows(values: &'a mut [f32], rows: usize, columns: usize, stride: usize) -> ViewMut<'a> {
        check(values.len(), rows, columns, stride);
        ViewMut { values, shape: (rows, columns), stride }
    }
}

/// The product's kernel reads and writes without looking, so every matrix is checked here to lie inside its
/// slice.
fn check(len: usize, rows: usize, columns: usize, stride: usize) {
    assert!(
        stride >= columns && (rows == 0 || (rows - 1) * stride + columns <= len),
        "{rows} rows of {columns} in {len} numbers"
    );
}

pub(super) fn multiply(factor: f32, a: View<'_>, b: View<'_>, keep: f32, c: ViewMut<'_>) {
    let ((m, k), n) = (a.shape, b.shape.1);
    assert!(b.shape.0 == k && c.shape == (m, n), "{m} x {k} times {} x {n} into {:?}", b.shape.0, c.shape);
    let step = |n: usize| n as isize;
    // SAFETY: `View::rows` and `ViewMut::rows` checked that every element within these shapes and strides
    // lies in its slice, and `c` is borrowed alone.
    unsafe {
        matrixmultiply::sgemm(
            m,
            k,
            n,
            factor,
            a.values.as_ptr(),
            step(a.strides.0),
            step(a.strides.1),
            b.values.as_ptr(),
            step(b.strides.0),
            step(b.strides.1),
            keep,
            c.values.as_mut_ptr(),
            step(c.stride),
            1,
        );
    }
}
