//! The planner without a model: rules, and the graph that decides between them.

use super::account::{Evidence, account_with};
use super::assertion::{asks_whether, asserted};
use super::chain::{Chain, Scorer, Start};
use super::comparison::{asks_for_the_same, asks_which_of, find_comparison};
use super::compose::Composer;
use super::conditions::{Bound, condition};
use super::connection::find_way;
use super::exclusion::{exclude_things, exclusion};
use super::lexicon::Lexicon;
use super::modifier::{intersect_plan, modifier};
use super::negation::{negate_chains, negated_type, negates};
use super::pattern::{pattern, takes_away};
use super::question::{
    Token, ask, asks_for_a_way, called, core_of, exact, exactly_named, is_lexical, named_mentions,
    plain_words, read_tokens,
};
use super::rank::Holders;
use super::schema::{Schema, Step};
use super::sets::{Combination, find_combination, find_sides};
use super::superlative::{Superlatives, read_superlatives};
use super::walk::{follow, list_entities, value};
use super::weights;
use super::{Planner, PlannerError, Proposal};
use crate::compact::{sort_by, sort_unique};
use crate::kg::{
    Candidate, Class, Direction, KnowledgeGraph, Linker, Match, Mention, NodeId, RelationId, TypeId, Value,
};
use crate::plan::{Compare, Head, How, Measure, Operand, Operation, Plan, Shape, Test};
use crate::text::fold;
use crate::text::lexicon::{Language, SPOKEN};
use futures::future::LocalBoxFuture;
use pocketgraph_question::is_function_word;
use std::ops::Range;

/// Maximum number of readings of the entity that are tried.
const CANDIDATES: usize = 3;
/// Maximum number of paths that run, best first, until one finds something.
const TRIED: usize = 60;
/// Maximum number of things of one name that are all meant.
const NAMESAKES: usize = 7;
/// No question is longer, in bytes.
pub(super) const LONGEST: usize = 4096;
/// Below this confidence there is no plan: the unit of the weights for how sure a chain is.
const LEAST: f32 = 0.3;
/// The score of a chain that explains the whole question: what a paid step and the kind that was asked for
/// are worth together, the unit of its weights.
const WHOLE: f32 = 1.5;
/// Puts a common word beside a name behind every reading of the name: more than any score.
const SHADOWED: f32 = 4.0;

/// Plans by rules over the graph's schema, relation synonyms and linked entities.
pub struct RulesPlanner<'a> {
    graph: &'a KnowledgeGraph,
    linker: &'a Linker,
    lexicon: Lexicon,
    schema: Schema,
    least: f32,
}

/// The rules' plan, its results and its confidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Planned {
    /// The plan.
    pub plan: Plan,
    /// From 0 to 1.
    pub confidence: f32,
    /// Nodes that the plan finds in the graph, ascending.
    pub answer: Vec<NodeId>,
}

impl<'a> RulesPlanner<'a> {
    /// A planner for a graph. Its synonyms are the aliases of the graph's relations and types.
    pub fn new(linker: &'a Linker) -> RulesPlanner<'a> {
        let graph = linker.graph();
        RulesPlanner {
            graph,
            linker,
            lexicon: Lexicon::new(graph.vocabulary()),
            schema: Schema::new(graph),
            least: LEAST,
        }
    }

    /// The same planner with another confidence below which there is no plan; 0 plans whatever finds
    /// something.
    pub fn least_confidence(self, least: f32) -> RulesPlanner<'a> {
        RulesPlanner { least, ..self }
    }

    /// The plan of a question and what it finds: a comparison or set operation where several entities are
    /// joined by such words, else a chain from one.
    ///
    /// # Errors
    /// [`PlannerError::TooLong`], [`PlannerError::NothingLinked`] and [`PlannerError::Unsure`].
    pub fn planned(&self, question: &str) -> Result<Planned, PlannerError> {
        if question.len() > LONGEST {
            return Err(PlannerError::TooLong { found: question.len(), limit: LONGEST });
        }
        let found = self.planned_with(&self.core(question), true)?;
        Ok(Planned { plan: Plan { question: Some(question.to_owned()), ..found.plan }, ..found })
    }

