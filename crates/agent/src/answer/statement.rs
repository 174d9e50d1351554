//! Whether a reply states anything of its own: citations, labels, headings and questions alone state nothing,
//! however many they are.

use super::markers::markers;
use super::written::{ModelReply, plain};
use crate::text::{is_stop_word, sentences};

/// The word of an opening such as "the answer is", which states nothing if only a mark or nothing follows.
const LABEL: &str = "answer";
/// Separator of the headings of a path in prompts.
const PATH: char = '>';

/// A part of a reply: a sentence, a line or a step of a path of headings, as far as the next citation mark.
struct Piece<'a> {
    text: &'a str,
    /// True if a mark follows immediately.
    is_marked: bool,
}

/// Returns true if no part of a reply states anything.
pub(super) fn states_nothing(written: &ModelReply<'_>) -> bool {
    let headings: Vec<Vec<String>> =
        written.passages.iter().flat_map(|(_, hit)| headings(hit)).map(plain).collect();
    let texts: Vec<Vec<String>> = written.passages.iter().map(|(_, hit)| plain(&hit.text)).collect();
    let asked = plain(written.question);
    let is_heading = |words: &[String]| {
        headings.iter().any(|heading| heading == words)
            && !texts.iter().any(|text| text.windows(words.len()).any(|run| run == words))
    };
    // "The protocol is [1]": a mark where the statement should be.
    let leaves_off = |words: &[String]| {
        let is_known = |w: &String| is_stop_word(w) || asked.contains(w) || w == LABEL;
        words.last().is_some_and(|w| is_stop_word(w)) && words.len() > 1 && words.iter().all(is_known)
    };
    split_pieces(written.text).iter().all(|piece| {
        let words = plain(piece.text);
        words.is_empty()
            || piece.text.trim_end_matches(is_decoration).ends_with([':', '：', '?', '？', '؟'])
            || is_heading(&words)
            || piece.is_marked && leaves_off(&words)
    })
}

/// Returns true if a line of a reply has the form of a passage's head, a number and a path of headings. Such
/// a line continues the list of passages instead of an answer from it.
pub(super) fn is_head(line: &str, written: &ModelReply<'_>) -> bool {
    let line = line.trim();
    let Some(mark) = markers(line).into_iter().next().filter(|mark| mark.at.start == 0) else { return false };
    let path: Vec<Vec<String>> = line[mark.at.end..].split(PATH).map(plain).collect();
    let is_heading = |step: &Vec<String>| {
        written.passages.iter().any(|(_, hit)| headings(hit).any(|heading| plain(heading) == *step))
    };
    let in_prompt = |prompt: &String| prompt.lines().any(|l| l.trim() == line);
    path.iter().any(|step| !step.is_empty())
        && (written.prompts.iter().any(in_prompt) || path.len() > 1 && path.iter().all(is_heading))
}

/// The headings over a passage: its title may hold their whole path.
fn headings(hit: &super::Citable) -> impl Iterator<Item = &str> {
    std::iter::once(hit.title.as_str())
        .chain(hit.title.split(PATH))
        .chain(hit.heading_path.iter().map(String::as_str))
}

fn split_pieces(text: &str) -> Vec<Piece<'_>> {
    let marks = markers(text);
    let ends = marks.iter().map(|mark| mark.at.start).chain([text.len()]);
    let starts = std::iter::once(0).chain(marks.iter().map(|mark| mark.at.end));
    let mut out = Vec::new();
    for (start, end) in starts.zip(ends) {
        let Some(between) = text.get(start..end) else { continue };
        let before = out.len();
        let lines =
            between.lines().flat_map(|line| sentences(line).into_iter().filter_map(|range| line.get(range)));
        out.extend(
            lines.flat_map(|sentence| sentence.split(PATH)).map(|text| Piece { text, is_marked: false }),
        );
        if let Some(last) = out[before..].last_mut() {
            last.is_marked = end < text.len();
        }
    }
    out
}

/// Returns true for characters after the end of a sentence that belong to none of its words.
fn is_decoration(c: char) -> bool {
    c.is_whitespace() || "*_\"”»)(".contains(c)
}

#[cfg(test)]
mod tests {
    use super::super::Citable;
    use super::*;
    use pocketgraph_testing::hits::hit;

    fn written(text: &str, judge: impl Fn(&ModelReply<'_>) -> bool) -> bool {
        let bundle = hit(
            1,
            "Bundles",
            &["What is a bundle?"],
            "A bundle is a folder of files that answers questions.",
        );
        let path = Citable {
            title: "Bundles > The manifest".to_owned(),
            ..Citable::from(&hit(2, "", &[], "It names each file, and whose protocol it is."))
        };
        let bundle = Citable::from(&bundle);
        judge(&ModelReply {
            text,
            cut: false,
            prompts: &["[1] Bundles\nA bundle is a folder of files that answers questions.".to_owned()],
            question: "Which protocol has a bundle, http or file?",
            passages: &[(1, &bundle), (2, &path)],
            facts: &[],
            must_cite: true,
            no_answer_text: "The documents do not say.",
        })
    }

    #[test]
    fn labels_marks_headings_and_questions_state_nothing() {
        for text in [
            "[1]",
            "[1][2], [1].",
            "The answer is: [2] The answer is: [1][2]",
            "**Answer:** [1]",
            "The answer is [2]. The protocol is [1]. The answer is [1].",
            "[1] Bundles > The manifest\n[2] The manifest",
            "What is a bundle? [1]",
            "The manifest [2]",
        ] {
            assert!(written(text, states_nothing), "{text}");
        }
    }

    #[test]
    fn what_says_something_states_it_however_short() {
        for text in [
            "file [1]",
            "The answer is: file [1]",
            "A bundle is a folder [1].",
            "What is a bundle? A folder [1].",
            "There are two:\n- folder [1]\n- files [1]",
            "Yes [1].",
            "A protocol names what a file is [2].",
            "A folder of files [1]: The manifest [2]",
        ] {
            assert!(!written(text, states_nothing), "{text}");
        }
    }

    #[test]
    fn a_passage_s_number_and_path_are_its_head() {
        for (line, head) in [
            ("[1] Bundles", true),
            ("[2] Bundles > The manifest", true),
            ("[1] A folder > a file", false),
            ("[1]", false),
            ("Bundles", false),
        ] {
            assert_eq!(written(line, |w| is_head(line, w)), head, "{line}");
        }
    }
}
