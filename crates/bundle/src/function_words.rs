//! The function words of the languages that documents are in, for questions in these.

use super::codec::{Kind, begin, open_section, put_texts, take_texts};
use super::error::BundleError;

/// The section `function-words`: one table a language, the commonest first. Its lines are words in the order of their bytes, as index terms, each with a tab and what
/// it does in a question: `s` it says nothing of what is asked, `m` it asks for a manner, `q` for a figure, `a` for a figure behind one that asks for a manner, `f` it
/// names what is told in figures.
pub fn encode_function_words(tables: &[String]) -> Vec<u8> {
    let mut out = begin(Kind::FunctionWords);
    put_texts(&mut out, tables);
    out
}

/// Reads what [`encode_function_words`] wrote.
///
/// # Errors
/// [`BundleError`] when the bytes are no such section.
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