    /// Returns the question without the words that change no answer, in the same places.
    pub(super) fn core(&self, question: &str) -> String {
        core_of(self.linker, &self.lexicon, question)
    }

    /// The same; a question without what it leaves out leaves nothing out.
    fn planned_with(&self, question: &str, leaves_out: bool) -> Result<Planned, PlannerError> {
        self.unmodified(question, leaves_out).or_else(|why| self.modified(question, leaves_out).ok_or(why))
    }

    /// A question with a name in front of a kind's word: "comedy films with Jim Carrey".
    fn modified(&self, question: &str, leaves_out: bool) -> Option<Planned> {
        let modifier = modifier(self.linker, &self.lexicon, question)?;
        let found = self.planned_with(&modifier.rest, leaves_out).ok()?;
        if !found.answer.iter().all(|&n| self.graph.is_of(n, modifier.kind)) {
            return None;
        }
        let answer: Vec<NodeId> =
            found.answer.into_iter().filter(|n| modifier.members.binary_search(n).is_ok()).collect();
        let composer = Composer::new(self.graph);
        let relation = composer.exact(modifier.relation, modifier.direction);
        let target = composer.type_name(modifier.kind);
        let plan = intersect_plan(found.plan, question, self.graph.id(modifier.named), relation, target)?;
        account_with(self.linker, &self.lexicon, question, &plan, Evidence::Words).ok()?;
        (!answer.is_empty()).then_some(Planned { plan, confidence: found.confidence, answer })
    }

    /// The plan of a question in which no name says more of a kind.
    fn unmodified(&self, question: &str, leaves_out: bool) -> Result<Planned, PlannerError> {
        let mentions = self.linker.mentions(question);
        let named = named_mentions(question, &mentions, &self.lexicon);
        if let Some(found) = self.connected(question, &mentions) {
            return Ok(found);
        }
        if asks_for_a_way(question) {
            return Err(PlannerError::Unsure { confidence: 0.0 });
        }
        let names = exactly_named(question, &mentions, &named, &self.lexicon);
        let joined = self.joined(question, [&names, &named]);
        let compares = matches!(joined, Some((Shape::Compare, _)));
        let several = || joined.and_then(|(shape, names)| self.several(question, shape, names));
        let besides = || if leaves_out { self.besides(question, &exact(&mentions)) } else { None };
        let by_name = besides().or_else(|| self.whether(question, &names));
        if let Some(found) = by_name.filter(|f| f.confidence >= self.least) {
            return Ok(found);
        }
        let found = match self.conditioned(question, &mentions).or_else(several) {
            Some(found) => found,
            // What one of them is does not say which of them it is.
            None if compares => return Err(PlannerError::Unsure { confidence: 0.0 }),
            None => self.one(question, &mentions, &named)?,
        };
        if found.confidence < self.least {
            return Err(PlannerError::Unsure { confidence: found.confidence });
        }
        account_with(self.linker, &self.lexicon, question, &found.plan, Evidence::Words)?;
        Ok(found)
    }

    /// A question that leaves out some of what another finds: "besides Heat".
    fn besides(&self, question: &str, named: &[&Mention]) -> Option<Planned> {
        let exclusion = exclusion(question, named, &|word| !self.lexicon.types(word).is_empty())?;
        let found = self.planned_with(&exclusion.rest, false).ok()?;
        let within = |of: &Vec<NodeId>| of.iter().copied().find(|n| found.answer.binary_search(n).is_ok());
        let nodes: Vec<NodeId> = exclusion.left_out.iter().map(within).collect::<Option<_>>()?;
        let ids: Vec<&str> = nodes.iter().map(|&n| self.graph.id(n)).collect();
        let plan = exclude_things(found.plan, question, &ids);
        Some(Planned {
            plan,
            confidence: found.confidence,
            answer: found.answer.into_iter().filter(|n| !nodes.contains(n)).collect(),
        })
    }

