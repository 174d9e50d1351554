//! Decodes server-sent events as the bytes arrive.
//!
//! The format is the WHATWG HTML standard's ("event stream interpretation"). One deviation of language
//! models' servers is allowed: no blank line need close the last event.

use std::mem;

/// Event of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SseEvent {
    /// Name of the event; empty for the usual unnamed ones.
    pub event: String,
    /// Its data; several `data` lines are joined by line feeds.
    pub data: String,
}

/// Error for a line or an event that is longer than the decoder's limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a line or event is longer than {limit} bytes")]
pub struct SseError {
    /// Maximum number of bytes.
    pub limit: usize,
}

/// Decodes bytes to events. The result does not depend on how the bytes are cut.
///
/// Lines end at LF, CR or CRLF. A byte-order mark at the start, comments and unknown fields are skipped.
/// Bytes that are not UTF-8 become U+FFFD, but not a character that the network cut. `limit` bounds memory.
#[derive(Debug, Clone, Default)]
pub struct SseDecoder {
    limit: usize,
    line: Vec<u8>,
    event: SseEvent,
    has_data: bool,
    first_line: bool,
    after_cr: bool,
}

impl SseDecoder {
    /// Returns a decoder that refuses lines and events longer than `limit` bytes.
    pub fn new(limit: usize) -> SseDecoder {
        SseDecoder { limit, first_line: true, ..SseDecoder::default() }
    }

