//! Steps that measure: comparisons, conditions, extremes.

use super::super::{Compare, Comparison, Condition, Extreme, How, Measure, Operand, Test};
use super::lexicon::Target;
use super::passages::{Passage, ask_model};
use super::search::Start;
use super::sets::{Evidence, Item, Member, Origin, Set, select_extreme};
use super::{Executor, Step};
use crate::compact::{Map, sort_unique};
use crate::kg::{
    Date, EARLIEST, KnowledgeGraph, LiteralKind, NodeId, PRESENT, Value, read_interval, show_interval,
    year_date,
};
use crate::text::words;
use std::cmp::Ordering;
use std::rc::Rc;

impl Executor<'_> {
    /// Returns the values of each member that has any, in the order of the members.
    fn measure_members(
        &self,
        set: &Set,
        by: Option<&Measure>,
        step: &mut Step<'_>,
    ) -> Vec<(Member, Vec<Value>)> {
        let graph = self.graph();
        let Some(measure) = by else {
            let begin = |interval| read_interval(interval).and_then(|[begin, _]| begin).map(Value::Date);
            let values = |m: &Member| match m.item.value(graph) {
                Some(value) => vec![value],
                None => m.origins.iter().flat_map(|o| intervals_of(graph, o)).filter_map(begin).collect(),
            };
            let measured = set.members.iter().map(|m| (m.clone(), values(m)));
            return measured.filter(|(_, values)| !values.is_empty()).collect();
        };
        let (relation, counting) = match measure {
            Measure::ValueOf(relation) => (relation, false),
            Measure::NumberOf(relation) => (relation, true),
        };
        let Some(graph) = graph else { return Vec::new() };
        let starts: Vec<Start> = set
            .members
            .iter()
            .filter_map(|m| m.item.node().map(|node| Start { node, score: m.score, item: m.item.clone() }))
            .collect();
        let has_value = |n: NodeId| counting || Item::Node(n).value(Some(graph)).is_some();
        let target = if counting { Target::Any } else { Target::Literals(LiteralKind::Number) };
        let found = self.follow_relation(graph, relation, None, &target, &starts, &has_value, step);
        let mut of: Map<Item, Vec<Item>> = Map::new();
        for m in found {
            for head in m.origins.into_iter().filter_map(|o| o.head) {
                of.get_or_insert_with(head, Vec::new).push(m.item.clone());
            }
        }
        set.members
            .iter()
            .filter_map(|m| {
                let mut items = of.remove(&m.item).unwrap_or_default();
                sort_unique(&mut items);
                // A count may be zero, but a member without a measure has no value.
                let values: Vec<Value> = if counting {
                    vec![Value::number(items.len() as f64)]
                } else {
                    items.iter().filter_map(|i| i.value(Some(graph))).collect()
                };
                (!values.is_empty()).then(|| (m.clone(), values))
            })
            .collect()
    }

    pub(super) fn run_filter(&self, condition: &Condition, step: &mut Step<'_>) -> Set {
        let set = step.first_input();
        let graph = self.graph();
        match condition {
            Condition::Type(text) => {
                let (Some(graph), Some(lexicon)) = (graph, &self.lexicon) else { return Set::default() };
                match lexicon.target(Some(text)) {
                    Target::Types(types) => set.filtered(|m| {
                        m.item.node().is_some_and(|n| graph.types(n).iter().any(|t| types.contains(t)))
                    }),
                    Target::Literals(kind) => {
                        set.filtered(|m| is_kind(m.item.value(Some(graph)).as_ref(), kind))
                    }
                    Target::Any => (*set).clone(),
                    Target::Unknown => step.note_missing(format!("the graph has no type \"{text}\"")),
                }
            }
            Condition::Value(test) => {
                let to = match &test.to {
                    Operand::Literal(l) => Some(l.clone()),
                    Operand::Reference(name) => {
                        let other = step.inputs.get(1).cloned().unwrap_or_default();
                        match other.members.as_slice() {
                            [one] => one.item.value(graph),
                            many => {
                                step.trace.missing.push(format!(
                                    "{name} has {} members where one value belongs",
                                    many.len()
                                ));
                                None
                            }
                        }
                    }
                };
                let Some(to) = to else { return Set::default() };
                let measured = match &test.by {
                    None => read_values(graph, &set, test, &to),
                    by => self.measure_members(&set, by.as_ref(), step),
                };
                let (mut kept, mut undecided) = (Vec::new(), set.members.len() - measured.len());
                for (member, values) in measured {
                    let orders: Vec<Ordering> = values.iter().filter_map(|v| v.compare(&to)).collect();
                    undecided += usize::from(orders.is_empty());
                    // A date may be too vague; a number of another dimension is a fault.
                    if orders.is_empty() && values.iter().any(|v| matches!(v, Value::Number { .. })) {
                        return step.note_missing("some values do not compare with the one asked about");
                    }
                    // One of several values suffices, but "not equal" must hold for all.
                    let holds = match test.comparison {
                        Comparison::NotEqual => !orders.is_empty() && orders.iter().all(|o| o.is_ne()),
                        other => orders.iter().any(|&o| other.holds(o)),
                    };
                    if holds {
                        kept.push(member);
                    }
                }
                if undecided > 0 {
                    step.trace
                        .notes
                        .push(format!("{undecided} members have no value that compares and were left out"));
                }
                Set::new(kept, set.open)
            }
        }
    }

    pub(super) fn run_superlative(
        &self,
        by: Option<&Measure>,
        end: Extreme,
        keep: u32,
        step: &mut Step<'_>,
    ) -> Set {
        let set = step.first_input();
        let measured = self.measure_members(&set, by, step);
        let lacking = set.members.len() - measured.len();
        if lacking > 0 {
            step.trace
                .notes
                .push(format!("{lacking} of {} members have no value and were left out", set.members.len()));
        }
        let values: Vec<(Member, Value)> =
            measured.into_iter().filter_map(|(m, v)| Some((m, value_at_end(v, end)?))).collect();
        self.at_end(values, end, keep as usize, set.open, step)
    }

    fn at_end(
        &self,
        mut values: Vec<(Member, Value)>,
        end: Extreme,
        keep: usize,
        open: bool,
        step: &mut Step<'_>,
    ) -> Set {
        if !values.iter().all(|(_, v)| matches!(v, Value::Text(_))) {
            // Words among numbers ("unknown") are no value; words with a digit are, an incomparable one.
            values.retain(
                |(_, v)| !matches!(v, Value::Text(text) if !text.contains(|c: char| c.is_ascii_digit())),
            );
        }
        match select_extreme(&values, end == Extreme::Min, keep) {
            Some(best) => Set::new(best.into_iter().cloned().collect(), open),
            None => step.note_missing("some values do not compare with each other"),
        }
    }

    pub(super) async fn compare_sets(&self, compare: &Compare, step: &mut Step<'_>) -> Set {
        let sets = step.inputs.clone();
        let asked = compare.question.as_deref().unwrap_or("");
        let how = compare.how.or_else(|| words(asked).iter().find_map(|w| How::from_word(w.text)));
        // Members that a filter took away are known to be outside.
        let is_outside = |at: usize| {
            let found = step.behind.get(at).and_then(|chain| chain.first());
            let holds = |m: &Member| found.is_some_and(|found| found.get(&m.item).is_some());
            how == Some(How::In) && !sets[0].members.is_empty() && sets[0].members.iter().all(holds)
        };
        if sets.iter().enumerate().any(|(at, s)| s.members.is_empty() && !is_outside(at)) {
            step.note_empty("the comparison is not decided");
            return step.note_missing("something to compare with");
        }
        let open = sets.iter().any(|s| s.open);
        let Some(how) = how else { return self.compared_by_model(asked, step).await };
        if matches!(how, How::In | How::When) {
            let found: Vec<_> =
                sets[0].members.iter().flat_map(|m| sets[1..].iter().map(|set| set.get(&m.item))).collect();
            let times = || found.iter().flatten().flat_map(|member| self.times_of(member)).collect();
            let holds = (how == How::In).then(|| Item::boolean(found.iter().all(Option::is_some)));
            return holds.map_or_else(|| Set::new(times(), open), |holds| Set::of_value(holds, open));
        }
        let mut measured: Vec<Vec<(Member, Vec<Value>)>> = Vec::new();
        for set in &sets {
            measured.push(self.measure_members(set, compare.by.as_ref(), step));
        }
        match how {
            How::Min | How::Max if measured.iter().any(Vec::is_empty) => {
                step.note_missing("something has no value to compare")
            }
            How::Min | How::Max => {
                let end = if how == How::Min { Extreme::Min } else { Extreme::Max };
                let mut values = Vec::new();
                let behind = std::mem::take(&mut step.behind);
                let of = |at: usize| behind.get(at).and_then(|chain| chain.get(1..)).unwrap_or_default();
                for (at, (member, found)) in
                    measured.into_iter().enumerate().flat_map(|(at, m)| m.into_iter().map(move |m| (at, m)))
                {
                    let Some(value) = value_at_end(found, end) else { continue };
                    // Values that earlier steps found represent the start of their chain.
                    let heads: Vec<Item> = match compare.by {
                        None => find_roots(&member, of(at)),
                        Some(_) => Vec::new(),
                    };
                    if heads.is_empty() {
                        values.push((member, value));
                    } else {
                        values.extend(
                            heads.into_iter().map(|item| (Member { item, ..member.clone() }, value.clone())),
                        );
                    }
                }
                self.at_end(values, end, 1, open, step)
            }
            How::Equal if compare.by.is_none() && measured.iter().all(Vec::is_empty) => {
                let items = |s: &Set| s.members.iter().map(|m| m.item.clone()).collect::<Vec<_>>();
                let first = items(&sets[0]);
                Set::of_value(Item::boolean(sets.iter().all(|s| items(s) == first)), open)
            }
            How::Equal | How::Less | How::Greater | How::In | How::When => {
                let single: Vec<Value> =
                    measured.into_iter().filter_map(|m| m.into_iter().flat_map(|(_, v)| v).next()).collect();
                let orders: Option<Vec<Ordering>> = single.windows(2).map(|w| w[0].compare(&w[1])).collect();
                match orders.filter(|_| single.len() == sets.len()) {
                    Some(orders) => {
                        let holds = orders.iter().all(|o| match how {
                            How::Less => o.is_lt(),
                            How::Greater => o.is_gt(),
                            _ => o.is_eq(),
                        });
                        Set::of_value(Item::boolean(holds), open)
                    }
                    None => step.note_missing("some values do not compare with each other"),
                }
            }
        }
    }

    /// Makes a member of each time in which a statement holds that a member comes from.
    fn times_of(&self, member: &Member) -> Vec<Member> {
        let at =
            |time| Item::Value { kind: LiteralKind::Text, text: show_interval(time), unit: String::new() };
        let of = |origin: &Origin, time| Member {
            item: at(time),
            score: member.score,
            origins: vec![origin.clone()],
        };
        let times = |origin| intervals_of(self.graph(), origin).map(move |time| of(origin, time));
        member.origins.iter().flat_map(times).collect()
    }

    /// Compares as LPKG does: only the question states the comparison, so a model reads the operands.
    async fn compared_by_model(&self, question: &str, step: &mut Step<'_>) -> Set {
        let Some(model) = step.run.resources.model.filter(|_| step.run.may_fetch()) else {
            return step.note_missing(
                "a model to settle the comparison, since the plan does not say how to compare",
            );
        };
        let graph = self.graph();
        let operand = |(name, set): (&String, &std::rc::Rc<Set>)| Passage {
            chunk: None,
            title: name.clone(),
            url: String::new(),
            text: set.ranked().iter().take(32).map(|m| m.item.label(graph)).collect::<Vec<_>>().join("; "),
        };
        let names: Vec<String> = step.trace.inputs.iter().map(|i| i.name.clone()).collect();
        let passages: Vec<Passage> = names.iter().zip(&step.inputs).map(operand).collect();
        match ask_model(model, question, None, &passages).await {
            Ok(answers) => {
                let item = |a: &String| super::passages::item_of(self.linker, a, &Target::Any);
                let members =
                    answers.iter().map(|a| Member { item: item(a), score: 0.6, origins: Vec::new() });
                Set::new(members.collect(), true)
            }
            Err(e) => step.note_missing(format!("the comparison: {e}")),
        }
    }
}

