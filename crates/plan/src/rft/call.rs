//! Calls of the plan lines: their functions, and the meaning of their arguments.

use super::super::check::excerpt;
use super::super::read::{Argument, Keys, Word, position_of, syntax_error};
use super::super::{
    Compare, Comparison, Condition, Extreme, Fault, Head, How, Literal, Measure, Operand, Operation,
    PlanError, Relation, SearchKg, Template, Test,
};
use super::Reader;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    SearchKg,
    Search,
    All,
    Entity,
    Intersect,
    Union,
    Negation,
    Compare,
    Count,
    Filter,
    Superlative(Extreme),
}

/// Returns the function of a name, without regard to case and underscores.
pub(super) fn function_of(written: &str) -> Option<Function> {
    Some(match super::super::ast::fold_name(written).as_str() {
        "searchkg" | "kgsearch" | "search_kg" => Function::SearchKg,
        "search" => Function::Search,
        "all" => Function::All,
        "entity" => Function::Entity,
        "intersect" | "intersection" => Function::Intersect,
        "union" => Function::Union,
        "negation" | "negate" | "difference" => Function::Negation,
        "compare" | "comparison" => Function::Compare,
        "count" => Function::Count,
        "filter" => Function::Filter,
        folded => Function::Superlative(Extreme::from_word(folded)?),
    })
}

const STEP: Keys = &[
    ("t", "t"),
    ("type", "t"),
    ("target", "t"),
    ("target_type", "t"),
    ("h", "h"),
    ("head", "h"),
    ("entity", "h"),
    ("topic_entity", "h"),
    ("r", "r"),
    ("rel", "r"),
    ("relation", "r"),
];
const QUERY: Keys = &[("q", "q"), ("query", "q"), ("question", "q")];
const SETS: Keys = &[];
const COMPARE: Keys = &[
    ("how", "how"),
    ("q", "q"),
    ("question", "q"),
    ("r", "r"),
    ("relation", "r"),
    ("by", "r"),
    ("count", "count"),
];
const FILTER: Keys = &[
    ("t", "t"),
    ("type", "t"),
    ("r", "r"),
    ("relation", "r"),
    ("by", "r"),
    ("count", "count"),
    ("v", "v"),
    ("value", "v"),
];
const SUPERLATIVE: Keys =
    &[("r", "r"), ("relation", "r"), ("by", "r"), ("count", "count"), ("n", "n"), ("keep", "n")];

impl Function {
    pub(super) fn keys(self) -> Keys {
        match self {
            Function::SearchKg | Function::All | Function::Entity => STEP,
            Function::Search => QUERY,
            Function::Intersect | Function::Union | Function::Negation | Function::Count => SETS,
            Function::Compare => COMPARE,
            Function::Filter => FILTER,
            Function::Superlative(_) => SUPERLATIVE,
        }
    }
}

/// Arguments of a call that becomes an operation.
pub(super) struct Call<'a, 'b> {
    pub(super) reader: &'a Reader<'b>,
    pub(super) arguments: &'a [Argument],
    /// Offset of the arguments.
    pub(super) open: usize,
}

