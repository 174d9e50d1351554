//! Numbers of parts of one knowledge graph. They mean nothing in another graph, nor after a rebuild.

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        #[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
        pub struct $name(pub u32);

        impl $name {
            /// Returns the number as an index.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id! {
    /// Node: an entity or a literal. Entities have the numbers from 0 on, literals those after them.
    NodeId
}
id! {
    /// Relation, in the order of its first mention.
    RelationId
}
id! {
    /// Entity type, in the order of its first mention.
    TypeId
}
id! {
    /// Triple: its place in the order of (head, relation, tail).
    TripleId
}
