//! Function words of the documents' languages, for questions in them.

use super::codec::{Kind, begin_section, open_section, put_texts, take_texts};
use super::error::BundleError;

/// Encodes the section `function-words`: one table a language, the most frequent language first. Lines are
/// index terms in the order of their bytes, each with a tab and its role in a question: `s` carries no
/// subject, `m` asks for a manner, `q` for a figure, `a` for a figure after `m`, `f` names what is expressed
/// in figures.
pub fn encode_function_words(tables: &[String]) -> Vec<u8> {
    let mut out = begin_section(Kind::FunctionWords);
    put_texts(&mut out, tables);
    out
}

/// Reads the output of [`encode_function_words`]. Fails if the bytes are not such a section.
pub fn decode_function_words(file: &str, bytes: &[u8]) -> Result<Vec<String>, BundleError> {
    let mut b = open_section(file, bytes, Kind::FunctionWords)?;
    let tables = take_texts(&mut b)?;
    b.end().map(|()| tables)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn tables_read_back_and_a_cut_section_is_refused() {
        let tables = vec!["der\ts\nwie\tsm\n".to_owned(), String::new()];
        let bytes = encode_function_words(&tables);
        assert_eq!(decode_function_words("t", &bytes).unwrap(), tables);
        assert!((0..bytes.len()).all(|end| decode_function_words("t", &bytes[..end]).is_err()));
    }
}