impl Call<'_, '_> {
    pub(super) fn read_operation(&self, function: Function) -> Result<Operation, PlanError> {
        Ok(match function {
            Function::SearchKg => {
                self.no_names("t=type | h=entity or name, r=relation")?;
                let target = self.find_keyed("t")?.map(|t| self.read_target(t)).transpose()?.flatten();
                let head = self
                    .read_head(self.require_keyed("h", "h=, the entity or set that the step starts from")?)?;
                let relation =
                    self.read_relation(self.require_keyed("r", "r=, the relation that the step follows")?)?;
                Operation::SearchKg(SearchKg { target, head, relation })
            }
            Function::Search => {
                let query = match (self.find_keyed("q")?, self.arguments) {
                    (Some(query), _) => query,
                    (None, [query]) => query,
                    _ => {
                        return Err(self.wrong_at(
                            self.open,
                            "a search without one question",
                            "q= and a question",
                            "Put the question in quotes.",
                        ));
                    }
                };
                let template = Template::parse(self.text_of(query)).map_err(|e| {
                    self.wrong_at(
                        query.offset,
                        &e.to_string(),
                        "{Ans1}",
                        "Double a brace that is no reference.",
                    )
                })?;
                Operation::Search { query: self.spell_references(&template) }
            }
            Function::All => {
                let target = match self.arguments {
                    [one] if one.key.is_none() => Some(one),
                    _ => self.find_keyed("t")?,
                };
                let relation = match target {
                    Some(_) => self.find_keyed("r")?,
                    None => Some(self.require_keyed(
                        "r",
                        "t=, the type whose entities are meant, or r=, the relation that each has",
                    )?),
                };
                Operation::All {
                    target: target.map(|t| self.read_target(t)).transpose()?.flatten(),
                    relation: relation.map(|r| self.read_relation(r)).transpose()?,
                }
            }
            Function::Entity => {
                let head = match self.arguments {
                    [one] if one.key.is_none() => one,
                    _ => self.require_keyed("h", "h=, who or what is meant")?,
                };
                Operation::Entity { head: self.read_head(head)? }
            }
            Function::Intersect => Operation::Intersect { of: self.read_names()? },
            Function::Union => Operation::Union { of: self.read_names()? },
            Function::Negation => {
                let mut names = self.read_names()?.into_iter();
                Operation::Negation { main: names.next().unwrap_or_default(), minus: names.collect() }
            }
            Function::Count => Operation::Count { of: self.one_name()? },
            Function::Compare => self.read_compare()?,
            Function::Filter => {
                let condition = match self.find_keyed("t")? {
                    Some(target) if self.find_keyed("v")?.is_none() => {
                        Condition::Type(self.text_of(target).to_owned())
                    }
                    _ => Condition::Value(self.read_test()?),
                };
                Operation::Filter { of: self.one_name()?, condition }
            }
            Function::Superlative(extreme) => {
                let keep = match self.find_keyed("n")? {
                    None => 1,
                    Some(n) => self.text_of(n).parse().map_err(|_| {
                        self.wrong_at(
                            n.offset,
                            self.text_of(n),
                            "a number of places",
                            "Write n=1 for the first.",
                        )
                    })?,
                };
                Operation::Superlative { of: self.one_name()?, by: self.read_measure()?, extreme, keep }
            }
        })
    }

    fn read_compare(&self) -> Result<Operation, PlanError> {
        // In "Compare(oldest, Ans1, Ans2)" the word is among the names.
        let mut how = None;
        let mut of = Vec::new();
        for argument in self.arguments.iter().filter(|a| a.key.is_none()) {
            let text = self.text_of(argument);
            match How::from_word(text) {
                Some(word) if how.is_none() && !self.reader.is_reference(text) => how = Some(word),
                _ => of.push(self.read_name(argument)?),
            }
        }
        if let Some(argument) = self.find_keyed("how")? {
            let word = How::named(self.text_of(argument));
            how = Some(word.ok_or_else(|| {
                self.wrong_at(
                    argument.offset,
                    self.text_of(argument),
                    "=, <, >, min, max or in",
                    "Say how the sets are compared.",
                )
            })?);
        }
        let question = self.find_keyed("q")?.map(|q| self.text_of(q).to_owned());
        Ok(Operation::Compare(Compare { of, how, by: self.read_measure()?, question }))
    }

    fn read_test(&self) -> Result<Test, PlanError> {
        let value =
            self.require_keyed("v", "t= and a type, or v, a comparison and a value, such as v > 5 km")?;
        let comparison = Comparison::SYMBOLS
            .iter()
            .find(|(symbol, _)| *symbol == value.symbol)
            .map_or(Comparison::Equal, |(_, c)| *c);
        let to = match &value.value {
            Word::Quoted(text) => Operand::Literal(Literal::Text(text.clone())),
            Word::Bare(text) if self.reader.is_reference(text) => {
                Operand::Reference(self.reader.resolve_reference(text))
            }
            Word::Bare(text) | Word::Exact(text, _) => {
                Operand::Literal(Literal::parse(text).ok_or_else(|| {
                    let hint = "Put a text in quotes; write a date as 1990-05-01.";
                    PlanError::new(
                        position_of(self.reader.text, value.offset),
                        Fault::Literal(excerpt(text)),
                        "a number, a date, a text or a name",
                        hint,
                    )
                })?)
            }
        };
        Ok(Test { by: self.read_measure()?, comparison, to })
    }

    fn read_measure(&self) -> Result<Option<Measure>, PlanError> {
        match (self.find_keyed("r")?, self.find_keyed("count")?) {
            (None, None) => Ok(None),
            (Some(relation), None) => self.read_relation(relation).map(|r| Some(Measure::ValueOf(r))),
            (None, Some(relation)) => self.read_relation(relation).map(|r| Some(Measure::NumberOf(r))),
            (Some(_), Some(both)) => Err(self.wrong_at(
                both.offset,
                "both r= and count=",
                "one of the two",
                "Measure a value or a number of things.",
            )),
        }
    }

    fn wrong_at(&self, offset: usize, what: &str, expected: &str, hint: &str) -> PlanError {
        syntax_error(self.reader.text, offset, what, expected, hint)
    }

