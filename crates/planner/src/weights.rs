//! Weights of the things that the rules look at. Hand-set: they are those of a prototype that was tuned on
//! the development questions of MetaQA.
//!
//! `tuning/rules.py` tries each at none, half and one and a half times its value over seven domains, and
//! searches for better ones leaving a domain out at a time. On 26 November 2026 it had eleven more: ten made
//! nothing better in any domain, of 5,614 questions, and went; what was kept of the confidence of a plan that
//! finds nothing was best at none in whichever domain was left out. Of those of the rules that are left no
//! other value helped domains that were left out. Of the drafts' weights three went (a step that the question
//! leaves unsaid is worth nothing in whichever domain was left out), and two have the values that it found.
//! `rule` and `accident` came to them on 27 November 2026: no other value helped. Of those of meaning
//! (`--meaning`) no other value of `ahead`, `apart` and `fitting` helped domains that were left out.
//! `same_meaning` stays, because the seven domains have no documentation, where nearly all that is asked is
//! something else: without it five of the seven would be planned better and packages worse.

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

/// Gives a weight another value for all planners of this process; whether there is a weight of that name. For
/// `tuning/rules.py`.
#[cfg(not(target_arch = "wasm32"))]
pub fn set(name: &str, value: f32) -> bool {
    now::set(name, value)
}

/// The weights that the trained planner's drafts are looked up by; all others are the rules'.
#[cfg(not(target_arch = "wasm32"))]
pub const OF_DRAFTS: [&str; 3] = ["least_agreement", "suggested_direction", "everyday_phrase"];

/// The weights of planning by meaning, and of how far that counts for a plan's certainty.
#[cfg(not(target_arch = "wasm32"))]
pub const OF_MEANING: [&str; 4] = ["same_meaning", "fitting", "ahead", "apart"];

weights! {
    /// So much is the rule, and the rest exceptions.
    rule = 0.9;
    /// Where one pair of classes is the rule of what a relation joins, a pair that joins less than this part
    /// of its triples is no part of what the relation is for.
    accident = 0.1;
    /// A further word of a step that is aligned already, as a part of its similarity.
    repeated_word = 0.3;
    /// A step that no word is aligned to.
    unaligned_step = -0.7;
    /// The same if the step takes back the one before it: "films that share directors".
    unaligned_backtrack = -0.5;
    /// How much the alignment in order counts, the rest being that without.
    ordered = 0.5;
    /// That a relation between things of one kind is followed the way that its verb's voice faces.
    voice = 0.5;
    /// That the word beside an entity says what it is: "the film Heat".
    apposition = 0.25;
    /// What it costs that an entity has no such relation as the first step.
    absent = 0.25;
    /// What a superlative costs that no set of the chain can be ranked by.
    unmet = 1.0;
    /// What a step against its relation costs without a word of the type that it leads to.
    backward = 0.5;
    /// What a step back costs for which there is no word of the type that it leads to, nor one that says that
    /// it is one.
    uncued_backtrack = 1.2;
    /// What a word for a type costs that no step leads to.
    idle_type = 0.2;
    /// What each step costs.
    step_cost = 0.08;
    /// That the end of a path is of the kind that is asked for.
    kind_agrees = 0.6;
    /// That it is of another kind.
    kind_disagrees = -0.5;
    /// How much the score of a link counts for a chain from its entity.
    linked = 0.15;
    /// How much the score of a chain counts for how sure it is.
    explained = 0.5;
    /// How much the share of its steps counts that words are aligned to.
    aligned_share = 0.3;
    /// How much the margin to the next chain counts.
    margin = 0.2;
    /// What is kept of how sure a chain is that has nothing to do with one of the question's names.
    unused_name = 0.5;
    /// What a word derived from a name's word is worth against the word itself: "director" for "directed".
    derived = 0.9;
    /// What a word of everyday language is worth whose meaning is not in the graph's names: "kind" for a
    /// genre.
    everyday = 0.8;
    /// What an adjective is worth for what it measures only of some things: "large" for a population.
    possible = 0.6;
    /// What a comparative is worth by what it measures.
    measured = 0.8;
    /// Of drafts: a relation that agrees less with the words for it is not tried.
    least_agreement = 0.225;
    /// Of drafts: how much the direction counts that the question suggests.
    suggested_direction = 0.2;
    /// Of drafts: what everyday words for a relation are worth against its own.
    everyday_phrase = 1.425;
    /// By meaning: what is nearer than this to a name of a relation says the same.
    same_meaning = 0.85;
    /// By meaning: the part of a relation's triples that must lead to what the question asks for.
    fitting = 0.5;
    /// By meaning: a relation that is further ahead of the next counts no more for it.
    ahead = 0.2;
    /// By meaning: a relation that is as far ahead of the next is apart from it.
    apart = 0.02;
}
