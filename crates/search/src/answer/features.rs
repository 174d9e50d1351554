//! What blocks are chosen by: names and order, which the weights share.

/// What is known of a block and of its question, by name; the order of the weights. The first is 1, and weighs against no block being chosen.
pub const FEATURES: [&str; 11] = ["one", "late", "cosine", "own", "covered", "place", "share", "absent", "figure", "first", "length"];
