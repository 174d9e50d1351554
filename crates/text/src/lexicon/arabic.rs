//! Arabic: its article, which is written in one word with its noun.

use super::language;

language! {
    /// Arabic: its article, which is written in one word with its noun.
    Arabic,
    "ar",
    [articles]
}