    /// Decodes bytes and appends the events that they complete to `out`.
    ///
    /// # Errors
    /// [`SseError`] if a line or an event exceeds the limit. The decoder cannot be used afterwards.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<SseEvent>) -> Result<(), SseError> {
        let mut rest = bytes;
        while !rest.is_empty() {
            if mem::take(&mut self.after_cr) && rest[0] == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let end = rest.iter().position(|&b| b == b'\n' || b == b'\r');
            let part = &rest[..end.unwrap_or(rest.len())];
            if self.line.len() + part.len() > self.limit {
                return Err(SseError { limit: self.limit });
            }
            self.line.extend_from_slice(part);
            let Some(end) = end else { return Ok(()) };
            self.after_cr = rest[end] == b'\r';
            rest = &rest[end + 1..];
            self.end_line(out)?;
        }
        Ok(())
    }

    /// Ends the stream and returns the event that no blank line closed, if there is one. Fails as
    /// [`SseDecoder::push`] does.
    pub fn finish(&mut self) -> Result<Option<SseEvent>, SseError> {
        let mut out = Vec::new();
        if !self.line.is_empty() {
            self.end_line(&mut out)?;
        }
        self.dispatch_event(&mut out);
        Ok(out.pop())
    }

    fn end_line(&mut self, out: &mut Vec<SseEvent>) -> Result<(), SseError> {
        let mut line = self.line.as_slice();
        if mem::take(&mut self.first_line) {
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        if line.is_empty() {
            self.line.clear();
            self.dispatch_event(out);
            return Ok(());
        }
        // A comment has an empty field name, which matches nothing below.
        let (field, value) = match line.iter().position(|&b| b == b':') {
            Some(colon) => {
                (&line[..colon], line[colon + 1..].strip_prefix(b" ").unwrap_or(&line[colon + 1..]))
            }
            None => (line, &b""[..]),
        };
        match field {
            b"data" => {
                if self.event.data.len() + value.len() >= self.limit {
                    return Err(SseError { limit: self.limit });
                }
                if self.has_data {
                    self.event.data.push('\n');
                }
                self.has_data = true;
                self.event.data.push_str(&String::from_utf8_lossy(value));
            }
            b"event" => self.event.event = String::from_utf8_lossy(value).into_owned(),
            _ => {}
        }
        self.line.clear();
        Ok(())
    }

    fn dispatch_event(&mut self, out: &mut Vec<SseEvent>) {
        let event = mem::take(&mut self.event);
        if mem::take(&mut self.has_data) {
            out.push(event);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decode(pieces: &[&[u8]]) -> Vec<SseEvent> {
        let mut decoder = SseDecoder::new(1 << 16);
        let mut out = Vec::new();
        for piece in pieces {
            decoder.push(piece, &mut out).unwrap();
        }
        out.extend(decoder.finish().unwrap());
        out
    }

    fn data(bytes: &[u8]) -> Vec<String> {
        decode(&[bytes]).into_iter().map(|e| e.data).collect()
    }

    #[test]
    fn the_space_after_the_colon_is_optional_and_only_one_is_cut() {
        assert_eq!(data(b"data:a\n\ndata: b\n\ndata:  c\n\n"), ["a", "b", " c"]);
    }

    #[test]
    fn lines_end_at_lf_cr_or_both() {
        assert_eq!(data(b"data: a\r\n\r\ndata: b\r\rdata: c\n\n"), ["a", "b", "c"]);
        assert_eq!(decode(&[b"data: a\r", b"\ndata: b\r\n\r", b"\n"])[0].data, "a\nb");
    }

    #[test]
    fn comments_keep_alives_and_unknown_fields_are_skipped() {
        assert_eq!(data(b": keep-alive\n\n:\n\nid: 3\nretry: 9\n\ndata: x\nnonsense\n\n"), ["x"]);
    }

    #[test]
    fn several_data_lines_are_one_event_and_empty_data_is_data() {
        assert_eq!(data(b"data: a\ndata\ndata: b\n\n"), ["a\n\nb"]);
        assert_eq!(data(b"data\n\n"), [""]);
    }

    #[test]
    fn a_byte_order_mark_is_skipped_at_the_start_alone() {
        assert_eq!(decode(&[b"\xef", b"\xbb\xbfdata: a\n\n"])[0].data, "a");
        assert!(data(b"\n\xef\xbb\xbfdata: a\n\n").is_empty());
    }

    #[test]
    fn a_character_cut_in_two_is_whole_again() {
        assert_eq!(decode(&[b"data: caf\xc3", b"\xa9\n\n"])[0].data, "caf\u{e9}");
        assert_eq!(data(b"data: \xff\n\n"), ["\u{fffd}"]);
    }

    #[test]
    fn names_belong_to_their_event_alone() {
        let events = decode(&[b"event: error\ndata: x\n\ndata: y\n\n"]);
        assert_eq!((events[0].event.as_str(), events[1].event.as_str()), ("error", ""));
    }

    #[test]
    fn an_unclosed_last_event_is_given_at_the_end() {
        assert_eq!(data(b"data: a\n\ndata: [DONE]"), ["a", "[DONE]"]);
    }

    #[test]
    fn an_endless_line_or_event_is_an_error_not_memory() {
        let mut decoder = SseDecoder::new(100);
        let mut out = Vec::new();
        let mut pushed = 0;
        while decoder.push(b"data: aaaaaaaaaaaaaaa", &mut out).is_ok() {
            pushed += 1;
            assert!(pushed < 10);
        }
        let mut decoder = SseDecoder::new(100);
        let refused = (0..100).any(|_| decoder.push(b"data: aaaaaaaaaaaaaaa\n", &mut out).is_err());
        assert!(refused && out.is_empty());
    }

    proptest! {
        #[test]
        fn any_cutting_gives_the_same_events(
            text in prop::collection::vec(
                prop_oneof![
                    Just("data: ".to_owned()),
                    Just("data".to_owned()),
                    Just("event: e".to_owned()),
                    Just(":".to_owned()),
                    Just("\u{feff}".to_owned()),
                    Just("\r".to_owned()),
                    Just("\n".to_owned()),
                    Just("\r\n".to_owned()),
                    Just("\n\n".to_owned()),
                    ".{0,6}",
                    "[é€😀]{0,4}",
                ],
                0..24,
            ),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        ) {
            let bytes = text.concat().into_bytes();
            let mut at: Vec<usize> = cuts.iter().map(|c| c.index(bytes.len() + 1)).collect();
            at.extend([0, bytes.len()]);
            at.sort_unstable();
            let pieces: Vec<&[u8]> = at.windows(2).map(|w| &bytes[w[0]..w[1]]).collect();
            prop_assert_eq!(decode(&pieces), decode(&[&bytes]));
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            decode(&[&bytes]);
        }
    }
}
