//! Bytes of a file to text.

/// Decodes UTF-8 (with or without a byte-order mark) or UTF-16 (with one). Anything else is refused with a reason, never guessed at: a wrong
/// guess would put garbage into answers, and nobody would know from where.
pub(super) fn decode(bytes: Vec<u8>) -> Result<String, String> {
    let text = if let Some(rest) = bytes.strip_prefix(&[0xff, 0xfe]) {
        utf16(rest, u16::from_le_bytes)?
    } else if let Some(rest) = bytes.strip_prefix(&[0xfe, 0xff]) {
        utf16(rest, u16::from_be_bytes)?
    } else {
        let mark = bytes.starts_with(&[0xef, 0xbb, 0xbf]);
        let mut text = String::from_utf8(bytes).map_err(|e| {
            let at = e.utf8_error().valid_up_to();
            let byte = e.as_bytes().get(at).copied().unwrap_or(0);
            match e.as_bytes().get(..at).and_then(|b| b.iter().position(|&b| b == 0)) {
                Some(nul) => format!("holds a NUL byte at offset {nul}: not a text file"),
                None => format!("not UTF-8: byte 0x{byte:02x} at offset {at}"),
            }
        })?;
        if mark {
            text.drain(..3);
        }
        text
    };
    match text.bytes().position(|b| b == 0) {
        Some(at) => Err(format!("holds a NUL byte at offset {at}: not a text file")),
        None => Ok(text),
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, String> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return Err("not UTF-16: an odd number of bytes after its byte-order mark".into());
    }
    char::decode_utf16(pairs.iter().map(|&p| unit(p)))
        .collect::<Result<String, _>>()
        .map_err(|e| format!("not UTF-16: unpaired surrogate 0x{:04x}", e.unpaired_surrogate()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::decode;

    #[test]
    fn byte_order_marks_are_understood_and_dropped() {
        assert_eq!(decode(b"\xef\xbb\xbfcaf\xc3\xa9".to_vec()).unwrap(), "café");
        assert_eq!(decode(b"\xff\xfeh\0i\0".to_vec()).unwrap(), "hi");
        assert_eq!(decode(b"\xfe\xff\0h\0i".to_vec()).unwrap(), "hi");
    }

    #[test]
    fn what_is_not_text_is_refused_with_its_place() {
        assert_eq!(decode(b"caf\xe9".to_vec()).unwrap_err(), "not UTF-8: byte 0xe9 at offset 3");
        assert!(decode(b"a\0b".to_vec()).unwrap_err().contains("NUL byte at offset 1"));
        assert!(decode(b"\x7fELF\0\xff".to_vec()).unwrap_err().contains("NUL byte at offset 4"));
        assert!(decode(b"\xff\xfeh".to_vec()).unwrap_err().contains("odd number"));
        assert!(decode(b"\xff\xfe\x00\xd8".to_vec()).unwrap_err().contains("surrogate"));
    }
}
