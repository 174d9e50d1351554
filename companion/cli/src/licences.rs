//! `pocketgraph licences`.

use pocketgraph_build::licences::{APACHE, MIT, NOTICE, OWN, THIRD_PARTY};

/// Prints every text, the program's own first.
pub fn print_licences() {
    for (title, text) in [
        ("PocketGraph", OWN),
        ("LICENSE-MIT", MIT),
        ("LICENSE-APACHE", APACHE),
        ("The models in the program", NOTICE),
        ("The crates in the program", THIRD_PARTY),
    ] {
        println!("######## {title}\n\n{}\n", text.trim_end());
    }
}