    /// Plans a question that asks if a statement about two named things is in the graph.
    fn whether(&self, question: &str, named: &[&Mention]) -> Option<Planned> {
        let [first, second] = named else { return None };
        let words = read_tokens(question, &[first.span.clone(), second.span.clone()], &self.lexicon);
        let [a, b] = [first.candidates.first()?.node, second.candidates.first()?.node];
        let (chain, all) = asserted(self.graph, &self.schema, question, &words, [a, b])?;
        let mut composer = Composer::new(self.graph);
        // What is known is known of the relation's head.
        let step = chain.steps.first()?;
        let [head, it] = if step.direction == Direction::Forward { [a, b] } else { [b, a] };
        let among = composer.search(composer.head(head), None, step.relation, Direction::Forward);
        let it = composer.entity(it);
        composer.push(Operation::Compare(Compare {
            of: vec![it, among],
            how: Some(How::In),
            by: None,
            question: Some(question.to_owned()),
        }));
        let plan = composer.finish(question);
        account_with(self.linker, &self.lexicon, question, &plan, Evidence::Words).ok()?;
        Some(Planned { plan, confidence: confidence(&chain, &all), answer: Vec::new() })
    }

    /// The way between two named things, where nothing but how they are related is asked.
    fn connected(&self, question: &str, mentions: &[Mention]) -> Option<Planned> {
        let [first, second] = mentions else { return None };
        let words = read_tokens(question, &[first.span.clone(), second.span.clone()], &self.lexicon);
        let plain = plain_words(&words);
        let is_cue = |word: &&str| SPOKEN.operation_cues().has(word, "links");
        let says_more = plain.iter().any(|word| !is_cue(word) && !is_function_word(word));
        if says_more || !plain.iter().any(is_cue) || asks_whether(&plain) {
            return None;
        }
        let nodes = |mention: &Mention| mention.candidates.iter().map(|c| c.node).collect::<Vec<_>>();
        let (from, way, to) = find_way(self.graph, &nodes(first), &nodes(second))?;
        let mut composer = Composer::new(self.graph);
        let it = composer.entity(to);
        let mut head = composer.head(from);
        for (relation, direction) in way {
            head = Head::Reference(composer.search(head, None, relation, direction));
        }
        let Head::Reference(last) = head else { return None };
        composer.push(Operation::Intersect { of: vec![last, it] });
        Some(Planned { plan: composer.finish(question), confidence: 1.0, answer: vec![to] })
    }

