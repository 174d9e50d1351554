//! GeoQuery's logical forms as plans.
//!
//! A form is a conjunction of goals about variables. A variable's set is the result of its goals: a goal with
//! another variable is a step from that one's set; `largest` and the like are superlatives over their goals.

use super::draft::Draft;
use super::majors::{MAJOR, entity_id};
use super::prolog::Term;
use pocketgraph::plan::{
    Comparison, Condition, Extreme, Head, Literal, Measure, Operand, Operation, Plan, Relation, Test,
};
use std::collections::{BTreeMap, BTreeSet};

/// The plan of a logical form, or why the plan language has none.
pub(super) fn compile_plan(form: &str, question: &str) -> Result<Plan, String> {
    let term = Term::parse(form)?;
    let Some(("answer", [asked, body])) = term.parts() else {
        return Err("the form is no answer(Variable, Goals)".to_owned());
    };
    let asked = asked.variable().ok_or("the form asks for no variable")?;
    let mut compiler = Compiler { draft: Draft::default(), types: BTreeMap::new(), low: BTreeSet::new() };
    compiler.type_goals(&body.goals());
    let found = compiler.set(asked, body.goals(), BTreeMap::new())?;
    let Source::Set(answer) = found else {
        return Err("the question asks for the entity that it names".to_owned());
    };
    Ok(compiler.draft.plan(answer, Some(question.to_owned())))
}

/// Known restriction of a variable: entities by their names, or a statement's set.
#[derive(Debug, Clone)]
enum Source {
    Entities(Vec<String>),
    Set(String),
}

struct Compiler {
    draft: Draft,
    types: BTreeMap<String, BTreeSet<&'static str>>,
    /// Variables of lowest points; other places are highest points.
    low: BTreeSet<String>,
}

type Goals<'t> = Vec<&'t Term>;
type Bound = BTreeMap<String, Source>;

const TYPES: [&str; 7] = ["state", "city", "river", "lake", "mountain", "place", "capital"];

/// The end that an aggregate stands for.
fn extreme_of(name: &str) -> Option<Extreme> {
    Some(match name {
        "largest" | "longest" | "highest" | "most" => Extreme::Max,
        "smallest" | "shortest" | "lowest" | "fewest" => Extreme::Min,
        _ => return None,
    })
}

/// The relation of a goal that joins a thing to a number, for things of this type.
fn measured_by(goal: &str, of: &str) -> Option<&'static str> {
    Some(match (goal, of) {
        ("population", _) | ("size", "city" | "capital") => "population",
        ("area", _) | ("size", _) => "area",
        ("len", _) => "length",
        ("density", _) => "density",
        ("elevation", "mountain") => "altitude",
        _ => return None,
    })
}

/// Returns the default measure of a type for `largest`.
fn usual_measure(of: &str) -> Option<&'static str> {
    Some(match of {
        "city" | "capital" => "population",
        "state" | "lake" => "area",
        "river" => "length",
        "mountain" => "altitude",
        _ => return None,
    })
}

fn exact_relation(name: &str, inverse: bool) -> Relation {
    Relation::Exact { name: name.to_owned(), inverse }
}

