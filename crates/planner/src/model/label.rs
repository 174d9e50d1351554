//! What the trained planner tells apart: shapes of queries, what is asked of them, and what a token of the
//! question is for.

use Node::{And, Entity, Not, Or, Step};
use Shape::*;

/// The shape of a query, by the field's short names (BetaE, arXiv 2010.11465): p is a step, i an
/// intersection, u a union, n a negation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shape {
    /// Everything of a type.
    P0,
    /// One step.
    P1,
    /// Two steps in a row.
    P2,
    /// Three steps in a row.
    P3,
    /// Intersection of two steps.
    I2,
    /// Intersection of three steps.
    I3,
    /// A step from what two steps agree on.
    Ip,
    /// Intersection of two steps in a row and one step.
    Pi,
    /// Union of two steps.
    U2,
    /// A step from what either of two steps finds.
    Up,
    /// Results of one step without those of another.
    In2,
    /// Intersection of two steps without the results of a third.
    In3,
    /// A step from what one step finds and another does not.
    Inp,
    /// Results of two steps in a row without those of one step.
    Pin,
    /// Results of one step without those of two steps in a row.
    Pni,
    /// The same step from two entities, to be compared.
    Compare,
}

/// A part of a shape. Numbers are those of the slots: the j-th entity, the i-th step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Node {
    /// Everything of the type that the first type slot says.
    All,
    /// An entity.
    Entity(usize),
    /// A step from what the node finds.
    Step(usize, &'static Node),
    /// Intersection.
    And(&'static [Node]),
    /// Union.
    Or(&'static [Node]),
    /// Results of the first without those of the second.
    Not(&'static Node, &'static Node),
}

/// Entities that a shape has at most.
pub const ENTITIES: usize = 3;
/// Steps that a shape has at most.
pub const STEPS: usize = 3;

const E: [Node; 3] = [Entity(0), Entity(1), Entity(2)];
const FIRST: Node = Step(0, &E[0]);
const SECOND: Node = Step(1, &E[1]);
const THIRD: Node = Step(2, &E[2]);
const CHAIN: Node = Step(1, &FIRST);
const BOTH: Node = And(&[FIRST, SECOND]);
const EITHER: Node = Or(&[FIRST, SECOND]);
const BUT: Node = Not(&FIRST, &SECOND);

/// Names of shapes, in the order of their definition.
const NAMES: [&str; 16] = [
    "0p", "1p", "2p", "3p", "2i", "3i", "ip", "pi", "2u", "up", "2in", "3in", "inp", "pin", "pni", "compare",
];

impl Shape {
    /// Every shape, in the order of the model's outputs.
    pub const ALL: [Shape; 16] = [P0, P1, P2, P3, I2, I3, Ip, Pi, U2, Up, In2, In3, Inp, Pin, Pni, Compare];

    /// Its name in the papers.
    pub fn name(self) -> &'static str {
        NAMES[self.index()]
    }

    /// Its place among the model's outputs.
    pub fn index(self) -> usize {
        self as usize
    }

    /// Returns the shape's parts. For a comparison they are the first operand; the second is the same step
    /// from the second entity.
    pub fn node(self) -> Node {
        match self {
            P0 => Node::All,
            P1 | Compare => FIRST,
            P2 => CHAIN,
            P3 => Step(2, &CHAIN),
            I2 => BOTH,
            I3 => And(&[FIRST, SECOND, THIRD]),
            Ip => Step(2, &BOTH),
            Pi => And(&[CHAIN, Step(2, &E[1])]),
            U2 => EITHER,
            Up => Step(2, &EITHER),
            In2 => BUT,
            In3 => Not(&BOTH, &THIRD),
            Inp => Step(2, &BUT),
            Pin => Not(&CHAIN, &Step(2, &E[1])),
            Pni => Not(&FIRST, &Step(2, &SECOND)),
        }
    }

    /// Returns the number of its entities.
    pub fn entities(self) -> usize {
        match self {
            P0 => 0,
            P1 | P2 | P3 => 1,
            I3 | In3 => 3,
            _ => 2,
        }
    }

    /// Returns the number of its steps.
    pub fn steps(self) -> usize {
        match self {
            P0 => 0,
            P1 | Compare => 1,
            P2 | I2 | U2 | In2 => 2,
            _ => 3,
        }
    }
}

/// The aggregation of a set that a question asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Aggregation {
    /// Its members.
    Set,
    /// Its size.
    Count,
    /// The largest, of a set or of two that are compared.
    Max,
    /// The smallest.
    Min,
    /// Equality of two.
    Equal,
}

