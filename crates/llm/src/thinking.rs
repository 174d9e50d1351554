//! Removes the thoughts that reasoning models write into their replies.
//!
//! Known forms are pairs of tags (`<think>`, `<thinking>`, `<thought>`, `<reasoning>`, `[THINK]`, in any
//! case), a closing tag alone, because some chat templates put the opening one into the prompt, and the
//! channels of gpt-oss (`<|channel|>analysis<|message|>` … `<|channel|>final<|message|>`).

/// Marks that open and close a thought.
const PAIRS: [(&str, &str); 6] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("[think]", "[/think]"),
    ("<|channel|>analysis", "<|channel|>final<|message|>"),
];
/// Marks that end a reply with channels.
const ENDS: [&str; 2] = ["<|return|>", "<|end|>"];

/// Returns the text after the last closing mark of a thought, or the whole reply if there is none.
pub fn after_thinking(reply: &str) -> &str {
    let closed =
        PAIRS.iter().filter_map(|(_, close)| rfind_mark(reply, close).map(|at| at + close.len())).max();
    let visible = &reply[closed.unwrap_or(0)..];
    ENDS.iter().find_map(|end| visible.trim_end().strip_suffix(end)).unwrap_or(visible)
}

/// Returns true if a text is a thought that was never closed, and so has no answer.
pub fn is_unclosed_thought(text: &str) -> bool {
    let text = text.trim_start();
    PAIRS.iter().any(|(open, _)| starts_with(text, open)) && after_thinking(text).len() == text.len()
}

fn starts_with(text: &str, mark: &str) -> bool {
    text.as_bytes().get(..mark.len()).is_some_and(|head| head.eq_ignore_ascii_case(mark.as_bytes()))
}

fn find_mark(text: &str, mark: &str) -> Option<usize> {
    text.as_bytes().windows(mark.len()).position(|w| w.eq_ignore_ascii_case(mark.as_bytes()))
}

fn rfind_mark(text: &str, mark: &str) -> Option<usize> {
    text.as_bytes().windows(mark.len()).rposition(|w| w.eq_ignore_ascii_case(mark.as_bytes()))
}

/// Returns the number of bytes at the end of a text that could begin a mark.
fn begun_bytes(text: &str, marks: impl Iterator<Item = &'static str>) -> usize {
    let tail = |mark: &str| {
        (1..mark.len().min(text.len() + 1))
            .rev()
            .find(|&n| text.is_char_boundary(text.len() - n) && starts_with(mark, &text[text.len() - n..]))
    };
    marks.filter_map(tail).max().unwrap_or(0)
}

/// Visible text of a reply after a piece.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Visible {
    /// Text to append to the visible text.
    pub text: String,
    /// True if the text shown so far was a thought: `text` starts again.
    pub anew: bool,
}

/// Removes thoughts from a reply while it streams. The text does not depend on how the reply is cut.
#[derive(Debug, Default)]
pub struct ThoughtFilter {
    held: String,
    /// Index in [`PAIRS`] of the thought under way.
    inside: Option<usize>,
    begun: bool,
    thought: usize,
}

impl ThoughtFilter {
    /// Takes the next piece and returns its visible text.
    pub fn push(&mut self, piece: &str) -> Visible {
        self.held.push_str(piece);
        let mut out = Visible::default();
        loop {
            if let Some(pair) = self.inside {
                let close = PAIRS[pair].1;
                let Some(at) = find_mark(&self.held, close) else {
                    // Only a tail that could begin the closing mark matters.
                    let keep = begun_bytes(&self.held, std::iter::once(close));
                    self.thought += self.held.len() - keep;
                    self.held.drain(..self.held.len() - keep);
                    return out;
                };
                self.thought += at;
                self.held.drain(..at + close.len());
                self.inside = None;
                continue;
            }
            if !self.begun {
                let skipped = self.held.len() - self.held.trim_start().len();
                self.held.drain(..skipped);
                if let Some(pair) = PAIRS.iter().position(|(open, _)| starts_with(&self.held, open)) {
                    self.held.drain(..PAIRS[pair].0.len());
                    self.inside = Some(pair);
                    continue;
                }
                let whole = self.held.len();
                if begun_bytes(&self.held, PAIRS.iter().map(|(open, _)| *open)) == whole {
                    return out;
                }
                self.begun = true;
            }
            let closed = PAIRS
                .iter()
                .filter_map(|(_, close)| find_mark(&self.held, close).map(|at| at + close.len()))
                .min();
            if let Some(end) = closed {
                self.thought += end;
                self.held.drain(..end);
                self.begun = false;
                out = Visible { text: String::new(), anew: true };
                continue;
            }
            let keep = begun_bytes(&self.held, PAIRS.iter().map(|(_, close)| *close).chain(ENDS));
            let shown: String = self.held.drain(..self.held.len() - keep).collect();
            out.text.push_str(&ENDS.iter().fold(shown, |text, end| text.replace(end, "")));
            return out;
        }
    }