impl Compiler {
    /// Notes what the goals say of their variables' types.
    fn type_goals(&mut self, goals: &[&Term]) {
        for goal in goals {
            let Some((name, arguments)) = goal.parts() else { continue };
            let mut note = |at: usize, of: &'static str| {
                if let Some(v) = arguments.get(at).and_then(Term::variable) {
                    self.types.entry(v.to_owned()).or_default().insert(of);
                }
            };
            match (name, arguments.len()) {
                ("const", 2) => {
                    let functor = arguments[1].parts().map_or("", |p| p.0);
                    if let Some(&of) = ["state", "city", "river", "place", "country"]
                        .iter()
                        .find(|t| functor == format!("{t}id"))
                    {
                        note(0, of);
                    }
                }
                ("lowest", 2) => {
                    let low = arguments[0].variable().map(str::to_owned);
                    self.low.extend(low);
                }
                ("capital", 2) => {
                    note(0, "state");
                    note(1, "capital");
                }
                ("traverse", 2) => {
                    note(0, "river");
                    note(1, "state");
                }
                ("high_point", 2) => {
                    note(0, "state");
                    note(1, "place");
                }
                (of, 1) => {
                    if let Some(&of) = TYPES.iter().find(|t| **t == of) {
                        note(0, of);
                    }
                }
                _ => {}
            }
            for inner in arguments.iter().filter(|a| a.parts().is_some()) {
                self.type_goals(&inner.goals());
            }
        }
    }

    /// The most telling type of a variable; a capital is also a city.
    fn type_of(&self, variable: &str) -> Option<&'static str> {
        let all = self.types.get(variable)?;
        ["capital", "country"].into_iter().chain(TYPES).find(|t| all.contains(t))
    }

    /// The set of a variable under goals, some variables being known.
    fn set(&mut self, of: &str, mut goals: Goals<'_>, mut bound: Bound) -> Result<Source, String> {
        while let Some(at) = goals.iter().position(|g| {
            g.parts()
                .is_some_and(|(n, a)| a.len() >= 2 && (extreme_of(n).is_some() || n == "count" || n == "sum"))
        }) {
            let goal = goals.remove(at);
            let Some((name, arguments)) = goal.parts() else { break };
            match (name, arguments) {
                ("count", [counted, body, number]) => {
                    let (counted, number) = (name_of(counted)?, name_of(number)?);
                    let set = self.set(counted, body.goals(), bound.clone())?;
                    let set = self.named(set)?;
                    bound.insert(
                        number.to_owned(),
                        Source::Set(self.draft.push(Operation::Count { of: set })),
                    );
                }
                ("sum", _) => return Err("a sum".to_owned()),
                _ => {
                    let body = arguments.last().map(Term::goals).unwrap_or_default();
                    let (entity, set, inner) = self.superlative_of(name, arguments, &body, &bound)?;
                    bound.insert(entity, Source::Set(set));
                    goals.extend(inner);
                }
            }
        }
        if let Some(known) = bound.get(of) {
            return Ok(known.clone());
        }
        self.joined(of, &goals, &bound)
    }

    /// A superlative: the variable that it is about, its set, and the goals that may lead on from it.
    fn superlative_of<'t>(
        &mut self,
        name: &str,
        arguments: &'t [Term],
        body: &Goals<'t>,
        bound: &Bound,
    ) -> Result<(String, String, Goals<'t>), String> {
        let end = extreme_of(name).ok_or("no superlative")?;
        let about = name_of(&arguments[0])?;
        if let [_, counted, _] = arguments {
            let counted = name_of(counted)?;
            let own: Goals<'t> = body.iter().copied().filter(|g| !g.mentions(counted)).collect();
            let join = body.iter().find_map(|g| self.step(g, counted, about));
            let (relation, inverse) =
                join.and_then(|mut j| j.pop()).ok_or("a number of things that no relation joins")?;
            // The other direction: from what is ranked to what is counted.
            let of_one_type = !matches!(relation, "in_state");
            let plain =
                !body.iter().any(|g| g.parts().is_some_and(|(n, a)| n == "major" && a[0].mentions(counted)));
            if !of_one_type || !plain {
                return Err("a number of things of one type among others".to_owned());
            }
            let base = self.set(about, own, bound.clone())?;
            let base = self.named(base)?;
            let by = Some(Measure::NumberOf(exact_relation(relation, !inverse)));
            let set = self.draft.push(Operation::Superlative { of: base, by, extreme: end, keep: 1 });
            return Ok((about.to_owned(), set, body.clone()));
        }
        // "largest(B, (state(A), population(A, B)))" ranks A by B.
        let number = body.iter().find_map(|g| {
            let (goal, args) = g.parts()?;
            let thing = args.first()?.variable()?;
            (args.get(1)?.variable()? == about)
                .then(|| measured_by(goal, self.type_of(thing).unwrap_or("state")))
                .flatten()
                .map(|r| (*g, thing, r))
        });
        if let Some((goal, thing, relation)) = number {
            let rest: Goals<'t> = body.iter().copied().filter(|g| !std::ptr::eq(*g, goal)).collect();
            let base = self.set(thing, rest.clone(), bound.clone())?;
            let base = self.named(base)?;
            let by = Some(Measure::ValueOf(exact_relation(relation, false)));
            return Ok((
                thing.to_owned(),
                self.draft.push(Operation::Superlative { of: base, by, extreme: end, keep: 1 }),
                rest,
            ));
        }
        let of = self.type_of(about).ok_or("a superlative of an unknown type")?;
        if of == "place" {
            return self.point(about, end, body, bound);
        }
        let relation = usual_measure(of).ok_or_else(|| format!("a superlative of {of}"))?;
        let base = self.set(about, body.clone(), bound.clone())?;
        let base = self.named(base)?;
        let by = Some(Measure::ValueOf(exact_relation(relation, false)));
        Ok((
            about.to_owned(),
            self.draft.push(Operation::Superlative { of: base, by, extreme: end, keep: 1 }),
            body.clone(),
        ))
    }

    /// The highest or lowest point of a state, or of the states that the goals leave.
    fn point<'t>(
        &mut self,
        place: &str,
        end: Extreme,
        body: &Goals<'t>,
        bound: &Bound,
    ) -> Result<(String, String, Goals<'t>), String> {
        let (point, elevation) = if end == Extreme::Max {
            ("highest_point", "highest_elevation")
        } else {
            ("lowest_point", "lowest_elevation")
        };
        let rest: Goals<'t> = body.iter().copied().filter(|g| !g.mentions(place)).collect();
        let mut within = body.iter().filter_map(|g| match g.parts() {
            Some(("loc", [p, s])) if p.variable() == Some(place) => s.variable(),
            _ => None,
        });
        let within = within.rfind(|s| self.type_of(s) != Some("country"));
        let states = match within {
            Some(state) => self.set(state, rest.clone(), bound.clone())?,
            None => Source::Set(
                self.draft.push(Operation::All { target: Some("state".to_owned()), relation: None }),
            ),
        };
        let one = match states {
            Source::Entities(_) => states,
            Source::Set(of) => {
                let by = Some(Measure::ValueOf(exact_relation(elevation, false)));
                Source::Set(self.draft.push(Operation::Superlative { of, by, extreme: end, keep: 1 }))
            }
        };
        let set = self.follow(&one, &[(point, false)], None)?;
        Ok((place.to_owned(), set, body.to_vec()))
    }

    /// Restricts a variable's type by the goals about it.
    fn joined(&mut self, of: &str, goals: &Goals<'_>, bound: &Bound) -> Result<Source, String> {
        let own = |g: &&Term| g.mentions(of);
        let (mut sets, mut minus, mut filters) = (Vec::new(), Vec::new(), Vec::new());
        for goal in goals.iter().copied().filter(own) {
            let Some((name, arguments)) = goal.parts() else { continue };
            let rest: Goals<'_> = goals.iter().copied().filter(|g| !std::ptr::eq(*g, goal)).collect();
            match (name, arguments) {
                ("const", [_, id]) => return find_constant(id),
                ("\\+", [negated]) => {
                    let negated = self.set(of, negated.goals(), bound.clone())?;
                    minus.push(self.named(negated)?);
                }
                ("major", _) => {
                    let of = self.type_of(of).unwrap_or("city");
                    let (_, relation, least) =
                        MAJOR.iter().find(|m| m.0 == of).ok_or("a major thing of this type")?;
                    filters.push((
                        Measure::ValueOf(exact_relation(relation, false)),
                        Operand::Literal(number_literal(*least)),
                    ));
                }
                ("longer" | "higher", [own, other]) if own.variable() == Some(of) => {
                    let relation = if name == "longer" { "length" } else { "altitude" };
                    let other = name_of(other)?;
                    let than = self.set(other, rest, bound.clone())?;
                    let value = self.follow(&than, &[(relation, false)], None)?;
                    filters
                        .push((Measure::ValueOf(exact_relation(relation, false)), Operand::Reference(value)));
                }
                _ => {
                    let Some(other) = arguments.iter().filter_map(Term::variable).find(|v| *v != of) else {
                        continue;
                    };
                    if self.type_of(other) == Some("country") {
                        continue;
                    }
                    if let Some(value) = self.higher_point(other, &rest, bound)? {
                        filters.push((
                            Measure::ValueOf(exact_relation("highest_elevation", false)),
                            Operand::Reference(value),
                        ));
                        continue;
                    }
                    let steps = self.step(goal, other, of).ok_or_else(|| format!("{name} between these"))?;
                    let from = self.set(other, rest, bound.clone())?;
                    let target = self.type_of(of).filter(|_| steps.len() == 1);
                    sets.push(self.follow(&from, &steps, target)?);
                }
            }
        }
        let mut set = match sets.len() {
            0 => {
                let target = self.type_of(of).filter(|t| *t != "country").ok_or("a set without a type")?;
                self.draft.push(Operation::All { target: Some(target.to_owned()), relation: None })
            }
            1 => sets.remove(0),
            _ => self.draft.push(Operation::Intersect { of: sets }),
        };
        for (by, to) in filters {
            let test = Test { by: Some(by), comparison: Comparison::Greater, to };
            set = self.draft.push(Operation::Filter { of: set, condition: Condition::Value(test) });
        }
        if !minus.is_empty() {
            set = self.draft.push(Operation::Negation { main: set, minus });
        }
        Ok(Source::Set(set))
    }

    /// The elevation that a place must exceed, where a goal says that it is higher than another.
    fn higher_point(
        &mut self,
        place: &str,
        goals: &Goals<'_>,
        bound: &Bound,
    ) -> Result<Option<String>, String> {
        let other = goals.iter().find_map(|g| match g.parts() {
            Some(("higher", [own, other])) if own.variable() == Some(place) => other.variable(),
            _ => None,
        });
        let Some(other) = other else { return Ok(None) };
        let rest: Goals<'_> = goals.iter().copied().filter(|g| !g.mentions(place)).collect();
        let point = self.set(other, rest, bound.clone())?;
        self.follow(&point, &[("highest_point", true), ("highest_elevation", false)], None).map(Some)
    }

    /// Returns the ways from one variable of a goal to the other: relations, or two in a row.
    fn step(&self, goal: &Term, from: &str, to: &str) -> Option<Vec<(&'static str, bool)>> {
        let (name, arguments) = goal.parts()?;
        let [first, second] = arguments else { return None };
        let forward = match (first.variable(), second.variable()) {
            (Some(a), Some(b)) if (a, b) == (from, to) => true,
            (Some(a), Some(b)) if (b, a) == (from, to) => false,
            _ => return None,
        };
        let (head, _) = if forward { (from, to) } else { (to, from) };
        let of = self.type_of(head).unwrap_or("");
        let (point, elevation) = if self.low.contains(head) {
            ("lowest_point", "lowest_elevation")
        } else {
            ("highest_point", "highest_elevation")
        };
        let (relation, inverse) = match name {
            "next_to" => ("borders", false),
            "traverse" => ("traverses", false),
            "capital" => ("capital", false),
            "high_point" => ("highest_point", false),
            "loc" => match of {
                "capital" => ("capital", true),
                "river" => ("traverses", false),
                "place" => (point, true),
                _ => ("in_state", false),
            },
            "elevation" if of == "place" => {
                return forward.then(|| vec![(point, true), (elevation, false)]);
            }
            goal => (measured_by(goal, of)?, false),
        };
        Some(vec![(relation, inverse == forward)])
    }

    fn follow(
        &mut self,
        from: &Source,
        steps: &[(&str, bool)],
        target: Option<&str>,
    ) -> Result<String, String> {
        let mut heads: Vec<Head> = match from {
            Source::Set(name) => vec![Head::Reference(name.clone())],
            Source::Entities(all) => all.iter().map(|e| Head::Entity(e.clone())).collect(),
        };
        let mut last = String::new();
        for (relation, inverse) in steps {
            let found: Vec<String> = heads
                .into_iter()
                .map(|head| self.draft.follow_to(head, relation, *inverse, target))
                .collect();
            last = match <[String; 1]>::try_from(found) {
                Ok([one]) => one,
                Err(of) if of.len() > 1 => self.draft.push(Operation::Union { of }),
                Err(_) => return Err("an entity that the graph does not have".to_owned()),
            };
            heads = vec![Head::Reference(last.clone())];
        }
        Ok(last)
    }

    fn named(&mut self, source: Source) -> Result<String, String> {
        match source {
            Source::Set(name) => Ok(name),
            Source::Entities(_) => Err("a set of named entities".to_owned()),
        }
    }
}

fn number_literal(value: f64) -> Literal {
    Literal::Number { value, unit: None }
}

fn name_of(term: &Term) -> Result<&str, String> {
    term.variable().ok_or_else(|| "an aggregate over no variable".to_owned())
}

/// The entities of `stateid(texas)`, `cityid(springfield,_)`.
fn find_constant(id: &Term) -> Result<Source, String> {
    let (Some((functor, arguments)), true) = (id.parts(), matches!(id, Term::Compound(..))) else {
        return Err("a constant of no type".to_owned());
    };
    let Some(Term::Atom(name)) = arguments.first() else {
        return Err("a constant without a name".to_owned());
    };
    let of = functor.strip_suffix("id").unwrap_or(functor);
    // Cities are known by their bare names, which several may share.
    Ok(Source::Entities(vec![if of == "city" { name.clone() } else { entity_id(of, name) }]))
}
