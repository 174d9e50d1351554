//! Splits the corpus into runs of words: prose only, cut where no phrase can continue.

use super::ChunkView;
use super::wordclass::{find_singular, is_function_word};
use pocketgraph_languages::common_languages;
use pocketgraph_text::lexicon::{LANGUAGES, Language, Table, find_language};
use pocketgraph_text::{fold, words};
use std::collections::HashMap;

/// A word in a text.
#[derive(Debug, Clone, Copy)]
pub struct Token {
    /// Its key: case, accents and plural folded away.
    pub key: u32,
    /// Its written form.
    pub surface: u32,
    /// True if it follows the token before after one space, line break or hyphen, or as an ideograph.
    pub joined: bool,
    /// True if a hyphen joins it to the token before.
    pub hyphen: bool,
    /// True if it continues a path or name in code ("io" in "std::io"), and is no word of its own.
    pub member: bool,
    /// True if such a continuation follows it.
    pub owner: bool,
    /// True if it starts a sentence or a line, where a capital means nothing.
    pub initial: bool,
}

/// Strings with numbers, in the order of their first occurrence.
#[derive(Debug, Default)]
pub struct Names {
    index: HashMap<String, u32>,
    list: Vec<String>,
}

impl Names {
    /// Returns the number of a string, a new one if needed.
    pub fn id(&mut self, name: &str) -> u32 {
        if let Some(&id) = self.index.get(name) {
            return id;
        }
        let id = self.list.len() as u32;
        self.list.push(name.to_owned());
        self.index.insert(name.to_owned(), id);
        id
    }

    /// Returns the number of a string that has one.
    pub fn find(&self, name: &str) -> Option<u32> {
        self.index.get(name).copied()
    }

    /// Returns the string with a number; empty for an unknown number.
    pub fn get(&self, id: u32) -> &str {
        self.list.get(id as usize).map_or("", String::as_str)
    }

    /// Returns the number of strings.
    pub fn len(&self) -> usize {
        self.list.len()
    }
}

/// Tokens of all chunks and of all distinct headings.
#[derive(Debug, Default)]
pub struct Corpus {
    /// Written forms.
    pub surfaces: Names,
    /// Word keys.
    pub keys: Names,
    key_of: Vec<u32>,
    /// Tokens of each chunk's prose.
    pub chunks: Vec<Vec<Token>>,
    /// Tokens of each distinct title or heading.
    pub headings: Vec<Vec<Token>>,
    /// The function words of the languages that it is in.
    pub function_words: Vec<Table<'static>>,
}

