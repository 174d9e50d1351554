//! Parses keywords from a model's reply, leniently in form and strictly in content.

use super::super::refine::{normalise_keyword, stem_keyword};
use pocketgraph_llm::after_thinking;
use pocketgraph_native::single_line::{cut_text, one_line};
use std::collections::HashSet;

/// Maximum length of a keyword in characters: an index entry, not a payload.
const LONGEST: usize = 80;

/// Maximum number of bytes of a reply that are read.
const READ: usize = 64 << 10;

/// Returns the keywords of a reply: at most `count`, each of at most `words` words. Reads lists with commas,
/// semicolons, lines, bullets, numbers, quotes and JSON arrays, also after an introduction or thoughts.
pub(super) fn parse_keywords(text: &str, count: usize, words: usize) -> Vec<String> {
    let text = after_thinking(text);
    let text = cut_text(text, READ);
    let mut seen = HashSet::new();
    let mut out = Vec::new();
    for item in split_items(text) {
        let Some(keyword) = clean_keyword(&item, words) else { continue };
        if out.len() < count && seen.insert(normalise_keyword(&keyword)) {
            out.push(keyword);
        }
    }
    out
}

fn split_items(text: &str) -> Vec<String> {
    if let (Some(start), Some(end)) = (text.find('['), text.rfind(']'))
        && let Some(array) = text.get(start..=end)
        && let Ok(list) = serde_json::from_str::<Vec<String>>(array)
    {
        return list;
    }
    text.lines()
        .filter(|line| !line.trim_start().starts_with("```"))
        .flat_map(|line| line.split([',', ';', '、', '，', '；', '|']))
        .map(str::to_owned)
        .collect()
}

/// Removes bullet, number, quotes, emphasis and introduction of a keyword. `None` for sentences and markup.
fn clean_keyword(item: &str, words: usize) -> Option<String> {
    let mut item = item.trim();
    if let Some((label, rest)) = item.split_once(':').or_else(|| item.split_once('：')) {
        let announces = label.split_whitespace().count() > words
            || ["keyword", "term", "list", "theme"].iter().any(|w| label.to_lowercase().contains(w));
        if announces {
            item = rest.trim();
        }
    }
    // A bullet precedes white space; other marks belong to names such as ".NET".
    let bullet = |c: char| "-*•–—+#".contains(c);
    if item.trim_start_matches(bullet).starts_with(char::is_whitespace) {
        item = item.trim_start_matches(bullet);
    }
    let dress = |c: char| c.is_whitespace() || "*\"'“”‘’`_".contains(c);
    item = item.trim_matches(dress);
    if let Some((number, rest)) = item.split_once(['.', ')'])
        && !number.is_empty()
        && number.len() <= 3
        && number.bytes().all(|b| b.is_ascii_digit())
        && rest.starts_with(char::is_whitespace)
    {
        item = rest.trim_matches(dress);
    }
    let item = item.strip_suffix('.').filter(|i| !i.contains('.')).unwrap_or(item).trim_matches(dress);
    let fits = item.chars().count() <= LONGEST && item.split_whitespace().count() <= words.max(1);
    let clean = item.chars().any(char::is_alphanumeric)
        && !item.contains("://")
        && !item.chars().any(|c| c.is_control() || "<>{}[]\\`\u{feff}".contains(c) || is_format(c))
        && !item.ends_with(['!', '?', ':']);
    (fits && clean).then(|| one_line(item))
}

/// Returns true for characters that change how others are shown: direction marks, zero-width joints, tags.
fn is_format(c: char) -> bool {
    matches!(c as u32, 0x200b..=0x200f | 0x202a..=0x202e | 0x2060..=0x2069 | 0xe0000..=0xe007f)
}

/// Returns the keywords of a list that a model kept, in the list's spelling; `None` if under a quarter.
pub(super) fn keep_subset(list: &[String], kept: Vec<String>) -> Option<Vec<String>> {
    let kept: HashSet<String> = kept.iter().map(|k| normalise_keyword(k)).collect();
    let out: Vec<String> = list.iter().filter(|k| kept.contains(&normalise_keyword(k))).cloned().collect();
    (out.len() * 4 >= list.len()).then_some(out)
}

