//! The thoughts that reasoning models write into their replies.

const CLOSE: &str = "</think>";

/// What follows the last `</think>` of a reply, in letters of either case; the whole reply when there is none.
pub fn after_thinking(reply: &str) -> &str {
    let at = reply.as_bytes().windows(CLOSE.len()).rposition(|w| w.eq_ignore_ascii_case(CLOSE.as_bytes()));
    at.map_or(reply, |at| &reply[at + CLOSE.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thoughts_are_passed_over_in_either_case_and_up_to_the_last() {
        assert_eq!(after_thinking("<think>a</think>b</THINK> c"), " c");
        assert_eq!(after_thinking("<think>not closed"), "<think>not closed");
        assert_eq!(after_thinking("plain"), "plain");
        assert_eq!(after_thinking("é</think>é"), "é");
        assert_eq!(after_thinking(""), "");
    }
}