impl Corpus {
    /// Reads all chunks.
    pub fn new(chunks: &[ChunkView<'_>]) -> Self {
        let mut corpus = Corpus { function_words: function_words(chunks), ..Corpus::default() };
        let mut headings = Names::default();
        for chunk in chunks {
            let tokens = corpus.tokens(chunk.text, true);
            corpus.chunks.push(tokens);
            headings.id(chunk.title);
            chunk.headings.iter().for_each(|h| _ = headings.id(h));
        }
        corpus.headings = headings.list.iter().map(|h| corpus.tokens(h, false)).collect();
        corpus
    }

    /// Splits a text into tokens, without lines of code if `prose_only`.
    pub fn tokens(&mut self, text: &str, prose_only: bool) -> Vec<Token> {
        let code = if prose_only { code_lines(text) } else { Vec::new() };
        let mut next_code = code.iter().peekable();
        let mut out = Vec::new();
        let mut end_before: Option<usize> = None;
        let mut ideograph_before = false;
        for word in words(text) {
            while next_code.next_if(|c| c.end <= word.span.start).is_some() {}
            if next_code.peek().is_some_and(|c| c.start <= word.span.start) {
                end_before = None;
                continue;
            }
            let gap = end_before.and_then(|end| text.get(end..word.span.start));
            let ideograph = word.text.chars().next().is_some_and(is_ideograph);
            let joined = match gap {
                Some("") => ideograph && ideograph_before,
                Some("-") => !ideograph && !ideograph_before,
                Some(gap) => {
                    !ideograph
                        && !ideograph_before
                        && !gap.is_empty()
                        && gap.chars().all(char::is_whitespace)
                        && gap.matches('\n').count() < 2
                }
                None => false,
            };
            let initial =
                gap.is_none_or(|gap| gap.contains(['.', '!', '?', ':', '\n', '"', '“', '•', '*', '(']));
            let (before, after) = (text.get(..word.span.start), text.get(word.span.end..));
            let member = before.is_some_and(|b| is_tied(b.chars().rev()));
            let owner = after.is_some_and(|a| is_tied(a.chars()));
            let joined = joined && !member;
            let surface = self.surfaces.id(word.text);
            if surface as usize == self.key_of.len() {
                let key = self.keys.id(&key_of(word.text));
                self.key_of.push(key);
            }
            let hyphen = joined && gap == Some("-");
            out.push(Token {
                key: self.key_of[surface as usize],
                surface,
                joined,
                hyphen,
                member,
                owner,
                initial,
            });
            end_before = Some(word.span.end);
            ideograph_before = ideograph;
        }
        out
    }
}

/// Returns true if the next characters, in either direction, tie a word to another as in code ("::", "/").
fn is_tied(mut away: impl Iterator<Item = char>) -> bool {
    match (away.next(), away.next(), away.next()) {
        (Some(':'), Some(':'), Some(c)) => is_name(c),
        (Some('/' | '\\' | '.' | '<' | '@' | '='), Some(c), _) => is_name(c),
        _ => false,
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the key of all forms of a word: folded, without possessive, singular unless it is a code name.
fn key_of(word: &str) -> String {
    let folded = fold(word);
    let base = folded.strip_suffix("'s").or_else(|| folded.strip_suffix("’s")).unwrap_or(&folded);
    // "does" is no plural, and its singular is in no list.
    if is_identifier(word) || is_function_word(base) { base.to_owned() } else { find_singular(base) }
}

/// Returns true if a word looks like code or an acronym: with an underscore, a digit, or a capital inside.
pub fn is_identifier(word: &str) -> bool {
    word.chars().skip(1).any(|c| c.is_uppercase())
        || word.contains('_')
        || word.chars().any(|c| c.is_ascii_digit())
}

/// Returns true for scripts without spaces, whose characters count as words.
pub fn is_ideograph(c: char) -> bool {
    matches!(c as u32, 0x3040..=0x30ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3134f)
}

/// Returns the function words of each language that enough chunks are in.
fn function_words(chunks: &[ChunkView<'_>]) -> Vec<Table<'static>> {
    let common = common_languages(chunks.iter().map(|chunk| chunk.language), chunks.len());
    common.filter_map(|tag| find_language(&LANGUAGES, &tag)).map(Language::stop_words).collect()
}

/// Returns the byte ranges of lines that are code, console output or tables rather than prose.
fn code_lines(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut out = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if is_code(line.trim()) {
            out.push(start..start + line.len());
        }
        start += line.len();
    }
    out
}

fn is_code(line: &str) -> bool {
    const STARTS: &[&str] = &[
        "//", "#!", "#[", "$ ", "> ", "| ", "--> ", "= note", "= help", "use ", "let ", "fn ", "pub ",
        "impl ", "struct ", "enum ", "mod ", "match ", "import ", "def ", "const ", "static ", "println!",
        "assert", "}", "{", "<", "]", ")",
    ];
    const SYMBOLS: &str = "{}()[];=<>|&$#\\/_+^~@%*";
    if line.is_empty() {
        return false;
    }
    let symbols = line.chars().filter(|&c| SYMBOLS.contains(c)).count();
    let share = symbols as f32 / line.chars().count() as f32;
    let ends = line.ends_with([';', '{', '}', '\\']) || line.ends_with("=>") || line.ends_with(");");
    let starts = STARTS.iter().any(|s| line.starts_with(s));
    // A word that starts both sentences and statements ("use", "match") means code only if symbols follow.
    share > 0.14
        || ends
        || (starts && (share > 0.03 || line.starts_with(['}', '{', '#', '$', '<', ']', '/'])))
}

#[cfg(test)]
mod tests {
    use super::super::word_use::classify_word;
    use super::*;
    use proptest::prelude::*;

    fn view(text: &str) -> ChunkView<'_> {
        ChunkView { text, title: "A Title", headings: &[], language: "" }
    }

    fn shown(corpus: &Corpus, tokens: &[Token]) -> Vec<String> {
        tokens.iter().map(|t| corpus.keys.get(t.key).to_owned()).collect()
    }

    #[test]
    fn function_words_are_those_of_the_documents_languages() {
        let is_function_word = |languages: &[&str]| {
            let views: Vec<_> =
                languages.iter().map(|language| ChunkView { language, ..view("x") }).collect();
            classify_word("nicht", &Corpus::new(&views).function_words).function
        };
        assert!(is_function_word(&["de"]) && is_function_word(&["en", "de"]));
        assert!(!is_function_word(&["en"]) && !is_function_word(&[""]) && !is_function_word(&["xx"]));
        assert!(
            !is_function_word(&[&["de"][..], &["en"; 20]].concat()),
            "one chunk of many may be recognised wrongly"
        );
    }

    #[test]
    fn code_is_left_out_and_prose_stays() {
        let corpus = Corpus::new(&[view(
            "Use closures often.\nlet x = 5;\nfn main() {\n    println!(\"hi\");\n}\nThe boxes stay.",
        )]);
        assert_eq!(shown(&corpus, &corpus.chunks[0]), ["use", "closure", "often", "the", "box", "stay"]);
    }

    #[test]
    fn function_words_are_no_plurals() {
        let corpus = Corpus::new(&[view("It does as the bus has its doors.")]);
        assert_eq!(
            shown(&corpus, &corpus.chunks[0]),
            ["it", "does", "as", "the", "bus", "has", "its", "door"]
        );
    }

    #[test]
    fn phrases_cannot_cross_punctuation() {
        let corpus = Corpus::new(&[view("a smart pointer, well-known\nname. Next")]);
        let joined: Vec<bool> = corpus.chunks[0].iter().map(|t| t.joined).collect();
        assert_eq!(joined, [false, true, true, false, true, true, false]);
        let initial: Vec<bool> = corpus.chunks[0].iter().map(|t| t.initial).collect();
        assert_eq!(initial, [true, false, false, false, false, true, true]);
    }

    #[test]
    fn a_heading_counts_once() {
        let corpus = Corpus::new(&[view("x"), view("y")]);
        assert_eq!(corpus.headings.len(), 1);
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in ".{0,120}") {
            Corpus::new(&[ChunkView { text: &text, title: &text, headings: &[], language: "" }]);
        }
    }
}
