//! Fenced blocks of code in Markdown.

/// A fenced block of code, as lines go by.
#[derive(Default)]
pub(crate) struct Fence(Option<(u8, usize)>);

impl Fence {
    /// Returns true if the next lines are code.
    pub fn is_open(&self) -> bool {
        self.0.is_some()
    }

    /// Reads a line, without the marks around its text, and returns true if it is code or a fence around it.
    pub fn takes(&mut self, line: &str) -> bool {
        if let Some((mark, length)) = self.0 {
            if run(line, mark) >= length && run(line, mark) == line.len() {
                self.0 = None;
            }
            return true;
        }
        let opened =
            [b'`', b'~'].into_iter().map(|mark| (mark, run(line, mark))).find(|&(_, length)| length >= 3);
        // Behind three backticks another one makes it code inside a line.
        self.0 =
            opened.filter(|&(mark, length)| mark == b'~' || !line.get(length..).unwrap_or("").contains('`'));
        self.is_open()
    }
}

/// Returns a fence that no run of backticks in the code closes.
pub(crate) fn fence_around(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

/// Returns the number of times that a mark repeats at the beginning of a text.
pub(crate) fn run(s: &str, mark: u8) -> usize {
    s.bytes().take_while(|&b| b == mark).count()
}
