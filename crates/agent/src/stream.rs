//! Reading one reply: where it stops, and when it has to be stopped.
//!
//! Endpoints leave stop sequences out of a reply, some ignore them, and some models never end. So the reader
//! looks for the stops itself, puts back what an endpoint took away, and ends what runs on: each such reply
//! becomes an ordinary one that is marked as cut.

use super::repetition::{LOOP_STEP, LOOP_TAIL, is_loop};
use super::tags;
use crate::llm::{Delta, Finish, ToolCallPiece, ToolCalls, Usage};

/// End of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stop {
    open: &'static str,
    close: &'static str,
}

impl Stop {
    /// Behind a closing mark, which belongs to the reply. `open` is the mark that it closes.
    pub const fn behind(open: &'static str, close: &'static str) -> Stop {
        Stop { open, close }
    }

    /// Before a text, which does not belong to the reply: what the environment would say.
    pub const fn before(text: &'static str) -> Stop {
        Stop { open: "", close: text }
    }

    /// Returns the stop sequence for the endpoint.
    pub fn sequence(self) -> &'static str {
        self.close
    }
}

/// A reply to its end.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reply {
    /// The text, with the stop that ended it if that belongs to it.
    pub text: String,
    /// The tools that it calls by the endpoint's own means.
    pub tool_calls: ToolCalls,
    /// Reason why it was cut: `length`, `filter`, `time` or `loop`.
    pub cut: Option<&'static str>,
    /// Tokens, where the endpoint counted them.
    pub usage: Option<Usage>,
}

/// Thinking apart from the text may be this many times as long as the text.
const THINKING: usize = 8;

/// Takes a reply piece by piece.
pub struct Reader<'s> {
    stops: &'s [Stop],
    most: usize,
    reply: Reply,
    finish: Option<Finish>,
    stop_sequence: Option<String>,
    over: bool,
    thought: usize,
    pieces: usize,
    next_look: usize,
}

