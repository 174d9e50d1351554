//! Documents that are translations of each other.

use super::codec::{Kind, begin_section, open_section, put_texts, put_varints, take_texts, take_varints};
use super::error::BundleError;

/// Document that exists in other languages too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Translated {
    /// Number of the document, as chunks number them.
    pub document: u32,
    /// Number of its group of translations.
    pub original: u32,
    /// Index of its language in [`Translations::languages`].
    pub language: u32,
}

/// The section `translations`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Translations {
    /// Language tags, as `de`.
    pub languages: Vec<String>,
    /// The documents, ascending.
    pub documents: Vec<Translated>,
}

impl Translations {
    /// Returns the entry of a document; `None` if it exists in one language only.
    pub fn of(&self, document: u32) -> Option<&Translated> {
        self.documents
            .binary_search_by_key(&document, |d| d.document)
            .ok()
            .and_then(|at| self.documents.get(at))
    }

    /// Returns the tag of a language.
    pub fn language(&self, language: u32) -> &str {
        self.languages.get(language as usize).map_or("", String::as_str)
    }

    /// Returns the section's bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = begin_section(Kind::Translations);
        put_texts(&mut out, &self.languages);
        let mut next = 0;
        let numbers = self.documents.iter().flat_map(|d| {
            let skipped = d.document - next;
            next = d.document + 1;
            [skipped, d.original, d.language]
        });
        put_varints(&mut out, &numbers.collect::<Vec<_>>());
        out
    }

    /// Reads the output of [`Translations::encode`]. Fails if the bytes are not such a section.
    pub fn decode(file: &str, bytes: &[u8]) -> Result<Translations, BundleError> {
        let mut b = open_section(file, bytes, Kind::Translations)?;
        let mut out = Translations { languages: take_texts(&mut b)?, documents: Vec::new() };
        let numbers = take_varints(&mut b)?;
        let mut next = Some(0_u32);
        for triple in numbers.chunks(3) {
            let (&[skipped, original, language], Some(from)) = (triple, next) else {
                return Err(b.corrupt("its list of documents is cut"));
            };
            let Some(document) = from.checked_add(skipped) else {
                return Err(b.corrupt("it numbers documents that cannot be"));
            };
            out.documents.push(Translated { document, original, language });
            next = document.checked_add(1);
        }
        b.end().map(|()| out)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn translations_read_back_and_a_cut_section_is_refused() {
        let of = |document, original, language| Translated { document, original, language };
        let all = Translations {
            languages: vec!["de".into(), "en".into()],
            documents: vec![of(0, 0, 1), of(3, 1, 0), of(4, 0, 0), of(9, 1, 1)],
        };
        let bytes = all.encode();
        assert_eq!(Translations::decode("t", &bytes).unwrap(), all);
        assert!((0..bytes.len()).all(|end| Translations::decode("t", &bytes[..end]).is_err()));
        assert_eq!((all.of(4), all.of(5)), (Some(&of(4, 0, 0)), None));
        assert_eq!((all.language(1), all.language(7)), ("en", ""));
    }

    #[test]
    fn numbers_beyond_all_documents_and_half_a_document_are_refused() {
        let section = |numbers: &[u32]| {
            let mut out = begin_section(Kind::Translations);
            put_texts(&mut out, &["de".to_owned()]);
            put_varints(&mut out, numbers);
            out
        };
        assert!(Translations::decode("t", &section(&[0, 0, 0, 1, 0])).is_err());
        assert!(Translations::decode("t", &section(&[u32::MAX, 0, 0, 0, 0, 0])).is_err());
        assert!(Translations::decode("t", &section(&[u32::MAX - 1, 0, 0, 1, 0, 0])).is_err());
    }
}