    /// Returns the argument of a key, if there is one. Twice is an error, since either may be meant.
    fn find_keyed(&self, key: &'static str) -> Result<Option<&Argument>, PlanError> {
        let mut found = self.arguments.iter().filter(|a| a.key == Some(key));
        let first = found.next();
        match found.next() {
            Some(second) => {
                let what = format!("{key}= is given twice");
                Err(self.wrong_at(
                    second.offset,
                    &what,
                    "each key once",
                    "Put quotes around a text that holds such a key.",
                ))
            }
            None => Ok(first),
        }
    }

    fn require_keyed(&self, key: &'static str, expected: &str) -> Result<&Argument, PlanError> {
        let missing = || {
            self.wrong_at(
                self.open,
                &format!("{key} is missing"),
                expected,
                "Write every part of the step with its key.",
            )
        };
        self.find_keyed(key)?.ok_or_else(missing)
    }

    fn no_names(&self, expected: &str) -> Result<(), PlanError> {
        match self.arguments.iter().find(|a| a.key.is_none()) {
            None => Ok(()),
            Some(stray) => Err(self.wrong_at(
                stray.offset,
                &format!("{:?} has no key", excerpt(self.text_of(stray))),
                expected,
                "Say which part it is: t=, h= or r=.",
            )),
        }
    }

    /// Returns all arguments as names of earlier sets.
    fn read_names(&self) -> Result<Vec<String>, PlanError> {
        self.arguments.iter().map(|argument| self.read_name(argument)).collect()
    }

    /// Returns the only argument without a key.
    fn one_name(&self) -> Result<String, PlanError> {
        let mut names = self.arguments.iter().filter(|a| a.key.is_none());
        match (names.next(), names.next()) {
            (Some(one), None) => self.read_name(one),
            _ => Err(self.wrong_at(
                self.open,
                "one set is needed",
                "the name of one earlier step",
                "Write, for example, Count(Ans1).",
            )),
        }
    }

    fn read_name(&self, argument: &Argument) -> Result<String, PlanError> {
        let name = self.reader.resolve_reference(self.text_of(argument));
        if super::super::template::is_name(&name) && !matches!(argument.value, Word::Exact(..)) {
            return Ok(name);
        }
        let hint = "Give an inner call a line and a name of its own, then use the name.";
        let what = format!("{:?} is not a name", excerpt(self.text_of(argument)));
        Err(self.wrong_at(argument.offset, &what, "the name of an earlier step, such as Ans1", hint))
    }

    fn text_of<'t>(&self, argument: &'t Argument) -> &'t str {
        match &argument.value {
            Word::Bare(text) | Word::Quoted(text) | Word::Exact(text, _) => text,
        }
    }

    /// Returns a type; `None` for everyday wild cards. An empty one is left for the check to refuse.
    fn read_target(&self, argument: &Argument) -> Result<Option<String>, PlanError> {
        match &argument.value {
            Word::Bare(text) if is_wild(text) => Ok(None),
            _ => Ok(Some(self.text_of(argument).to_owned())),
        }
    }

    fn read_head(&self, argument: &Argument) -> Result<Head, PlanError> {
        match &argument.value {
            Word::Exact(name, _) => Ok(Head::Entity(name.clone())),
            Word::Quoted(text) => Ok(Head::Mention(text.clone())),
            Word::Bare(text) if self.reader.is_reference(text) => {
                Ok(Head::Reference(self.reader.resolve_reference(text)))
            }
            Word::Bare(text)
                if text.contains(',') && text.split(',').all(|part| self.reader.is_reference(part)) =>
            {
                Err(self.wrong_at(
                    argument.offset,
                    "two sets as one head",
                    "one name",
                    "Unite them first: Ans3=Union(Ans1, Ans2).",
                ))
            }
            Word::Bare(text) => Ok(Head::Mention(text.clone())),
        }
    }

    fn read_relation(&self, argument: &Argument) -> Result<Relation, PlanError> {
        Ok(match &argument.value {
            Word::Exact(name, inverse) => Relation::Exact { name: name.clone(), inverse: *inverse },
            Word::Bare(text) | Word::Quoted(text) => Relation::Phrase(text.clone()),
        })
    }

    /// Returns a template with its references spelled as in the statements that define them.
    fn spell_references(&self, template: &Template) -> Template {
        template.map_references(|name| self.reader.resolve_reference(name))
    }
}

/// Returns true if a bare type means any.
pub(super) fn is_wild(text: &str) -> bool {
    ["*", "?", "any", "anything", "thing", "entity"].iter().any(|wild| text.eq_ignore_ascii_case(wild))
}