/// Iterates over the intervals in which the statement of an origin holds.
fn intervals_of<'g>(
    graph: Option<&'g KnowledgeGraph>,
    origin: &Origin,
) -> impl Iterator<Item = &'g str> + use<'g> {
    let triple = if let Evidence::Triple(triple) = origin.evidence { Some(triple) } else { None };
    graph.zip(triple).into_iter().flat_map(|(graph, triple)| graph.intervals(triple))
}

/// Returns the start of the chain of steps to a member: its heads, their heads in the set before, and so on.
fn find_roots(member: &Member, behind: &[Rc<Set>]) -> Vec<Item> {
    let heads_of = |m: &Member| m.origins.iter().filter_map(|o| o.head.clone()).collect::<Vec<_>>();
    let mut heads = heads_of(member);
    for set in behind {
        let mut before: Vec<Item> = heads.iter().filter_map(|h| set.get(h)).flat_map(heads_of).collect();
        if before.is_empty() {
            break;
        }
        sort_unique(&mut before);
        heads = before;
    }
    heads
}

/// Returns the value of each member that has one, and, if it has none or a time is asked for, a moment for
/// each interval in which its statements hold. Statements without a time hold at present.
fn read_values(
    graph: Option<&KnowledgeGraph>,
    set: &Set,
    test: &Test,
    to: &Value,
) -> Vec<(Member, Vec<Value>)> {
    let span = if let Value::Text(text) = to { read_interval(text) } else { None };
    let is_time = span.is_some() || matches!(to, Value::Date(_));
    let date = match to {
        Value::Date(date) => Some(*date),
        Value::Number { value, unit: None } => year_date(*value),
        _ => None,
    };
    let asked = span.or(date.map(|date| [Some(date); 2]));
    let moment = |interval| {
        let chosen = choose_moment(read_interval(interval)?, test.comparison, asked?);
        Some(chosen.map_or_else(|| to.clone(), Value::Date))
    };
    let values = |member: &Member| -> Vec<Value> {
        let value = member.item.value(graph);
        let dated = if value.is_none() || is_time { &member.origins[..] } else { &[] };
        let mut values: Vec<Value> =
            dated.iter().flat_map(|o| intervals_of(graph, o)).filter_map(moment).collect();
        if values.is_empty() && *to == Value::Date(PRESENT) {
            values.push(to.clone());
        }
        // A price of 12 is no year.
        values.extend(value.filter(|value| !is_time || !matches!(value, Value::Number { .. })));
        values
    };
    set.members.iter().map(|m| (m.clone(), values(m))).filter(|(_, values)| !values.is_empty()).collect()
}

