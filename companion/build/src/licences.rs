//! The texts that the licences of what we pass on ask for: they travel with bundles, with the package and in
//! the program.

/// The licence of the program and the package.
pub const OWN: &str = include_str!("../../../LICENSE");

/// The MIT licence.
pub const MIT: &str = include_str!("../../../LICENSE-MIT");

/// The Apache License, version 2.0.
pub const APACHE: &str = include_str!("../../../LICENSE-APACHE");

/// Notice of the weights: their authors, the changes, and the terms.
pub const NOTICE: &str = include_str!("../../../models/NOTICE");

/// The crates that are linked into the program, and their terms; written by `scripts/third-party.mjs`.
pub const THIRD_PARTY: &str = include_str!("../../../THIRD-PARTY.txt");

/// Files beside the weights in a bundle, as (file name, text). No page fetches them.
pub const OF_WEIGHTS: [(&str, &str); 2] = [("NOTICE", NOTICE), ("LICENSE-APACHE", APACHE)];

/// Notice of the weights of multilingual-e5-small: their authors, the changes, and the terms.
pub const NOTICE_MULTILINGUAL: &str = include_str!("../../../models/NOTICE-e5");

/// The same beside those of multilingual-e5-small.
pub const OF_MULTILINGUAL: [(&str, &str); 1] = [("NOTICE", NOTICE_MULTILINGUAL)];
