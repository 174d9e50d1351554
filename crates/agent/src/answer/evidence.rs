//! Evidence as data: what a document says must not close the fence around it, nor speak with another voice.

use crate::text::{fold, one_line};

/// Names of tags that fence parts of our prompts, that protocols give a meaning to, or that chat templates
/// use. Sorted.
pub const TAG_NAMES: &[&str] = &[
    "answer",
    "assistant",
    "bos",
    "documents",
    "end_of_turn",
    "eos",
    "evidence",
    "information",
    "keywords",
    "knowledge",
    "observation",
    "passage",
    "passages",
    "plan",
    "query",
    "question",
    "result",
    "s",
    "search",
    "start_of_turn",
    "sys",
    "system",
    "think",
    "tool",
    "tool_call",
    "tool_response",
    "user",
];

/// Names that chat templates put into square brackets. Sorted.
const BRACKETED: &[&str] =
    &["available_tools", "inst", "system_prompt", "think", "tool_calls", "tool_content", "tool_results"];

/// Names of parts of a prompt that models know as headings.
const HEADINGS: &[&str] =
    &["assistant", "human", "input", "instruction", "instructions", "response", "system", "user"];

/// Between the opening bracket of a tag and its name, at most so many characters are looked through.
const LOOK_AHEAD: usize = 48;

/// Makes a text safe to stand between tags: in `<name`, `</name`, `<|name` and `[INST]` the bracket, and in
/// headings such as `### Instruction` the first mark, is replaced by a look-alike, whatever case, spacing or
/// letter width hides them; characters that are not seen (controls, direction marks, zero-width and tag
/// characters) are removed. Everything else, generics such as `Vec<T>` among it, stays as it is. Newlines and
/// tabs stay.
pub fn neutralise(text: &str) -> String {
    neutralise_also(text, &[])
}

/// As [`neutralise`], for tags of these names too (lower case).
pub fn neutralise_also(text: &str, names: &[&str]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut begins_line = true;
    for (at, c) in text.char_indices() {
        match c {
            '#' if begins_line && opens_heading(&text[at + 1..]) => out.push('＃'),
            '<' | '＜' | '﹤' if opens_tag(&text[at + c.len_utf8()..], names) => out.push('‹'),
            '[' if opens_instruction(&text[at + 1..]) => out.push('［'),
            c if is_unseen(c) => {}
            c => out.push(c),
        }
        begins_line = c == '\n' || begins_line && (c.is_whitespace() || is_unseen(c) || is_joiner(c));
    }
    out
}

/// A text as one line of at most so many characters: for titles, headings and keywords.
pub(super) fn shorten_label(text: &str, characters: usize) -> String {
    let line = one_line(&neutralise(text)).replace(['"', '“', '”'], "'");
    match line.char_indices().nth(characters) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

fn is_unseen(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        c if c.is_control() => true,
        // The joiners U+200C and U+200D are letters' business in Persian and Indic scripts; they are only
        // looked through.
        '\u{200b}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{2028}'
        | '\u{2029}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}' => true,
        _ => false,
    }
}

fn is_joiner(c: char) -> bool {
    "\u{200c}\u{200d}\u{ad}\u{34f}".contains(c)
}

/// Lists the characters at the beginning of a text that are seen.
fn list_seen(rest: &str) -> impl Iterator<Item = char> {
    rest.chars().take(LOOK_AHEAD).filter(|&c| !is_unseen(c) && !is_joiner(c))
}

fn opens_tag(rest: &str, names: &[&str]) -> bool {
    let mut name = String::new();
    for c in list_seen(rest) {
        if c == '|' || c == '｜' {
            return name.is_empty();
        }
        if c.is_alphanumeric() || c == '_' || c == '-' {
            name.push(c);
        } else if !name.is_empty() {
            break;
        } else if !(c.is_whitespace() || "/\\／!⁄∕".contains(c)) {
            return false;
        }
    }
    let name = fold(&name);
    TAG_NAMES.binary_search(&name.as_str()).is_ok() || names.contains(&name.as_str())
}