impl<'s> Reader<'s> {
    /// A reader that ends a reply at one of `stops`, and at `most` bytes.
    pub fn new(stops: &'s [Stop], most: usize) -> Reader<'s> {
        let reply = Reply::default();
        Reader {
            stops,
            most,
            reply,
            finish: None,
            stop_sequence: None,
            over: false,
            thought: 0,
            pieces: 0,
            next_look: LOOP_TAIL,
        }
    }

    /// Returns true if nothing more needs to be read.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// Takes the next piece; gives what of it belongs to the reply.
    pub fn push(&mut self, delta: &Delta) -> &str {
        let before = self.reply.text.len();
        self.pieces += 1;
        self.thought += delta.reasoning.len();
        self.finish = delta.finish.or(self.finish);
        self.reply.usage = delta.usage.or(self.reply.usage);
        let size = |p: &ToolCallPiece| p.call.arguments.len();
        self.thought += delta.tool_calls.iter().map(size).sum::<usize>();
        delta.tool_calls.iter().for_each(|p| self.reply.tool_calls.push(p));
        if delta.stop_sequence.is_some() {
            self.stop_sequence.clone_from(&delta.stop_sequence);
        }
        self.reply.text.push_str(&delta.text);
        if let Some(end) = self.stop_in(before) {
            self.reply.text.truncate(end);
            self.over = true;
        } else if self.reply.text.len() > self.most {
            self.reply.text.truncate(self.reply.text.floor_char_boundary(self.most.max(before)));
            self.end("length");
        } else if self.thought > self.most.saturating_mul(THINKING)
            || self.pieces > self.most.saturating_mul(2)
        {
            self.end("length");
        } else if self.reply.text.len() >= self.next_look {
            self.next_look = self.reply.text.len() + LOOP_STEP;
            if is_loop(self.reply.text.as_bytes()) {
                self.end("loop");
            }
        }
        self.reply.text.get(before..).unwrap_or("")
    }

    /// Ends the reply for a reason of the reader's own.
    pub fn end(&mut self, why: &'static str) {
        self.reply.cut = Some(why);
        self.over = true;
    }

    /// The reply; and what was put back that the endpoint had left out.
    pub fn finish(mut self) -> (Reply, &'static str) {
        if self.over {
            return (self.reply, "");
        }
        match self.finish {
            Some(Finish::Length) => self.reply.cut = Some("length"),
            Some(Finish::Filtered) => self.reply.cut = Some("filter"),
            _ => {}
        }
        let text = &self.reply.text;
        let named = |s: &&Stop| self.stop_sequence.as_deref() == Some(s.close);
        // Several may be open, one in the thoughts before another: the endpoint stopped for the last one.
        let begun = |s: &&Stop| {
            tags::rfind(text, s.open)
                .filter(|open| tags::rfind(text, s.close).is_none_or(|close| close < *open))
        };
        let kept = self.stops.iter().filter(|s| !s.open.is_empty());
        let back = match self.reply.cut {
            Some(_) => None,
            None => {
                kept.clone().find(named).or_else(|| kept.filter(|s| begun(s).is_some()).max_by_key(begun))
            }
        };
        let back = back.map_or("", |s| s.close);
        self.reply.text.push_str(back);
        (self.reply, back)
    }

    /// Returns the end of the reply if one of the stops is in the text since `before`.
    fn stop_in(&self, before: usize) -> Option<usize> {
        let longest = self.stops.iter().map(|s| s.close.len()).max()?;
        let from = before.saturating_sub(longest);
        let found =
            self.stops.iter().filter_map(|s| tags::find(&self.reply.text, s.close, from).map(|at| (at, s)));
        found.min_by_key(|(at, _)| *at).map(|(at, s)| if s.open.is_empty() { at } else { at + s.close.len() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const STOPS: &[Stop] = &[
        Stop::behind("<search>", "</search>"),
        Stop::behind("<answer>", "</answer>"),
        Stop::before("\nObservation"),
    ];

    fn text(text: &str) -> Delta {
        Delta { text: text.to_owned(), ..Delta::default() }
    }

    fn read(pieces: &[Delta]) -> (Reply, String) {
        let mut reader = Reader::new(STOPS, 10_000);
        let mut shown = String::new();
        for piece in pieces {
            if !reader.is_over() {
                shown.push_str(reader.push(piece));
            }
        }
        let (reply, back) = reader.finish();
        (reply, shown + back)
    }

    #[test]
    fn a_reply_ends_behind_the_first_closing_mark_even_where_the_endpoint_goes_on() {
        let (reply, shown) =
            read(&[text("<search>a</sea"), text("rch> and then <answer>b</answer>"), text("more")]);
        assert_eq!((reply.text.as_str(), reply.cut), ("<search>a</search>", None));
        assert_eq!(shown, reply.text);
    }

    #[test]
    fn what_the_environment_would_say_is_left_out() {
        assert_eq!(
            read(&[text("Action 1: Search[x]\nObservation 1: made up")]).0.text,
            "Action 1: Search[x]"
        );
    }

    #[test]
    fn a_stop_that_the_endpoint_left_out_is_put_back() {
        let stop = |sequence: Option<&str>| Delta {
            finish: Some(Finish::Stop),
            stop_sequence: sequence.map(str::to_owned),
            ..Delta::default()
        };
        assert_eq!(read(&[text("<search>a"), stop(None)]).0.text, "<search>a</search>");
        assert_eq!(read(&[text("<search>a"), stop(None)]).1, "<search>a</search>");
        assert_eq!(read(&[text("a"), stop(Some("</search>"))]).0.text, "a</search>");
        assert_eq!(read(&[text("<search>a <answer>b"), stop(None)]).0.text, "<search>a <answer>b</answer>");
        assert_eq!(read(&[text("plain"), stop(None)]).0.text, "plain");
    }

    #[test]
    fn nothing_is_put_back_behind_a_text_that_was_cut() {
        let cut = Delta { finish: Some(Finish::Length), ..Delta::default() };
        let (reply, _) = read(&[text("<search>a"), cut]);
        assert_eq!((reply.text.as_str(), reply.cut), ("<search>a", Some("length")));
    }

    #[test]
    fn five_megabytes_are_cut_at_the_budget() {
        let long: String = (0..600_000_u32).map(|n| format!("{n} é")).collect();
        assert!(long.len() > 5_000_000);
        let (reply, _) = read(&[text(&long)]);
        assert_eq!((reply.text.len() <= 10_000, reply.cut), (true, Some("length")));
    }

    #[test]
    fn a_model_that_loops_is_stopped_early() {
        let pieces: Vec<Delta> = (0..100_000).map(|_| text("and so on ")).collect();
        let (reply, _) = read(&pieces);
        assert_eq!((reply.text.len() < 4_000, reply.cut), (true, Some("loop")));
    }

    #[test]
    fn thinking_and_empty_pieces_without_end_are_stopped() {
        let thought = Delta { reasoning: "x".repeat(100), ..Delta::default() };
        for piece in [thought, Delta::default()] {
            let mut reader = Reader::new(STOPS, 100);
            let n = (0..1_000)
                .take_while(|_| {
                    reader.push(&piece);
                    !reader.is_over()
                })
                .count();
            assert!(n < 1_000);
        }
    }

    proptest! {
        #[test]
        fn any_cutting_gives_the_same_reply(pieces in prop::collection::vec("(<search>|</search>|</sea|rch>|\
            <answer>|a|é|\\n|Observation){0,3}", 0..8)) {
            let whole = read(&[text(&pieces.concat())]).0;
            let deltas: Vec<Delta> = pieces.iter().map(|p| text(p)).collect();
            prop_assert_eq!(read(&deltas).0, whole);
        }
    }
}