    /// Returns the way in which the question joins the entities that it names, if it joins any, and these: the
    /// first of both lists that it joins throughout.
    fn joined<'m, 'n>(
        &self,
        question: &str,
        choices: [&'m [&'n Mention]; 2],
    ) -> Option<(Shape, &'m [&'n Mention])> {
        choices.into_iter().find_map(|anchors| {
            let spans: Vec<_> = anchors.iter().map(|m| m.span.clone()).collect();
            let words = read_tokens(question, &spans, &self.lexicon);
            let same = asks_for_the_same(&words);
            let joins =
                |gap: &str| gap.trim() == "," || joins_names(&read_tokens(gap, &[], &self.lexicon), same);
            let apart =
                anchors.windows(2).all(|w| question.get(w[0].span.end..w[1].span.start).is_some_and(joins));
            if anchors.len() < 2 || !apart {
                return None;
            }
            if same || asks_which_of(&words) {
                return Some((Shape::Compare, anchors));
            }
            match pattern(question, &spans) {
                Shape::Chain(_) | Shape::Other => None,
                shape => Some((shape, anchors)),
            }
        })
    }

    /// A plan from several entities.
    fn several(&self, question: &str, shape: Shape, anchors: &[&Mention]) -> Option<Planned> {
        let spans: Vec<_> = anchors.iter().map(|m| m.span.clone()).collect();
        let tokens = read_tokens(question, &spans, &self.lexicon);
        let starts: Vec<NodeId> =
            anchors.iter().filter_map(|m| m.candidates.first()).map(|c| c.node).collect();
        if shape == Shape::Compare {
            let found = find_comparison(self.graph, &self.schema, &self.lexicon, &tokens, &starts)?;
            let mut composer = Composer::new(self.graph);
            let of: Vec<String> = found.chains.iter().map(|chain| composer.chain(chain)).collect();
            composer.push(Operation::Compare(Compare {
                of,
                how: Some(found.how),
                by: None,
                question: Some(question.to_owned()),
            }));
            return Some(Planned {
                plan: composer.finish(question),
                confidence: found.confidence,
                answer: found.answer,
            });
        }
        let ask = ask(&tokens, &self.lexicon);
        let mut sides = find_sides(&tokens);
        let neither = sides.iter().all(Option::is_none);
        if neither {
            sides.fill(Some(0));
        }
        let mut found = find_combination(self.graph, &self.schema, &tokens, &ask, &starts, shape, &sides)?;
        let mut branches = found.branches.iter().flatten().chain(&found.minus);
        if !branches.all(|b| b.paid > 0 || self.is_only_step(b)) {
            return None;
        }
        let confidence = joint_confidence(&found);
        if neither {
            // Who works in neither works somewhere.
            found.minus = found.branches.pop().filter(|_| found.tail.is_empty())?;
            let &Step { relation, direction, to } = found.minus.first()?.steps.last()?;
            let of = if let Class::Type(of) = to { Some(of) } else { return None };
            let all = Chain::of(Start::Having(Holders { relation, direction: direction.reversed(), of }));
            let others = follow(self.graph, &all).into_iter();
            found.answer = others.filter(|n| found.answer.binary_search(n).is_err()).collect();
            found.branches.push(vec![all]);
        }
        let mut composer = Composer::new(self.graph).naming(&tokens, &ask);
        let of = composer.combination(&found);
        if ask.count {
            composer.push(Operation::Count { of });
        }
        Some(Planned { plan: composer.finish(question), confidence, answer: found.answer })
    }

    /// Returns true if a branch's one step is the only one that joins anything of its thing's name and things
    /// of that class: "films by A with B".
    fn is_only_step(&self, branch: &Chain) -> bool {
        let ([step], Start::Node(node)) = (branch.steps.as_slice(), branch.start) else { return false };
        let named = self.linker.named(self.graph.label(node)).into_iter().filter(|c| c.how < Match::Article);
        let mut steps: Vec<Step> = Vec::new();
        for node in named.map(|c| c.node) {
            let joins = |s: &&Step| {
                s.to == step.to && self.graph.follow(node, s.relation, s.direction).next().is_some()
            };
            let from = self.graph.classes(node).flat_map(|class| self.schema.from(class));
            steps.extend(from.filter(joins));
        }
        sort_unique(&mut steps);
        steps.len() == 1
    }

    /// A chain from one entity, or from all things of a type where the question names none.
    fn one(&self, question: &str, mentions: &[Mention], named: &[&Mention]) -> Result<Planned, PlannerError> {
        let (chain, mut confidence, answer) = self.best(question, mentions)?;
        if leaves_out(mentions, named, chain.start) {
            confidence *= weights::unused_name();
        }
        let spans: Vec<_> = mentions
            .iter()
            .filter(|m| m.candidates.iter().any(|c| chain.start == Start::Node(c.node)))
            .collect();
        let words =
            read_tokens(question, &spans.iter().map(|m| m.span.clone()).collect::<Vec<_>>(), &self.lexicon);
        let mut composer = Composer::new(self.graph).naming(&words, &ask(&words, &self.lexicon));
        let of = composer.chain(&chain);
        let entities = chain.steps.last().is_none_or(|s| !matches!(s.to, Class::Literal(_)));
        if chain.counted && entities {
            composer.push(Operation::Count { of });
        }
        Ok(Planned { plan: composer.finish(question), confidence, answer })
    }

    /// A condition on the values of what the part of the question before it asks for: "rivers in Texas longer
    /// than the Red".
    fn conditioned(&self, question: &str, mentions: &[Mention]) -> Option<Planned> {
        let words = read_tokens(question, &[], &self.lexicon);
        let condition = condition(question, &words, &self.lexicon, &self.schema)?;
        let before: Vec<Mention> =
            mentions.iter().filter(|m| m.span.end <= condition.of.end).cloned().collect();
        let of = question.get(condition.of.clone())?;
        let is = |at: &NodeId| condition.kind.is_none_or(|kind| self.graph.is_of(*at, kind));
        let (mut chain, confidence, members) = match condition.kind {
            Some(_) => self.best(of, &before).ok()?,
            None => self.all_having(condition.by, &read_tokens(of, &[], &self.lexicon))?,
        };
        if !members.iter().all(is) {
            return None;
        }
        let counted = std::mem::take(&mut chain.counted);
        let mut composer = Composer::new(self.graph);
        let of = composer.chain(&chain);
        let relation = composer.exact(condition.by, Direction::Forward);
        let (to, bound) = match condition.to {
            Bound::Number(value) => (Operand::Literal(Value::number(value)), Value::number(value)),
            Bound::Named(part) => {
                let named =
                    mentions.iter().filter(|m| m.span.start >= part.start).flat_map(|m| &m.candidates);
                let start =
                    named.map(|c| c.node).find(|&n| is(&n) && self.valued(n, condition.by).is_some())?;
                let head = composer.head(start);
                (
                    Operand::Reference(composer.search(head, None, condition.by, Direction::Forward)),
                    self.valued(start, condition.by)?,
                )
            }
        };
        let holds = |node: &NodeId| {
            self.valued(*node, condition.by)
                .and_then(|v| v.compare(&bound))
                .is_some_and(|order| condition.comparison.holds(order))
        };
        let answer = members.into_iter().filter(holds).collect();
        let test = Test { by: Some(Measure::ValueOf(relation)), comparison: condition.comparison, to };
        let of = composer.push(Operation::Filter { of, condition: crate::plan::Condition::Value(test) });
        if counted {
            composer.push(Operation::Count { of });
        }
        Some(Planned { plan: composer.finish(question), confidence, answer })
    }

    /// Everything that has a measure, where the words before the condition on it say nothing more of what is
    /// meant: "who has …".
    fn all_having(&self, by: RelationId, words: &[Token]) -> Option<(Chain, f32, Vec<NodeId>)> {
        let bare = words.iter().all(|t| t.entity.is_none() && is_function_word(&t.folded));
        let holders = bare.then(|| self.holders((by, Direction::Forward, true), words)).flatten()?;
        let chain = Chain::of(Start::Having(holders));
        let members = follow(self.graph, &chain);
        Some((chain, 1.0, members))
    }

    fn valued(&self, node: NodeId, relation: RelationId) -> Option<Value> {
        let edge = self.graph.follow(node, relation, Direction::Forward).next()?;
        value(self.graph, edge.other)
    }

    /// The best chain that finds something, how sure it is, and what it finds.
    fn best(&self, question: &str, mentions: &[Mention]) -> Result<(Chain, f32, Vec<NodeId>), PlannerError> {
        let mut chains: Vec<Chain> = Vec::new();
        let negates = negates(question, mentions);
        let read = |spans: &[Range<usize>]| {
            let tokens = read_tokens(question, spans, &self.lexicon);
            read_superlatives(tokens, &self.lexicon, &self.schema, self.graph.vocabulary())
        };
        for candidate in self.candidates(question, mentions) {
            let name = self.graph.label(candidate.node);
            let kind = |c: &&Candidate| {
                self.graph.types(c.node).iter().any(|t| self.graph.types(candidate.node).contains(t))
            };
            let same =
                |c: &&Candidate| c.node == candidate.node || (kind(c) && self.graph.label(c.node) == name);
            let own = mentions.iter().find(|m| m.candidates.iter().any(|c| c.node == candidate.node));
            let namesakes: Vec<NodeId> =
                own.into_iter().flat_map(|m| &m.candidates).filter(same).map(|c| c.node).collect();
            let (words, superlatives) = read(std::slice::from_ref(&candidate.span));
            let Some(anchor) = words.iter().position(|t| t.entity.is_some()) else { continue };
            let ask = ask(&words, &self.lexicon);
            let negated = negated_type(&words, &ask).filter(|_| negates);
            let scorer = Scorer {
                graph: self.graph,
                schema: &self.schema,
                tokens: &words,
                ask: &ask,
                anchor,
                superlatives: &superlatives,
            };
            let from = chains.len();
            for mut chain in scorer.chains(Start::Node(candidate.node)) {
                chain.score += weights::linked() * candidate.score;
                chain.namesakes =
                    namesakes.iter().copied().filter(|n| *n != candidate.node).take(NAMESAKES).collect();
                chain.counted = ask.count;
                chains.push(chain);
            }
            negate_chains(self.graph, &mut chains, from, negated);
        }
        let named = mentions.iter().any(|m| {
            let text = question.get(m.span.clone()).unwrap_or_default();
            !self.is_lexical(text) || (m.span.start > 0 && text.chars().any(char::is_uppercase))
        });
        if !named {
            let (words, superlatives) = read(&[]);
            let ask = ask(&words, &self.lexicon);
            let negated = negated_type(&words, &ask).filter(|_| negates);
            let from = chains.len();
            for (words, anchor, start) in self.sets(words, &superlatives) {
                let scorer = Scorer {
                    graph: self.graph,
                    schema: &self.schema,
                    tokens: &words,
                    ask: &ask,
                    anchor,
                    superlatives: &superlatives,
                };
                chains.extend(scorer.chains(start).into_iter().map(|c| Chain { counted: ask.count, ..c }));
            }
            negate_chains(self.graph, &mut chains, from, negated);
        }
        // Sorting keeps the order of equal ones, so that the better reading of the entity comes first.
        sort_by(&mut chains, |a, b| b.score.total_cmp(&a.score));
        let unpaid = |c: &Chain| c.steps.len().saturating_sub(c.paid);
        let best = chains.first().cloned();
        // Another entity may be meant; of the same entity a chain that is spoken of less would only wander
        // elsewhere.
        let meant = |c: &Chain, b: &Chain| c.start != b.start || (unpaid(c) <= unpaid(b) && c.paid >= b.paid);
        for chain in chains.iter().take(TRIED).filter(|c| best.as_ref().is_some_and(|b| meant(c, b))) {
            let answer = follow(self.graph, chain);
            // None is a number too.
            if answer.is_empty() && !chain.counted {
                continue;
            }
            return Ok((chain.clone(), confidence(chain, &chains), answer));
        }
        if chains.is_empty() && !named && mentions.is_empty() {
            return Err(PlannerError::NothingLinked);
        }
        // That the graph has nothing there is mostly no answer (`tuning/rules.py`): as often it does not
        // know, or it is not what was asked.
        let best = best.filter(|b| self.has_none(b)).ok_or(PlannerError::Unsure { confidence: 0.0 })?;
        let sure = confidence(&best, &chains);
        Ok((best, sure, Vec::new()))
    }

    /// Returns true if a chain's first step finds nothing for its thing, but finds something for nearly all
    /// things of its kind: a state without rivers, but not a person whose spouse nobody recorded.
    fn has_none(&self, chain: &Chain) -> bool {
        let (Start::Node(node), Some(step)) = (chain.start, chain.steps.first()) else { return false };
        let has = |n: NodeId| self.graph.follow(n, step.relation, step.direction).next().is_some();
        let nearly_all = |of: &TypeId| {
            let kind = list_entities(self.graph, *of);
            kind.iter().filter(|n| has(**n)).count() as f32 >= weights::rule() * kind.len() as f32
        };
        !has(node) && self.graph.types(node).iter().any(nearly_all)
    }

    /// The sets that a question without names may start from: the innermost type that it speaks of, in whose
    /// place they stand, or what has the measure that it ranks by.
    fn sets(&self, mut words: Vec<Token>, superlatives: &Superlatives) -> Vec<(Vec<Token>, usize, Start)> {
        let place = |at: usize| Token {
            entity: Some(at),
            folded: String::new(),
            relations: Vec::new(),
            types: Vec::new(),
        };
        let mut found = Vec::new();
        if let Some(anchor) = words.iter().rposition(|t| !t.types.is_empty()) {
            for &of in &words[anchor].types {
                let mut words = words.clone();
                words[anchor] = place(0);
                found.push((words, anchor, Start::All(of)));
            }
        }
        let of_measure = superlatives.had().and_then(|had| self.holders(had, &words)).map(Start::Having);
        if let Some(start) = superlatives.owner(&self.schema).map(Start::All).or(of_measure) {
            words.push(place(0));
            let anchor = words.len() - 1;
            found.push((words, anchor, start));
        }
        found
    }

    /// Everything that has a measure, of persons only those where somebody is asked for. Who is asked for
    /// must be known to be a person where no word names the measure: what is the oldest may be a house.
    fn holders(
        &self,
        (relation, direction, spoken): (RelationId, Direction, bool),
        words: &[Token],
    ) -> Option<Holders> {
        let all = Holders { relation, direction, of: None };
        if !words.iter().any(|t| matches!(t.folded.as_str(), "who" | "whom" | "whose")) {
            return Some(all);
        }
        let persons = self.lexicon.types_named(&called("person", "asked"));
        let types = || {
            all.classes(self.graph)
                .into_iter()
                .filter_map(|c| if let Class::Type(of) = c { Some(of) } else { None })
        };
        let person = types().find(|of| persons.contains(of));
        match (person, types().any(|of| !persons.contains(&of))) {
            (Some(_), true) => Some(Holders { of: person, ..all }),
            (Some(_), false) => Some(all),
            // What a graph without persons calls them, only it knows.
            (None, true) => persons.is_empty().then_some(all),
            (None, false) => spoken.then_some(all),
        }
    }

    /// Returns true if a text consists of words for relations and types, and of function words.
    fn is_lexical(&self, text: &str) -> bool {
        is_lexical(text, &self.lexicon)
    }

    /// The likeliest anchors, best first.
    fn candidates(&self, question: &str, mentions: &[Mention]) -> Vec<Candidate> {
        let mut found: Vec<(f32, Candidate)> = Vec::new();
        let capitals = mentions
            .iter()
            .filter(|m| question.get(m.span.clone()).is_some_and(|t| t.chars().any(char::is_uppercase)))
            .count();
        for mention in mentions {
            let text = question.get(mention.span.clone()).unwrap_or_default();
            // A common word beside a name: the name is meant.
            let shadow = if capitals > 0 && !text.chars().any(char::is_uppercase) { SHADOWED } else { 0.0 };
            found.extend(
                mention
                    .candidates
                    .iter()
                    .map(|c| (c.score, Candidate { score: c.score - shadow, ..c.clone() })),
            );
        }
        for mention in mentions {
            let text = question.get(mention.span.clone()).unwrap_or_default();
            // "The Missouri river" is the river Missouri, whatever else bears the whole name.
            let Some((name, kind)) = text.rsplit_once(' ') else { continue };
            let of = self.lexicon.types(&fold(kind));
            let span = mention.span.start..mention.span.start + name.len();
            let named =
                self.linker.named(name).into_iter().take(CANDIDATES).filter(|c| c.how < Match::Article);
            let meant = named.filter(|c| self.graph.types(c.node).iter().any(|t| of.contains(t)));
            found.extend(meant.map(|c| (c.score + 1.0, Candidate { span: span.clone(), ..c })));
        }
        sort_by(&mut found, |a, b| b.0.total_cmp(&a.0));
        found.into_iter().take(CANDIDATES).map(|(_, c)| c).collect()
    }
}

