//! Surfaces by name, and the surface of a text.

use super::check::Limits;
use super::{Parsed, Plan, PlanError, json_form, lpkg, rft};

/// Way to write plans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    /// Plan lines (Graph-RFT).
    Lines,
    /// Code (LPKG).
    Code,
    /// JSON.
    Json,
}

impl Surface {
    /// Names that [`Surface::by_name`] accepts.
    pub const NAMES: [&'static str; 3] = ["rft", "lpkg", "json"];

    /// Returns the surface of that name.
    pub fn by_name(name: &str) -> Option<Surface> {
        Some(match name {
            "rft" => Surface::Lines,
            "lpkg" => Surface::Code,
            "json" => Surface::Json,
            _ => return None,
        })
    }

    /// Returns the surface whose marks come first in a text; plan lines if there are none.
    pub fn of(text: &str) -> Surface {
        // Marks far from the beginning belong to prose or to a text that is no plan.
        let head = &text[..text.floor_char_boundary(64 << 10)];
        let lower = head.to_ascii_lowercase();
        let first = |marks: &[&str]| marks.iter().filter_map(|m| lower.find(m)).min().unwrap_or(usize::MAX);
        let json = first(&["\"statements\"", "\"op\""]);
        let code = first(&["sub_question", "original_question", "finish_the_plan", "question type:"]);
        let lines = first(&[
            "searchkg",
            "search(",
            "all(",
            "intersect(",
            "union(",
            "negation(",
            "compare(",
            "count(",
            "filter(",
            "max(",
            "min(",
        ]);
        match () {
            () if json < code && json < lines => Surface::Json,
            () if code < lines => Surface::Code,
            () => Surface::Lines,
        }
    }

    /// Reads a plan in this surface.
    ///
    /// # Errors
    /// The first fault, with its place.
    pub fn read(self, text: &str, limits: &Limits) -> Result<Parsed, PlanError> {
        match self {
            Surface::Lines => rft::parse(text, limits),
            Surface::Code => lpkg::parse(text, limits),
            Surface::Json => json_form::parse(text, limits),
        }
    }

    /// Writes a plan in this surface.
    ///
    /// # Errors
    /// [`PlanError`] for a part that the surface cannot express.
    pub fn print(self, plan: &Plan) -> Result<String, PlanError> {
        match self {
            Surface::Lines => rft::print(plan),
            Surface::Code => lpkg::print(plan),
            Surface::Json => Ok(json_form::print(plan)),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::plan::arbitrary::plan;
    use proptest::prelude::*;

    #[test]
    fn a_text_says_by_its_marks_what_it_is() {
        assert_eq!(Surface::of("Here it is:\nAns1=SearchKG(t=a | h=b, r=c)"), Surface::Lines);
        assert_eq!(Surface::of("```json\n[{\"op\": \"all\"}]"), Surface::Json);
        assert_eq!(
            Surface::of("### Question Type: Compare\nSub_Question_1: str = \"Search(x)\""),
            Surface::Code
        );
        assert_eq!(Surface::of(""), Surface::Lines);
        for (name, surface) in Surface::NAMES.into_iter().zip([Surface::Lines, Surface::Code, Surface::Json])
        {
            assert_eq!(Surface::by_name(name), Some(surface));
        }
    }

    proptest! {
        #[test]
        fn what_a_surface_writes_it_reads(plan in plan(true)) {
            for surface in [Surface::Lines, Surface::Code, Surface::Json] {
                let text = surface.print(&plan).unwrap();
                prop_assert_eq!(
                    surface.read(&text, &Limits::default()).unwrap().plan.statements.len(),
                    plan.statements.len()
                );
            }
        }
    }
}
