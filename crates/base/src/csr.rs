//! Compressed sparse rows.

/// Sparse matrix in compressed rows (CSR). Row `i` has the columns `columns[offsets[i]..offsets[i + 1]]`,
/// strictly ascending, with the values at these places. As a graph: neighbours of node `i`, with weights.
#[derive(Debug, Clone, PartialEq)]
pub struct Csr<T> {
    columns_count: usize,
    offsets: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<T>,
}

/// Reason why arrays are not a CSR matrix.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CsrError {
    /// Row offsets must start at 0, never fall, and end at the number of stored values.
    #[error("row offsets are not ascending from 0 to the number of values")]
    Offsets,
    /// Columns of a row must ascend strictly and lie inside the matrix.
    #[error("columns of row {0} are not strictly ascending inside the matrix")]
    Columns(usize),
}

impl<T: Copy> Csr<T> {
    /// Checks three arrays and makes a matrix of them.
    ///
    /// # Errors
    /// [`CsrError`] if the arrays do not describe a matrix of `columns_count` columns.
    pub fn new(
        columns_count: usize,
        offsets: Vec<u32>,
        columns: Vec<u32>,
        values: Vec<T>,
    ) -> Result<Self, CsrError> {
        if offsets.first() != Some(&0)
            || offsets.windows(2).any(|w| w[0] > w[1])
            || offsets.last().map(|&n| n as usize) != Some(columns.len())
            || columns.len() != values.len()
        {
            return Err(CsrError::Offsets);
        }
        let matrix = Csr { columns_count, offsets, columns, values };
        for row in 0..matrix.rows() {
            let c = matrix.row(row).0;
            if c.windows(2).any(|w| w[0] >= w[1]) || c.last().is_some_and(|&l| l as usize >= columns_count) {
                return Err(CsrError::Columns(row));
            }
        }
        Ok(matrix)
    }

    /// Makes a matrix of rows of (column, value) pairs in any order. The last of a repeated column wins.
    pub fn from_rows(columns_count: usize, rows: Vec<Vec<(u32, T)>>) -> Self {
        let (mut offsets, mut columns, mut values) = (vec![0u32], Vec::new(), Vec::new());
        for mut row in rows {
            row.sort_by_key(|&(c, _)| c);
            let start = columns.len();
            for (c, v) in row {
                debug_assert!((c as usize) < columns_count);
                if columns.len() > start && columns.last() == Some(&c) {
                    values.pop();
                    columns.pop();
                }
                columns.push(c);
                values.push(v);
            }
            offsets.push(columns.len() as u32);
        }
        Csr { columns_count, offsets, columns, values }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns_count
    }

    /// Number of stored values.
    pub fn stored(&self) -> usize {
        self.columns.len()
    }

    /// Returns the columns and values of row `i`; empty if the matrix has no such row.
    pub fn row(&self, i: usize) -> (&[u32], &[T]) {
        match (self.offsets.get(i), self.offsets.get(i + 1)) {
            (Some(&a), Some(&b)) => {
                (&self.columns[a as usize..b as usize], &self.values[a as usize..b as usize])
            }
            _ => (&[], &[]),
        }
    }

    /// Returns the value at row `i`, column `j`, if one is stored there.
    pub fn get(&self, i: usize, j: u32) -> Option<T> {
        let (columns, values) = self.row(i);
        columns.binary_search(&j).ok().map(|at| values[at])
    }

    /// Returns the three arrays: row offsets (rows + 1), columns, values.
    pub fn parts(&self) -> (&[u32], &[u32], &[T]) {
        (&self.offsets, &self.columns, &self.values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_that_are_no_matrix_are_refused() {
        assert_eq!(Csr::new(3, vec![0, 2], vec![1, 0], vec![1, 1]).err(), Some(CsrError::Columns(0)));
        assert_eq!(Csr::new(3, vec![0, 1], vec![3], vec![1]).err(), Some(CsrError::Columns(0)));
        assert_eq!(Csr::new(3, vec![0, 3], vec![1], vec![1]).err(), Some(CsrError::Offsets));
        assert_eq!(Csr::new(3, vec![], vec![], Vec::<u8>::new()).err(), Some(CsrError::Offsets));
    }

    #[test]
    fn rows_come_back_sorted_and_once() {
        let m = Csr::from_rows(4, vec![vec![(3, 'c'), (1, 'a'), (3, 'd')], vec![]]);
        assert_eq!(m.row(0), (&[1, 3][..], &['a', 'd'][..]));
        assert_eq!(
            (m.row(1).0.len(), m.get(0, 3), m.get(0, 2), m.rows(), m.stored()),
            (0, Some('d'), None, 2, 2)
        );
    }
}