/// Tells whether words between two names join them or lead from one to the other: "by A with B", "that A made
/// and B did not".
fn joins_names(gap: &[Token], same: bool) -> bool {
    let leads = |t: &Token| SPOKEN.prepositions().has(&t.folded, "participle");
    let refers = |t: &Token| !t.relations.is_empty();
    let is_small = |t: &Token| {
        is_function_word(&t.folded) && (leads(t) || SPOKEN.prepositions().row(&t.folded).is_none())
    };
    let joins = |t: &Token| {
        ["parts", "joins"].iter().any(|mark| SPOKEN.operation_cues().has(&t.folded, mark))
            || takes_away(&t.folded)
            || same && t.folded == "as"
    };
    gap.iter().any(joins)
        || gap.iter().any(|t| leads(t) || refers(t)) && gap.iter().all(|t| refers(t) || is_small(t))
}

/// Returns true if a chain from this start leaves out something that the question names.
fn leaves_out(mentions: &[Mention], named: &[&Mention], start: Start) -> bool {
    let begins = |m: &&Mention| m.candidates.iter().any(|c| start == Start::Node(c.node));
    let own: Vec<_> = mentions.iter().filter(begins).map(|m| &m.span).collect();
    let apart = |m: &&&Mention| !own.iter().any(|span| m.span.start < span.end && span.start < m.span.end);
    // An entity that no mention has as its candidate was found within one of them.
    named.iter().filter(apart).count() > usize::from(own.is_empty() && matches!(start, Start::Node(_)))
}

