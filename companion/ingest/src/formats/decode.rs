//! Bytes of a file to text.

use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};

/// Bytes at the beginning of a file in which it may declare its encoding, as HTML has it.
const TOP: usize = 1024;

/// Decodes UTF-8, what a byte-order mark says, or what the file declares. Anything else is refused with a
/// reason, never guessed at: a wrong guess would put garbage into answers, and nobody would know from where.
pub(super) fn decode_text(bytes: Vec<u8>) -> Result<String, String> {
    let text = match Encoding::for_bom(&bytes) {
        Some((encoding, mark)) => decode_as(bytes.get(mark..).unwrap_or(&[]), encoding)?,
        None => match String::from_utf8(bytes) {
            // The one encoding whose bytes are all those of ASCII.
            Ok(text) if find_declared(text.as_bytes()) == Some(ISO_2022_JP) => {
                decode_as(text.as_bytes(), ISO_2022_JP)?
            }
            Ok(text) => text,
            Err(e) => match find_declared(e.as_bytes()).filter(|encoding| *encoding != UTF_8) {
                Some(encoding) => decode_as(e.as_bytes(), encoding)?,
                None => return Err(not_utf8(&e)),
            },
        },
    };
    match text.bytes().position(|b| b == 0) {
        Some(at) => Err(format!("holds a NUL byte at offset {at}: not a text file")),
        None => Ok(text),
    }
}

fn not_utf8(e: &std::string::FromUtf8Error) -> String {
    let at = e.utf8_error().valid_up_to();
    let byte = e.as_bytes().get(at).copied().unwrap_or(0);
    match e.as_bytes().get(..at).and_then(|b| b.iter().position(|&b| b == 0)) {
        Some(nul) => format!("holds a NUL byte at offset {nul}: not a text file"),
        None => format!("not UTF-8: byte 0x{byte:02x} at offset {at}, and it declares no other encoding"),
    }
}

fn decode_as(bytes: &[u8], encoding: &'static Encoding) -> Result<String, String> {
    let (text, damaged) = encoding.decode_without_bom_handling(bytes);
    if damaged {
        Err(format!("not {}, which it says that it is", encoding.name()))
    } else {
        Ok(text.into_owned())
    }
}

/// The encoding that a file declares: in `<meta charset>` or its older form, in the first line of XML, or in
/// a comment `-*- coding: … -*-`.
fn find_declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let top = String::from_utf8_lossy(bytes.get(..TOP).unwrap_or(bytes)).to_ascii_lowercase();
    let xml = top
        .strip_prefix("<?xml")
        .and_then(|t| t.split_once("?>"))
        .and_then(|(declaration, _)| declaration.split_once("encoding="))
        .map(|(_, r)| r);
    let comment =
        || top.lines().take(2).find_map(|l| l.split_once("-*-")?.1.split_once("coding:")).map(|(_, r)| r);
    let meta = || {
        top.split("<meta")
            .skip(1)
            .find_map(|element| element.split('>').next()?.split_once("charset="))
            .map(|(_, r)| r)
    };
    let label = xml.or_else(comment).or_else(meta)?.trim_start().trim_start_matches(['"', '\'']);
    let end = label
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.')))
        .unwrap_or(label.len());
    // What could be read as ASCII up to here is not UTF-16.
    let label = label.get(..end)?;
    // Other programs part the names of encodings with signs where HTML has none.
    let encoding = Encoding::for_label(label.as_bytes())
        .or_else(|| Encoding::for_label(label.replace(['-', '_'], "").as_bytes()));
    encoding.filter(|e| *e != UTF_16LE && *e != UTF_16BE)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::decode_text;

    #[test]
    fn byte_order_marks_are_understood_and_dropped() {
        assert_eq!(decode_text(b"\xef\xbb\xbfcaf\xc3\xa9".to_vec()).unwrap(), "café");
        assert_eq!(decode_text(b"\xff\xfeh\0i\0".to_vec()).unwrap(), "hi");
        assert_eq!(decode_text(b"\xfe\xff\0h\0i".to_vec()).unwrap(), "hi");
    }

    #[test]
    fn declared_encodings_are_decoded() {
        for declaration in [
            "<meta charset=windows-1252>",
            "<head><meta http-equiv=\"Content-Type\" content=\"text/html; charset=iso-8859-1\">",
            "<?xml version=\"1.0\" encoding='latin1'?>",
            ".. -*- coding: latin-1 -*-\n",
        ] {
            assert!(
                decode_text([declaration.as_bytes(), b"caf\xe9"].concat()).unwrap().ends_with("café"),
                "{declaration}"
            );
        }
        assert!(decode_text(b"<meta charset=shift_jis>\x88\xea".to_vec()).unwrap().ends_with("一"));
        assert!(decode_text(b"<meta charset=iso-2022-jp>\x1b$B0l\x1b(B".to_vec()).unwrap().ends_with("一"));
        assert!(
            decode_text(b"<meta charset=latin1>caf\xc3\xa9".to_vec()).unwrap().ends_with("café"),
            "UTF-8 for sure"
        );
    }

    #[test]
    fn what_is_not_text_is_refused_with_its_place() {
        assert!(
            decode_text(b"caf\xe9".to_vec()).unwrap_err().starts_with("not UTF-8: byte 0xe9 at offset 3")
        );
        assert!(decode_text(b"charset=latin1 caf\xe9".to_vec()).is_err(), "a mention is no declaration");
        assert!(decode_text(b"a\0b".to_vec()).unwrap_err().contains("NUL byte at offset 1"));
        assert!(decode_text(b"\x7fELF\0\xff".to_vec()).unwrap_err().contains("NUL byte at offset 4"));
        assert!(decode_text(b"\xff\xfeh".to_vec()).unwrap_err().contains("UTF-16"));
        assert!(decode_text(b"\xff\xfe\x00\xd8".to_vec()).unwrap_err().contains("UTF-16"));
    }
}
