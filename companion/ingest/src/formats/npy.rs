//! NumPy's `.npy` files of one matrix.

/// How a number is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Number {
    F32,
    F16,
}

impl Number {
    pub fn bytes(self) -> usize {
        match self {
            Number::F32 => 4,
            Number::F16 => 2,
        }
    }
}

/// The header of a file: rows, columns, kind of number, and where the numbers start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    pub rows: usize,
    pub columns: usize,
    pub number: Number,
    pub data: usize,
}

/// Reads the header of a little-endian, row-major matrix of f32 or f16.
pub(crate) fn header(bytes: &[u8]) -> Result<Header, String> {
    let rest = bytes.strip_prefix(b"\x93NUMPY").ok_or("not a .npy file: it does not start with \\x93NUMPY")?;
    let cut = || "not a .npy file: its header is cut short".to_owned();
    let (length, start) = match rest {
        [1, _, a, b, ..] => (usize::from(u16::from_le_bytes([*a, *b])), 10),
        [2 | 3, _, a, b, c, d, ..] => (u32::from_le_bytes([*a, *b, *c, *d]) as usize, 12),
        [major, ..] if !(1..=3).contains(major) => return Err(format!("version {major} of the .npy format is not known (1 to 3 are)")),
        _ => return Err(cut()),
    };
    if length > 1 << 16 {
        return Err(format!("not a .npy file: a header of {length} bytes"));
    }
    let text = bytes.get(start..start + length).ok_or_else(cut)?;
    let text = std::str::from_utf8(text).map_err(|_| "not a .npy file: its header is not text".to_owned())?;
    let missing = |name: &str| format!("not a .npy file: its header has no '{name}'");
    let descr = value(text, "descr").ok_or_else(|| missing("descr"))?;
    let descr = descr
        .strip_prefix(['\'', '"'])
        .and_then(|d| d.split(['\'', '"']).next())
        .ok_or("a structured dtype: expected a plain matrix of float32")?;
    let number = match descr {
        "<f4" => Number::F32,
        "<f2" => Number::F16,
        other => return Err(format!("dtype {other}: expected float32 or float16, little-endian (save with .astype('<f4'))")),
    };
    let order = value(text, "fortran_order").ok_or_else(|| missing("fortran_order"))?;
    if !order.starts_with("False") {
        return Err("column-major order: expected row-major (save with numpy.ascontiguousarray)".into());
    }
    let shape = value(text, "shape").ok_or_else(|| missing("shape"))?;
    let inner = shape.strip_prefix('(').and_then(|s| s.split_once(')')).map(|(s, _)| s).ok_or_else(|| missing("shape"))?;
    let sizes: Vec<usize> = inner
        .split(',')
        .map(str::trim)
        .filter(|s| !s.is_empty())
        .map(|s| s.parse().map_err(|_| format!("shape ({inner}): not numbers")))
        .collect::<Result<_, _>>()?;
    let &[rows, columns] = sizes.as_slice() else { return Err(format!("shape ({inner}): expected a matrix, (chunks, dimension)")) };
    Ok(Header { rows, columns, number, data: start + length })
}

/// What follows a key of the header's dictionary.
fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    ['\'', '"'].iter().find_map(|q| {
        let quoted = format!("{q}{key}{q}");
        let after = text.get(text.find(&quoted)? + quoted.len()..)?;
        Some(after.trim_start().strip_prefix(':')?.trim_start())
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A file as NumPy writes it.
    pub fn file(descr: &str, order: &str, shape: &str, data: &[u8]) -> Vec<u8> {
        let mut header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}");
        while (10 + header.len() + 1) % 64 != 0 {
            header.push(' ');
        }
        header.push('\n');
        let mut out = b"\x93NUMPY\x01\x00".to_vec();
        out.extend((header.len() as u16).to_le_bytes());
        out.extend(header.as_bytes());
        out.extend(data);
        out
    }

    #[test]
    fn a_matrix_as_numpy_writes_it_is_read() {
        let h = header(&file("<f4", "False", "(2, 3)", &[0; 24])).unwrap();
        assert_eq!((h.rows, h.columns, h.number, h.data), (2, 3, Number::F32, 128));
    }

    #[test]
    fn what_is_not_a_row_major_float_matrix_is_refused_by_its_reason() {
        let error = |d, o, s| header(&file(d, o, s, &[])).unwrap_err();
        assert!(error("<f8", "False", "(2, 3)").contains("dtype <f8"));
        assert!(error("<f4", "True", "(2, 3)").contains("row-major"));
        assert!(error("<f4", "False", "(6,)").contains("expected a matrix"));
        assert!(error("<f4", "False", "(2, -3)").contains("not numbers"));
        assert!(header(b"PK\x03\x04").unwrap_err().contains("not a .npy"));
        assert!(header(b"\x93NUMPY\x09\x00").unwrap_err().contains("version 9"));
    }

    proptest! {
        #[test]
        fn no_header_can_panic(bytes in proptest::collection::vec(any::<u8>(), 0..40), at in 0usize..128, flip in any::<u8>()) {
            let _ = header(&[b"\x93NUMPY".as_slice(), &bytes].concat());
            let mut good = file("<f4", "False", "(2, 3)", &[0; 24]);
            good[at] ^= flip;
            let _ = header(&good);
            let _ = header(&good[..at]);
        }
    }
}
