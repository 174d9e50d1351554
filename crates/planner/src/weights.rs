//! How much each thing counts that the rules look at. The values are those of a prototype that was tuned on the development questions of MetaQA;
//! `tuning/rules.py` tries others over seven domains, leaving one out at a time, and writes here what helps.

macro_rules! weights {
    ($($(#[$doc:meta])* $name:ident = $value:literal;)*) => {
        /// The weights' names, in their order.
        #[cfg(not(target_arch = "wasm32"))]
        pub const NAMES: &[&str] = &[$(stringify!($name)),*];

        /// The weights' values.
        #[cfg(not(target_arch = "wasm32"))]
        pub const VALUES: &[f32] = &[$($value),*];

        // In a page a weight is a constant; in the program it can be tried with another value.
        #[cfg(not(target_arch = "wasm32"))]
        mod now {
            use std::sync::atomic::{AtomicU32, Ordering};
            $(#[allow(non_upper_case_globals)]
            pub static $name: AtomicU32 = AtomicU32::new(f32::to_bits($value));)*

            pub fn set(name: &str, value: f32) -> bool {
                match name {
                    $(stringify!($name) => $name.store(value.to_bits(), Ordering::Relaxed),)*
                    _ => return false,
                }
                true
            }
        }

        $(
            $(#[$doc])*
            #[cfg(not(target_arch = "wasm32"))]
            pub(super) fn $name() -> f32 {
                f32::from_bits(now::$name.load(std::sync::atomic::Ordering::Relaxed))
            }

            $(#[$doc])*
            #[cfg(target_arch = "wasm32")]
            pub(super) const fn $name() -> f32 {
                $value
            }
        )*
    };
}

/// Gives a weight another value for all planners of this process; whether there is a weight of that name. For `tuning/rules.py`.
#[cfg(not(target_arch = "wasm32"))]
pub fn set(name: &str, value: f32) -> bool {
    now::set(name, value)
}

weights! {
    /// A further word of a step that is aligned already, as a part of its similarity.
    repeated_word = 0.3;
    /// A word that is aligned to no step, as a part of its best similarity.
    unaligned_word = -0.8;
    /// A step that no word is aligned to.
    unaligned_step = -0.7;
    /// The same if the step takes back the one before it: "films that share directors".
    unaligned_backtrack = -0.5;
    /// How much the alignment in order counts, the rest being that without.
    ordered = 0.5;
    /// That a relation between things of one kind is followed the way that the words face.
    direction = 0.15;
    /// The same where the verb's voice tells which.
    voice = 0.5;
    /// That the word beside an entity says what it is: "the film Heat".
    apposition = 0.25;
    /// What it costs that an entity has no such relation as the first step.
    absent = 0.25;
    /// What a superlative costs that no set of the chain can be ranked by.
    unmet = 1.0;
    /// What a step against its relation costs without a word of the type that it leads to.
    backward = 0.5;
    /// What a step back costs for which there is no word of the type that it leads to.
    backtrack = 0.3;
    /// The same where no word says that it is one either.
    uncued_backtrack = 1.2;
    /// What a step forth again costs where no word says so, and none what lies between.
    uncued_detour = 0.8;
    /// What a word for a type costs that no step leads to.
    idle_type = 0.2;
    /// What each step costs.
    step_cost = 0.08;
    /// That the end of a path is of the kind that is asked for.
    kind_agrees = 0.6;
    /// That it is of another kind.
    kind_disagrees = -0.5;
    /// That what is not so is taken from all of a type, where the type need not agree with what is asked for.
    negated_type = 1.8;
    /// How much the score of a link counts for a chain from its entity.
    linked = 0.15;
    /// What each word of a name counts, as to which name a chain starts from.
    word_of_name = 0.1;
    /// What a capital counts there.
    capital = 0.3;
    /// What it costs there that a name without one is made of words for relations and types.
    lexical_name = 1.0;
    /// How much the score of a chain counts for how sure it is.
    explained = 0.5;
    /// How much the share of its steps counts that words are aligned to.
    aligned_share = 0.3;
    /// How much the margin to the next chain counts.
    margin = 0.2;
    /// What a word for the type that an unaligned step leads to adds to a chain's score, as to how sure it is.
    named_kind = 0.7;
    /// What is kept of how sure a chain is that finds nothing.
    empty = 0.6;
    /// What is kept of it where the chain has nothing to do with one of the question's names.
    unused_name = 0.5;
    /// How much the score of a combination counts for how sure it is; the rest is what words speak of.
    joint_score = 0.6;
    /// What a word derived from a name's word is worth against the word itself: "director" for "directed".
    derived = 0.9;
    /// What a word of everyday language is worth whose meaning is not in the graph's names: "kind" for a genre.
    everyday = 0.8;
    /// What an adjective is worth for what it measures only of some things: "large" for a population.
    possible = 0.6;
    /// What a word for time is worth in a comparison that names no relation: "which came out first".
    defaulted = 0.5;
    /// What a comparative is worth by what it measures.
    measured = 0.8;
}
