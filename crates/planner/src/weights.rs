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
pub fn set_weight(name: &str, value: f32) -> bool {
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
    /// Share of a relation's triples below which a pair of classes is an accident, if another pair is the
    /// rule.
    accident = 0.1;
    /// A further word of a step that is aligned already, as a part of its similarity.
    repeated_word = 0.3;
    /// A step that no word is aligned to.
    unaligned_step = -0.7;
    /// The same if the step takes back the one before it: "films that share directors".
    unaligned_backtrack = -0.5;
    /// Share of the alignment in order in a path's score; the rest is that of the alignment without order.
    ordered = 0.5;
    /// That a relation between things of one kind is followed the way that its verb's voice faces.
    voice = 0.5;
    /// That the word beside an entity says what it is: "the film Heat".
    apposition = 0.25;
    /// Cost of an entity that lacks the first step's relation.
    absent = 0.25;
    /// Cost of a superlative by which no set of the chain can be ranked.
    unmet = 1.0;
    /// Cost of a step against its relation without a word of the type to which it leads.
    backward = 0.5;
    /// Cost of a step back without a word of the type to which it leads, and without a word for going back.
    uncued_backtrack = 1.2;
    /// Cost of a word for a type to which no step leads.
    idle_type = 0.2;
    /// Cost of each step.
    step_cost = 0.08;
    /// That the end of a path is of the kind that is asked for.
    kind_agrees = 0.6;
    /// That it is of another kind.
    kind_disagrees = -0.5;
    /// Factor of a link's score in a chain from its entity.
    linked = 0.15;
    /// Factor of a chain's score in its confidence.
    explained = 0.5;
    /// Factor of the share of steps with words in a chain's confidence.
    aligned_share = 0.3;
    /// Factor of the margin to the next chain.
    margin = 0.2;
    /// Factor of the confidence of a chain that leaves out one of the question's names.
    unused_name = 0.5;
    /// Worth of a word derived from a name's word, relative to the word itself: "director" for "directed".
    derived = 0.9;
    /// Worth of an everyday word whose meaning is not in the graph's names: "kind" for a genre.
    everyday = 0.8;
    /// Worth of an adjective that measures something only of some things: "large" for a population.
    possible = 0.6;
    /// Worth of a comparative by its measure.
    measured = 0.8;
    /// For drafts: least agreement with its words from which a relation is tried.
    least_agreement = 0.225;
    /// For drafts: factor of the direction that the question suggests.
    suggested_direction = 0.2;
    /// For drafts: worth of everyday words for a relation, relative to its own.
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