/// Returns the confidence in a chain, 0 to 1, from the part of the question that it explains, the share of
/// its steps that a word pays for, and the margin to the next chain.
fn confidence(chain: &Chain, all: &[Chain]) -> f32 {
    // A step to a type that the question names is explained, and so is what a superlative ranks.
    let (spoken, whole) =
        (chain.paid + chain.typed + chain.ranks.len(), chain.steps.len() + chain.ranks.len());
    let paid = if whole == 0 { 1.0 } else { (spoken as f32 / whole as f32).min(1.0) };
    let next = all.iter().find(|c| c.steps != chain.steps).map_or(chain.score - 1.0, |c| c.score);
    let margin = (chain.score - next).clamp(0.0, 1.0);
    let explained = (chain.score / WHOLE).clamp(0.0, 1.0);
    (weights::explained() * explained + weights::aligned_share() * paid + weights::margin() * margin)
        .clamp(0.0, 1.0)
}

/// Returns the confidence in a combination, 0 to 1. A word for the type to which a step leads explains it.
fn joint_confidence(found: &Combination) -> f32 {
    let typed: usize = found.branches.iter().flatten().chain(&found.minus).map(|b| b.typed).sum();
    ((found.paid.0 + typed) as f32 / found.paid.1.max(1) as f32).min(1.0)
}

impl Planner for RulesPlanner<'_> {
    fn plan<'a>(&'a self, question: &'a str) -> LocalBoxFuture<'a, Result<Proposal, PlannerError>> {
        let found = self.planned(question).map(|p| Proposal { plan: p.plan, confidence: p.confidence });
        Box::pin(std::future::ready(found))
    }
}
