//! Every retriever and every way of asking it: the lines of `tests/data/retrievers.txt`, which the package's
//! tests read too.

/// The ways, as a caller writes them.
pub fn ways() -> impl Iterator<Item = &'static str> {
    include_str!("../data/retrievers.txt").lines()
}
