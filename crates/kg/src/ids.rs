//! Numbers that name things of one knowledge graph. They mean nothing in another graph, nor after a rebuild.

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        #[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
        pub struct $name(pub u32);

        impl $name {
            /// The number as an index.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id! {
    /// A node: an entity or a literal. Entities have the numbers from 0 on, literals those after the last entity.
    NodeId
}
id! {
    /// A relation, in the order of its first mention.
    RelationId
}
id! {
    /// An entity type, in the order of its first mention.
    TypeId
}
id! {
    /// A triple: its place in the order of (head, relation, tail).
    TripleId
}
