//! Reading the loose forms that the workflow's prompts ask for: models quote, fence and break them in every
//! way.

use crate::text::one_line;

/// More strings than this are not kept.
const MOST: usize = 32;

/// The values of `"Sub-query i": …` in a reply, in its order: strings, or lists of triples as their words.
pub fn sub_queries(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(at) = super::super::tags::find(rest, "sub-query", 0) {
        rest = &rest[at + "sub-query".len()..];
        let after = rest.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ' ' | '"' | '\''));
        let Some(value) = after.strip_prefix(':').map(str::trim_start) else { continue };
        let query = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => read_quoted(&value[1..], quote).map(|(inside, _)| inside),
            Some('[') => read_bracketed(value).map(|list| strings_in(list).join(" ")),
            _ => None,
        };
        if let Some(query) = query.map(|q| q.trim().to_owned()).filter(|q| !q.is_empty()) {
            out.push(query);
            if out.len() >= MOST {
                break;
            }
        }
    }
    out
}

/// The strings of the first list in a reply; the whole reply, on one line, where there is none.
pub fn strings(text: &str) -> Vec<String> {
    let found = text.find('[').and_then(|at| read_bracketed(&text[at..])).map(strings_in).unwrap_or_default();
    let found: Vec<String> =
        found.into_iter().map(|s| s.trim().to_owned()).filter(|s| !s.is_empty()).collect();
    if !found.is_empty() {
        return found;
    }
    let line = one_line(text);
    if line.is_empty() { Vec::new() } else { vec![line.chars().take(300).collect()] }
}

/// The last "yes" or "no" of a text that stands as a word.
pub fn last_yes_or_no(text: &str) -> Option<bool> {
    text.split(|c: char| !c.is_alphanumeric()).rev().find_map(|word| {
        match word.to_ascii_lowercase().as_str() {
            "yes" => Some(true),
            "no" => Some(false),
            _ => None,
        }
    })
}

/// Returns the text after a heading `### Final Answer`, which has no colon.
pub fn after_heading(text: &str) -> Option<&str> {
    let at = super::super::tags::rfind(text, "final answer")?;
    let line = text[..at].rfind('\n').map_or(0, |n| n + 1);
    let heading = text[line..at].trim_matches(|c: char| matches!(c, '#' | '*' | ' ')).is_empty() && line < at;
    let rest = text[at + "final answer".len()..].trim_start_matches(['*', ':', ' ', '#']).trim();
    (heading && !rest.is_empty()).then_some(rest)
}

/// Returns the words to search for: without a triple's brackets, hashes and quotes, with digits and every
/// script.
pub fn words_of(triple: bool, query: &str) -> String {
    if !triple {
        return query.to_owned();
    }
    let words: Vec<&str> = query
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '\'' | '.')))
        .filter(|w| !w.is_empty())
        .collect();
    words.join(" ")
}

/// Up to the quote that ends a string, escapes undone, and what follows it.
fn read_quoted(text: &str, quote: char) -> Option<(String, &str)> {
    let mut out = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => out.extend(chars.next().map(|(_, c)| if c == 'n' { ' ' } else { c })),
            c if c == quote => return Some((out, &text[at + c.len_utf8()..])),
            c => out.push(c),
        }
    }
    None
}

/// Returns a list from its opening bracket to its closing one, respecting strings, or to the end of the text.
fn read_bracketed(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    let mut inside: Option<char> = None;
    let mut escaped = false;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match (inside, c) {
            _ if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(quote), c) if c == quote => inside = None,
            (Some(_), _) => {}
            // An apostrophe inside a word begins no string.
            (None, '"') => inside = Some(c),
            (None, '\'') if !before.is_alphanumeric() => inside = Some(c),
            (None, '[') => depth += 1,
            (None, ']') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(&text[..at]);
                }
            }
            (None, _) => {}
        }
        before = c;
    }
    (depth > 0).then_some(text)
}

/// Every string of a list, however deep.
fn strings_in(list: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = list;
    while let Some(at) = rest.find(['"', '\'']) {
        let quote = if rest[at..].starts_with('"') { '"' } else { '\'' };
        let Some((inside, after)) = read_quoted(&rest[at + 1..], quote) else { break };
        out.push(inside);
        if out.len() >= MOST {
            break;
        }
        rest = after;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sub_queries_are_read_from_json_and_from_what_is_nearly_json() {
        let text = "```json\n{\"Sub-query 1\": \"Who directed \\\"X\\\"?\", 'Sub-query 2': 'Where was #1 \
            born?',}\n```";
        assert_eq!(sub_queries(text), ["Who directed \"X\"?", "Where was #1 born?"]);
        let text = r#"{"Sub-query 1": [("X", "directed by", "Entity#1")], "Sub-query 2": [["Entity#1", "born in", "Entity#2"], ["a", "b", "c"]]}"#;
        assert_eq!(sub_queries(text), ["X directed by Entity#1", "Entity#1 born in Entity#2 a b c"]);
        assert!(sub_queries("I cannot. Sub-query 1: none").is_empty());
        assert!(sub_queries("\"Sub-query 1\": \"never closed").is_empty());
    }

    #[test]
    fn a_list_is_read_wherever_it_is_and_plain_text_is_one_query() {
        assert_eq!(strings("Here: [\"a\", 'b c'] and [\"d\"]"), ["a", "b c"]);
        assert_eq!(strings("[\"it's\", \"b]\"]"), ["it's", "b]"]);
        assert_eq!(strings("what is\nthis"), ["what is this"]);
        assert!(strings(" \n").is_empty());
    }

    #[test]
    fn retrieval_strings_keep_digits_and_every_script() {
        assert_eq!(
            words_of(true, "(\"東京\", \"population\", \"Entity#1\") 1931"),
            "東京 population Entity 1 1931"
        );
        assert_eq!(words_of(false, "Who was #1?"), "Who was #1?");
    }

    #[test]
    fn a_final_answer_may_be_under_a_heading() {
        assert_eq!(after_heading("a\n### Final Answer\nb"), Some("b"));
        assert_eq!(after_heading("a\n**Final Answer**: b"), Some("b"));
        assert_eq!(after_heading("the final answer is b"), None);
    }

    proptest! {
        #[test]
        fn no_reply_makes_it_panic(
            text in "(Sub-query 1|\"|'|\\[|\\]|\\\\|:|é|a|\\(|,| |\n|final \
                    answer|#){0,24}",
        ) {
            let _ = (
                sub_queries(&text),
                strings(&text),
                last_yes_or_no(&text),
                after_heading(&text),
                words_of(true, &text),
            );
        }
    }
}
