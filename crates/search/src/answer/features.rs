//! What blocks are chosen by, and what tells whether the chosen one is an answer: names and order, which the weights share.

/// What is known of a block, by name; the order of the weights.
pub const FEATURES: [&str; 14] = [
    "cosine",
    "own",
    "near",
    "share",
    "first-block",
    "names",
    "manner-names",
    "dangling",
    "leans-back",
    "echo",
    "length",
    "near-agrees",
    "beside",
    "figures",
];
/// What is known of the best block and of the question, by name; the order of the weights of certainty. The first is 1.
pub const CERTAINTY_FEATURES: [&str; 12] =
    ["one", "cosine", "covered", "own", "absent", "rarest-absent", "dense", "margin", "terms", "quoted", "no-figure", "headed"];