    /// Returns the text that was held back because it might have become a mark.
    pub fn finish(&mut self) -> String {
        let held = std::mem::take(&mut self.held);
        if self.inside.is_some()
            || ENDS.iter().any(|end| starts_with(end, held.trim_end()) && held.trim_end().len() > 1)
        {
            String::new()
        } else {
            held
        }
    }

    /// Number of bytes of thoughts so far.
    pub fn thought(&self) -> usize {
        self.thought
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn thoughts_are_passed_over_in_any_form_and_up_to_the_last() {
        assert_eq!(after_thinking("<think>a</think>b</THINK> c"), " c");
        assert_eq!(after_thinking("<think>not closed"), "<think>not closed");
        assert_eq!(after_thinking("[THINK]a[/THINK]b"), "b");
        assert_eq!(
            after_thinking(
                "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b\
                 <|return|>"
            ),
            "b"
        );
        assert_eq!(after_thinking("plain"), "plain");
        assert_eq!(after_thinking("é</think>é"), "é");
        assert_eq!(after_thinking(""), "");
        assert!(
            is_unclosed_thought(" <Thinking>a")
                && !is_unclosed_thought("<think>a</think>")
                && !is_unclosed_thought("a")
        );
    }

    fn streamed(pieces: &[&str]) -> (String, usize) {
        let mut filter = ThoughtFilter::default();
        let mut shown = String::new();
        for piece in pieces {
            let visible = filter.push(piece);
            if visible.anew {
                shown.clear();
            }
            shown.push_str(&visible.text);
        }
        shown.push_str(&filter.finish());
        (shown, filter.thought())
    }

    #[test]
    fn a_stream_shows_what_is_no_thought() {
        for (reply, shown) in [
            ("<think>Okay.</think>\nParis [1].", "Paris [1]."),
            ("Okay, it is Paris. </think>\n\nParis [1].", "Paris [1]."),
            ("<THINKING>a</thinking>b", "b"),
            ("<reasoning>a", ""),
            ("a < b, and x</y", "a < b, and x</y"),
            ("Paris", "Paris"),
            (
                "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b\
                 <|return|>",
                "b",
            ),
        ] {
            let pieces: Vec<String> = reply.chars().map(String::from).collect();
            assert_eq!(streamed(&pieces.iter().map(String::as_str).collect::<Vec<_>>()).0, shown, "{reply}");
            assert_eq!(streamed(&[reply]).0, shown, "{reply}");
        }
        assert_eq!(streamed(&["<think>abc</think>d"]).1, 3);
    }

    proptest! {
        #[test]
        fn any_cutting_shows_the_same(
            pieces in prop::collection::vec(
                "(<|</|think>|thinking>|\\[/?THINK\\]|<\\|channel\\|>|analysis|final<\\|message\\|>|<\\|end\
                    \\|>|a| |é){0,4}",
                0..8,
            ),
        ) {
            let whole = pieces.concat();
            prop_assert_eq!(
                streamed(&pieces.iter().map(String::as_str).collect::<Vec<_>>()).0,
                streamed(&[&whole]).0
            );
        }
    }
}