/// Returns the list with some keywords replaced by parts of them. A part must consist of words of one
/// keyword; other keywords stay. `None` if the answer has under a quarter of the list.
pub(super) fn replace_by_parts(list: &[String], answered: Vec<String>) -> Option<Vec<String>> {
    let kept: HashSet<String> = answered.iter().map(|k| normalise_keyword(k)).collect();
    let old: HashSet<String> = list.iter().map(|k| normalise_keyword(k)).collect();
    let mut new: Vec<(String, Vec<String>)> = answered
        .into_iter()
        .filter(|k| !old.contains(&normalise_keyword(k)))
        .map(|k| (stem_keyword(&k), k))
        .map(|(s, k)| (k, s))
        .collect();
    let (mut out, mut touched) = (Vec::new(), 0);
    for keyword in list {
        let whole = stem_keyword(&keyword.replace("'s", "").replace("’s", ""));
        if kept.contains(&normalise_keyword(keyword)) {
            touched += 1;
            out.push(keyword.clone());
            continue;
        }
        let (own, rest): (Vec<_>, Vec<_>) =
            new.into_iter().partition(|(_, s)| !s.is_empty() && s.iter().all(|s| whole.contains(s)));
        new = rest;
        if own.is_empty() {
            out.push(keyword.clone());
        } else {
            touched += 1;
            out.extend(own.into_iter().map(|(k, _)| k));
        }
    }
    (touched * 4 >= list.len()).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lists_are_read_however_they_are_dressed() {
        let expected = ["hash map", "ownership", "Cargo"];
        for text in [
            "hash map, ownership, Cargo",
            "hash map, ownership, Cargo.",
            "Keywords: hash map, ownership, Cargo",
            "Sure! Here are the keywords you asked for: hash map, ownership, Cargo",
            "Here is your list of keywords:\n\n- hash map\n- **ownership**\n- Cargo\n",
            "1. hash map\n2. \"ownership\"\n3) Cargo",
            "```\nhash map; ownership; Cargo\n```",
            "[\"hash map\", \"ownership\", \"Cargo\"]",
            "```json\n[\"hash map\", \"ownership\", \"Cargo\"]\n```",
            "<think>They want, maybe, nouns.</think>\nhash map, ownership, Cargo",
            "hash map, Hash-Map, ownership, Cargo",
        ] {
            assert_eq!(parse_keywords(text, 10, 3), expected, "{text}");
        }
        assert_eq!(parse_keywords("哈希表、所有权，生命周期", 10, 3), ["哈希表", "所有权", "生命周期"]);
        assert_eq!(parse_keywords("Node.js, C++, .NET", 10, 3), ["Node.js", "C++", ".NET"]);
    }

    #[test]
    fn what_is_no_keyword_is_left_out() {
        for text in [
            "",
            "I am sorry, but I cannot help you with that request today.",
            "<script>alert(1)</script>",
            "https://evil.example/collect",
            "!!!, ???, 。。。",
            "a\u{202e}txt.exe",
            "Sure!",
        ] {
            let found = parse_keywords(text, 10, 3);
            assert!(found.iter().all(|k| k == "I am sorry"), "{text}: {found:?}");
        }
        assert!(parse_keywords(&"a".repeat(500), 10, 3).is_empty(), "longer than any index entry");
        assert_eq!(parse_keywords("one two three four, one two three", 10, 3), ["one two three"]);
        assert_eq!(parse_keywords(&(0..1000).map(|i| format!("k{i},")).collect::<String>(), 10, 3).len(), 10);
    }

    fn owned(list: &[&str]) -> Vec<String> {
        list.iter().map(|k| (*k).to_owned()).collect()
    }

    #[test]
    fn refinement_cannot_bring_in_what_was_not_there() {
        let list = owned(&["hash map", "hashmap type", "ownership", "Cargo"]);
        assert_eq!(
            keep_subset(&list, owned(&["Ownership", "hash-map", "buy gold now"])),
            Some(owned(&["hash map", "ownership"]))
        );
        assert_eq!(
            keep_subset(&list, owned(&["buy gold now"])),
            None,
            "a reply about something else changes nothing"
        );
        let list = owned(&["Alice's sorting algorithm", "Cargo", "trait"]);
        assert_eq!(
            replace_by_parts(&list, owned(&["Alice", "sorting algorithm", "Cargo", "trait", "gold"])),
            Some(owned(&["Alice", "sorting algorithm", "Cargo", "trait"])),
        );
        assert_eq!(
            replace_by_parts(&list, owned(&["Cargo"])),
            Some(list.clone()),
            "what is not mentioned stays"
        );
    }

    proptest! {
        #[test]
        fn any_reply_gives_only_keywords(text in "(?s).{0,200}", count in 0usize..5, words in 0usize..4) {
            let found = parse_keywords(&text, count, words);
            prop_assert!(found.len() <= count);
            for k in &found {
                prop_assert!(
                    k.split_whitespace().count() <= words.max(1)
                        && k.chars().count() <= LONGEST
                        && !k.contains(['<', '\n'])
                );
            }
            let list = owned(&["one", "two words"]);
            for merged in [keep_subset(&list, found.clone()), replace_by_parts(&list, found)].into_iter().flatten() {
                prop_assert!(merged.len() <= 8);
            }
        }
    }
}