type Ends = [Option<Date>; 2];

/// Returns the moment of an interval that a comparison is about: the first if it has to be before, the last
/// if it has to be after; otherwise, unless the interval meets what is `asked`, its nearer end.
fn choose_moment([from, until]: Ends, comparison: Comparison, asked: Ends) -> Option<Date> {
    let is_before =
        |a: Option<Date>, b: Option<Date>| a.zip(b).and_then(|(a, b)| a.compare(b)) == Some(Ordering::Less);
    match comparison {
        Comparison::Less | Comparison::AtMost => from.or(Some(EARLIEST)),
        Comparison::Greater | Comparison::AtLeast => until.or(Some(PRESENT)),
        _ if is_before(until, asked[0]) => until,
        _ if is_before(asked[1], from) => from,
        _ => None,
    }
}

/// Returns the value of a member that is nearest to the wanted end.
fn value_at_end(values: Vec<Value>, end: Extreme) -> Option<Value> {
    values.into_iter().reduce(|a, b| match (a.compare(&b), end) {
        (Some(Ordering::Greater), Extreme::Min) | (Some(Ordering::Less), Extreme::Max) => b,
        _ => a,
    })
}

fn is_kind(value: Option<&Value>, kind: LiteralKind) -> bool {
    matches!(
        (value, kind),
        (Some(Value::Number { .. }), LiteralKind::Number | LiteralKind::Date)
            | (Some(Value::Date(_)), LiteralKind::Date)
            | (Some(Value::Text(_)), LiteralKind::Text)
            | (Some(Value::Boolean(_)), LiteralKind::Boolean)
    )
}
