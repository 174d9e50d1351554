//! Patterns of plans by which question sets are sorted: chains, intersections, unions and their combinations.

use super::check::Checked;
use super::{Head, Operation, Plan};

/// Pattern of a plan, with the names of LPKG and the query embedding papers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shape {
    /// Chain with this number of steps: 1p, 2p, 3p and longer.
    Chain(u8),
    /// Intersection of this number of single steps: 2i, 3i and wider.
    Intersection(u8),
    /// Step from an intersection.
    Ip,
    /// Intersection of a chain and a step.
    Pi,
    /// Union of this number of steps: 2u.
    Union(u8),
    /// Step from a union.
    Up,
    /// Set difference somewhere.
    Negation,
    /// Comparison.
    Compare,
    /// Any other pattern.
    Other,
}

impl Shape {
    /// Returns the pattern of a checked plan.
    pub fn of(plan: &Plan, checked: &Checked) -> Shape {
        let mut shapes: Vec<Shape> = Vec::with_capacity(plan.statements.len());
        for (statement, inputs) in plan.statements.iter().zip(&checked.inputs) {
            let of: Vec<Shape> = inputs.iter().filter_map(|&input| shapes.get(input).copied()).collect();
            shapes.push(Shape::shape_after(&statement.operation, &of));
        }
        shapes.get(checked.answer).copied().unwrap_or(Shape::Other)
    }

    fn shape_after(operation: &Operation, of: &[Shape]) -> Shape {
        if of.contains(&Shape::Negation) {
            return Shape::Negation;
        }
        match operation {
            Operation::SearchKg(step) if !matches!(step.head, Head::Reference(_)) => Shape::Chain(1),
            Operation::SearchKg(_) | Operation::Search { .. } => match of {
                [] => Shape::Chain(1),
                [Shape::Chain(steps), rest @ ..] if rest.iter().all(|r| r == &of[0]) => {
                    Shape::Chain(steps.saturating_add(1))
                }
                [Shape::Intersection(_)] => Shape::Ip,
                [Shape::Union(_)] => Shape::Up,
                _ => Shape::Other,
            },
            Operation::Intersect { .. } => {
                let mut width = 0_u8;
                let mut chains = 0;
                for shape in of {
                    match shape {
                        Shape::Chain(1) => width = width.saturating_add(1),
                        Shape::Intersection(inner) => width = width.saturating_add(*inner),
                        Shape::Chain(_) => chains += 1,
                        _ => return Shape::Other,
                    }
                }
                match chains {
                    0 => Shape::Intersection(width),
                    _ => Shape::Pi,
                }
            }
            Operation::Union { .. } => {
                let mut width = 0_u8;
                for shape in of {
                    match shape {
                        Shape::Chain(1) => width = width.saturating_add(1),
                        Shape::Union(inner) => width = width.saturating_add(*inner),
                        _ => return Shape::Other,
                    }
                }
                Shape::Union(width)
            }
            Operation::Negation { .. } => Shape::Negation,
            Operation::Compare(_) => Shape::Compare,
            Operation::All { .. }
            | Operation::Entity { .. }
            | Operation::Count { .. }
            | Operation::Filter { .. }
            | Operation::Superlative { .. } => Shape::Other,
        }
    }

    /// Returns the short name: `1p`, `2i`, `ip`, `compare`, …
    pub fn name(self) -> String {
        match self {
            Shape::Chain(n) => format!("{n}p"),
            Shape::Intersection(n) => format!("{n}i"),
            Shape::Union(n) => format!("{n}u"),
            Shape::Ip => "ip".to_owned(),
            Shape::Pi => "pi".to_owned(),
            Shape::Up => "up".to_owned(),
            Shape::Negation => "negation".to_owned(),
            Shape::Compare => "compare".to_owned(),
            Shape::Other => "other".to_owned(),
        }
    }

    /// Returns LPKG's name of the question type, if it has one.
    pub fn lpkg_name(self) -> Option<&'static str> {
        Some(match self {
            Shape::Chain(1) => "One Projection",
            Shape::Chain(2) => "Two Projection",
            Shape::Chain(3) => "Three Projection",
            Shape::Intersection(2) => "Two Intersection",
            Shape::Intersection(3) => "Three Intersection",
            Shape::Union(2) => "Two Union",
            Shape::Ip => "Intersection Projection",
            Shape::Pi => "Projection Intersection",
            Shape::Compare => "Compare",
            _ => return None,
        })
    }
}