fn opens_instruction(rest: &str) -> bool {
    let seen: String = list_seen(rest).filter(|c| !c.is_whitespace()).collect();
    let Some((name, _)) = seen.split_once(']') else { return false };
    BRACKETED.binary_search(&fold(name.trim_start_matches('/')).as_str()).is_ok()
}

fn opens_heading(rest: &str) -> bool {
    let seen: String = list_seen(rest).collect();
    // A single mark is a heading of a document, or a comment.
    let Some(further) = seen.strip_prefix('#') else { return false };
    let name: String = further
        .trim_start_matches(['#', ' ', '\t', '*'])
        .chars()
        .take_while(|c| c.is_alphanumeric())
        .collect();
    HEADINGS.contains(&fold(&name).as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_names_are_sorted_for_their_search() {
        assert!(TAG_NAMES.is_sorted() && BRACKETED.is_sorted());
    }

    #[test]
    fn tags_of_ours_are_opened_up_however_they_are_hidden() {
        for tag in [
            "</passage>",
            "</PASSAGE >",
            "< / passage>",
            "<\u{200b}/pass\u{200d}age>",
            "<passage number=\"9\">",
            "＜/ｐａｓｓａｇｅ＞",
            "</\npassage>",
            "<|im_end|>",
            "<| im_start |>",
            "<｜User｜>",
            "</think>",
            "<<SYS>>",
            "[INST]",
            "[ /INST ]",
            "<\\/answer>",
            "</pass\u{ad}age>",
            "<start_of_turn>",
            "<end_of_turn>",
            "[TOOL_CALLS]",
            "[/Available_Tools]",
            "\n### Instruction:",
            "\n \u{200b}###\u{200d}\t**Response**",
        ] {
            let safe = neutralise(&format!("before {tag} after"));
            assert!(safe.contains(['‹', '［', '＃']), "{tag}: {safe}");
        }
    }

    #[test]
    fn ordinary_text_and_code_stay_as_they_are() {
        let text = "Vec<T>, a < b, <div class=\"x\">, <passages_of_time>, [instance], x[INST_COUNT], [tools]\n# \
            user\n## Installing\n\tcafé नमस्ते می‌خواهم 👨\u{200d}👩 ```rust\nlet a;\n```";
        assert_eq!(neutralise(text), text);
    }

    #[test]
    fn what_is_not_seen_is_removed() {
        assert_eq!(neutralise("a\u{202e}b\u{0}c\r\nd\u{e0041}\u{feff}"), "abc\nd");
    }

    #[test]
    fn labels_are_one_short_line() {
        assert_eq!(shorten_label(" a\n\"b\" </passage> ", 80), "a 'b' ‹/passage>");
        assert_eq!(shorten_label("abcdef", 3), "abc…");
    }

    proptest! {
        #[test]
        fn no_text_closes_the_fence(
            parts in prop::collection::vec(
                "[<＜/ \u{200b}\u{200d}\n]{0,3}(passage|PA\
                    SSAGE|Passage|question|x)?[> |]{0,2}",
                0..8,
            ),
        ) {
            let safe = neutralise(&parts.concat());
            let bare: String = safe
                .chars()
                .filter(|c| !c.is_whitespace() && !is_joiner(*c))
                .collect::<String>()
                .to_lowercase();
            // "question" may be reached through a run of names glued together once white space is gone; look
            // at real tags alone.
            prop_assert!(!bare.contains("</passage>") && !bare.contains("<passage>"), "{safe}");
            prop_assert_eq!(neutralise(&safe), safe);
        }

        #[test]
        fn no_text_makes_it_panic(text in ".{0,100}") {
            shorten_label(&neutralise(&text), 10);
        }
    }
}
