//! What blocks are chosen by: names and order, which the weights share.

/// Names of the figures that are known of a block and of its question, in the order of the weights. The first
/// is 1, and weighs against no block being chosen. So does the last, a fifth of the weight of a term that no
/// passage has, so that it is about as large as the others: among more passages, one is near by chance.
pub const FEATURES: [&str; 11] = [
    "one",
    "late",
    "cosine",
    "heading",
    "covered",
    "place",
    "share",
    "absent",
    "figureless",
    "first",
    "passages",
];