impl Aggregation {
    /// Every one, in the order of the model's outputs.
    pub const ALL: [Aggregation; 5] =
        [Aggregation::Set, Aggregation::Count, Aggregation::Max, Aggregation::Min, Aggregation::Equal];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Aggregation::Set => "set",
            Aggregation::Count => "count",
            Aggregation::Max => "max",
            Aggregation::Min => "min",
            Aggregation::Equal => "equal",
        }
    }

    /// Its place among the model's outputs.
    pub fn index(self) -> usize {
        self as usize
    }

    /// Returns true if a question of this shape can ask for it.
    pub fn fits(self, shape: Shape) -> bool {
        match self {
            Aggregation::Set => !matches!(shape, Shape::Compare),
            Aggregation::Count => !matches!(shape, Shape::Compare),
            Aggregation::Max | Aggregation::Min => true,
            Aggregation::Equal => shape == Shape::Compare,
        }
    }
}

/// The role of a token of the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tag {
    /// Words between.
    Other,
    /// The entity of a slot.
    Entity(usize),
    /// The relation of a step, and whether the step follows it from tail to head.
    Relation(usize, bool),
    /// The measure of a superlative.
    Measure,
    /// The type of what a step finds; of a shape without steps, its type.
    Type(usize),
}

/// Number of tags.
pub const TAGS: usize = 14;

impl Tag {
    /// Every tag, in the order of the model's outputs.
    pub const ALL: [Tag; TAGS] = [
        Tag::Other,
        Tag::Entity(0),
        Tag::Entity(1),
        Tag::Entity(2),
        Tag::Relation(0, false),
        Tag::Relation(0, true),
        Tag::Relation(1, false),
        Tag::Relation(1, true),
        Tag::Relation(2, false),
        Tag::Relation(2, true),
        Tag::Measure,
        Tag::Type(0),
        Tag::Type(1),
        Tag::Type(2),
    ];

    /// Its place among the model's outputs.
    pub fn index(self) -> usize {
        match self {
            Tag::Other => 0,
            Tag::Entity(i) => 1 + i,
            Tag::Relation(i, inverse) => 4 + 2 * i + usize::from(inverse),
            Tag::Measure => 10,
            Tag::Type(i) => 11 + i,
        }
    }

    /// Its name: `O`, `E1`, `R1`, `R1-` (from tail to head), `M`, `T1` and so on.
    pub fn name(self) -> String {
        match self {
            Tag::Other => "O".into(),
            Tag::Entity(i) => format!("E{}", i + 1),
            Tag::Relation(i, inverse) => format!("R{}{}", i + 1, if inverse { "-" } else { "" }),
            Tag::Measure => "M".into(),
            Tag::Type(i) => format!("T{}", i + 1),
        }
    }

    /// Returns true if a question of this shape and aggregation has such words.
    pub fn fits(self, shape: Shape, aggregation: Aggregation) -> bool {
        match self {
            Tag::Other => true,
            Tag::Entity(i) => i < shape.entities(),
            Tag::Relation(i, _) => i < shape.steps(),
            Tag::Measure => {
                shape != Shape::Compare && matches!(aggregation, Aggregation::Max | Aggregation::Min)
            }
            Tag::Type(i) => i < shape.steps().max(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_names_are_those_of_the_lists() {
        let [two, three, last] = [P2, In3, Compare].map(Shape::name);
        assert_eq!([two, three, last], ["2p", "3in", "compare"]);
        for (i, shape) in Shape::ALL.into_iter().enumerate() {
            assert_eq!(shape.index(), i, "{}", shape.name());
        }
        for (i, tag) in Tag::ALL.into_iter().enumerate() {
            assert_eq!(tag.index(), i, "{}", tag.name());
        }
        for (i, aggregation) in Aggregation::ALL.into_iter().enumerate() {
            assert_eq!(aggregation.index(), i, "{}", aggregation.name());
        }
    }

    fn slots(node: &Node, entities: &mut Vec<usize>, steps: &mut Vec<usize>) {
        match node {
            Node::All => {}
            Node::Entity(i) => entities.push(*i),
            Node::Step(i, of) => {
                slots(of, entities, steps);
                steps.push(*i);
            }
            Node::And(of) | Node::Or(of) => of.iter().for_each(|n| slots(n, entities, steps)),
            Node::Not(main, minus) => [main, minus].iter().for_each(|n| slots(n, entities, steps)),
        }
    }

    #[test]
    fn every_shape_uses_each_of_its_slots_once() {
        for shape in Shape::ALL.into_iter().filter(|s| *s != Shape::Compare) {
            let (mut entities, mut steps) = (Vec::new(), Vec::new());
            slots(&shape.node(), &mut entities, &mut steps);
            entities.sort_unstable();
            steps.sort_unstable();
            assert_eq!(entities, (0..shape.entities()).collect::<Vec<_>>(), "{}", shape.name());
            assert_eq!(steps, (0..shape.steps()).collect::<Vec<_>>(), "{}", shape.name());
        }
    }
}
