//! German: where its sentences end.

use super::language;

language! {
    /// German: where its sentences end.
    German,
    "de",
    [abbreviations]
}
