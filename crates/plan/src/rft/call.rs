//! Calls of the plan lines: which functions there are, and what their arguments mean.

use super::super::check::excerpt;
use super::super::read::{Argument, Keys, Word, position, syntax};
use super::super::{
    Compare, Comparison, Condition, Extreme, Fault, Head, How, Literal, Measure, Operand, Operation, PlanError, Relation, SearchKg,
    Template, Test,
};
use super::Reader;

/// The functions of this surface.
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

/// The function of a name, letter case and underscores aside.
pub(super) fn function(written: &str) -> Option<Function> {
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
const COMPARE: Keys = &[("how", "how"), ("q", "q"), ("question", "q"), ("r", "r"), ("relation", "r"), ("by", "r"), ("count", "count")];
const FILTER: Keys =
    &[("t", "t"), ("type", "t"), ("r", "r"), ("relation", "r"), ("by", "r"), ("count", "count"), ("v", "v"), ("value", "v")];
const SUPERLATIVE: Keys = &[("r", "r"), ("relation", "r"), ("by", "r"), ("count", "count"), ("n", "n"), ("keep", "n")];

impl Function {
    /// The keys of its arguments.
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

/// A call's arguments, being made into an operation.
pub(super) struct Call<'a, 'b> {
    /// Reader that knows the names.
    pub(super) reader: &'a Reader<'b>,
    /// The arguments.
    pub(super) arguments: &'a [Argument],
    /// Start of the arguments.
    pub(super) open: usize,
}

impl Call<'_, '_> {
    /// The operation that the call writes.
    pub(super) fn operation(&self, function: Function) -> Result<Operation, PlanError> {
        Ok(match function {
            Function::SearchKg => {
                self.no_names("t=type | h=entity or name, r=relation")?;
                let target = self.keyed("t")?.map(|t| self.target(t)).transpose()?.flatten();
                let head = self.head(self.needed("h", "h=, the entity or set that the step starts from")?)?;
                let relation = self.relation(self.needed("r", "r=, the relation that the step follows")?)?;
                Operation::SearchKg(SearchKg { target, head, relation })
            }
            Function::Search => {
                let query = match (self.keyed("q")?, self.arguments) {
                    (Some(query), _) => query,
                    (None, [query]) => query,
                    _ => {
                        return Err(self.wrong(
                            self.open,
                            "a search without one question",
                            "q= and a question",
                            "Put the question in quotes.",
                        ));
                    }
                };
                let template = Template::parse(self.text(query))
                    .map_err(|e| self.wrong(query.offset, &e.to_string(), "{Ans1}", "Double a brace that is no reference."))?;
                Operation::Search { query: self.spelled(&template) }
            }
            Function::All => {
                let target = match self.arguments {
                    [one] if one.key.is_none() => Some(one),
                    _ => self.keyed("t")?,
                };
                let relation = match target {
                    Some(_) => self.keyed("r")?,
                    None => Some(self.needed("r", "t=, the type whose entities are meant, or r=, the relation that each has")?),
                };
                Operation::All {
                    target: target.map(|t| self.target(t)).transpose()?.flatten(),
                    relation: relation.map(|r| self.relation(r)).transpose()?,
                }
            }
            Function::Entity => {
                let head = match self.arguments {
                    [one] if one.key.is_none() => one,
                    _ => self.needed("h", "h=, who or what is meant")?,
                };
                Operation::Entity { head: self.head(head)? }
            }
            Function::Intersect => Operation::Intersect { of: self.names()? },
            Function::Union => Operation::Union { of: self.names()? },
            Function::Negation => {
                let mut names = self.names()?.into_iter();
                Operation::Negation { main: names.next().unwrap_or_default(), minus: names.collect() }
            }
            Function::Count => Operation::Count { of: self.one_name()? },
            Function::Compare => self.compare()?,
            Function::Filter => {
                let condition = match self.keyed("t")? {
                    Some(target) if self.keyed("v")?.is_none() => Condition::Type(self.text(target).to_owned()),
                    _ => Condition::Value(self.test()?),
                };
                Operation::Filter { of: self.one_name()?, condition }
            }
            Function::Superlative(extreme) => {
                let keep = match self.keyed("n")? {
                    None => 1,
                    Some(n) => self
                        .text(n)
                        .parse()
                        .map_err(|_| self.wrong(n.offset, self.text(n), "a number of places", "Write n=1 for the first."))?,
                };
                Operation::Superlative { of: self.one_name()?, by: self.measure()?, extreme, keep }
            }
        })
    }

    fn compare(&self) -> Result<Operation, PlanError> {
        // "Compare(oldest, Ans1, Ans2)": the word stands among the names.
        let mut how = None;
        let mut of = Vec::new();
        for argument in self.arguments.iter().filter(|a| a.key.is_none()) {
            let text = self.text(argument);
            match How::from_word(text) {
                Some(word) if how.is_none() && !self.reader.is_reference(text) => how = Some(word),
                _ => of.push(self.name(argument)?),
            }
        }
        if let Some(argument) = self.keyed("how")? {
            let word = How::named(self.text(argument));
            how = Some(word.ok_or_else(|| {
                self.wrong(argument.offset, self.text(argument), "=, <, >, min, max or in", "Say how the sets are compared.")
            })?);
        }
        let question = self.keyed("q")?.map(|q| self.text(q).to_owned());
        Ok(Operation::Compare(Compare { of, how, by: self.measure()?, question }))
    }

    fn test(&self) -> Result<Test, PlanError> {
        let value = self.needed("v", "t= and a type, or v, a comparison and a value, such as v > 5 km")?;
        let comparison = Comparison::SYMBOLS.iter().find(|(symbol, _)| *symbol == value.symbol).map_or(Comparison::Equal, |(_, c)| *c);
        let to = match &value.value {
            Word::Quoted(text) => Operand::Literal(Literal::Text(text.clone())),
            Word::Bare(text) if self.reader.is_reference(text) => Operand::Reference(self.reader.reference(text)),
            Word::Bare(text) | Word::Exact(text, _) => Operand::Literal(Literal::parse(text).ok_or_else(|| {
                let hint = "Put a text in quotes; write a date as 1990-05-01.";
                PlanError::new(
                    position(self.reader.text, value.offset),
                    Fault::Literal(excerpt(text)),
                    "a number, a date, a text or a name",
                    hint,
                )
            })?),
        };
        Ok(Test { by: self.measure()?, comparison, to })
    }

    fn measure(&self) -> Result<Option<Measure>, PlanError> {
        match (self.keyed("r")?, self.keyed("count")?) {
            (None, None) => Ok(None),
            (Some(relation), None) => self.relation(relation).map(|r| Some(Measure::ValueOf(r))),
            (None, Some(relation)) => self.relation(relation).map(|r| Some(Measure::NumberOf(r))),
            (Some(_), Some(both)) => {
                Err(self.wrong(both.offset, "both r= and count=", "one of the two", "Measure a value or a number of things."))
            }
        }
    }

    fn wrong(&self, offset: usize, what: &str, expected: &str, hint: &str) -> PlanError {
        syntax(self.reader.text, offset, what, expected, hint)
    }

    /// The argument of a key, if it is there; twice is an error, since either may be meant.
    fn keyed(&self, key: &'static str) -> Result<Option<&Argument>, PlanError> {
        let mut found = self.arguments.iter().filter(|a| a.key == Some(key));
        let first = found.next();
        match found.next() {
            Some(second) => {
                let what = format!("{key}= is given twice");
                Err(self.wrong(second.offset, &what, "each key once", "Put quotes around a text that holds such a key."))
            }
            None => Ok(first),
        }
    }

    fn needed(&self, key: &'static str, expected: &str) -> Result<&Argument, PlanError> {
        let missing = || self.wrong(self.open, &format!("{key} is missing"), expected, "Write every part of the step with its key.");
        self.keyed(key)?.ok_or_else(missing)
    }

    fn no_names(&self, expected: &str) -> Result<(), PlanError> {
        match self.arguments.iter().find(|a| a.key.is_none()) {
            None => Ok(()),
            Some(stray) => Err(self.wrong(
                stray.offset,
                &format!("{:?} has no key", excerpt(self.text(stray))),
                expected,
                "Say which part it is: t=, h= or r=.",
            )),
        }
    }

    /// All arguments as names of earlier sets.
    fn names(&self) -> Result<Vec<String>, PlanError> {
        self.arguments.iter().map(|argument| self.name(argument)).collect()
    }

    /// The only argument without a key.
    fn one_name(&self) -> Result<String, PlanError> {
        let mut names = self.arguments.iter().filter(|a| a.key.is_none());
        match (names.next(), names.next()) {
            (Some(one), None) => self.name(one),
            _ => Err(self.wrong(self.open, "one set is needed", "the name of one earlier step", "Write, for example, Count(Ans1).")),
        }
    }

    fn name(&self, argument: &Argument) -> Result<String, PlanError> {
        let name = self.reader.reference(self.text(argument));
        if super::super::template::is_name(&name) && !matches!(argument.value, Word::Exact(..)) {
            return Ok(name);
        }
        let hint = "Give an inner call a line and a name of its own, then use the name.";
        let what = format!("{:?} is not a name", excerpt(self.text(argument)));
        Err(self.wrong(argument.offset, &what, "the name of an earlier step, such as Ans1", hint))
    }

    fn text<'t>(&self, argument: &'t Argument) -> &'t str {
        match &argument.value {
            Word::Bare(text) | Word::Quoted(text) | Word::Exact(text, _) => text,
        }
    }

    /// A type; the wild cards of everyday writing mean any, and an empty one is left for the check to refuse.
    fn target(&self, argument: &Argument) -> Result<Option<String>, PlanError> {
        match &argument.value {
            Word::Bare(text) if is_wild(text) => Ok(None),
            _ => Ok(Some(self.text(argument).to_owned())),
        }
    }

    fn head(&self, argument: &Argument) -> Result<Head, PlanError> {
        match &argument.value {
            Word::Exact(name, _) => Ok(Head::Entity(name.clone())),
            Word::Quoted(text) => Ok(Head::Mention(text.clone())),
            Word::Bare(text) if self.reader.is_reference(text) => Ok(Head::Reference(self.reader.reference(text))),
            Word::Bare(text) if text.contains(',') && text.split(',').all(|part| self.reader.is_reference(part)) => {
                Err(self.wrong(argument.offset, "two sets as one head", "one name", "Unite them first: Ans3=Union(Ans1, Ans2)."))
            }
            Word::Bare(text) => Ok(Head::Mention(text.clone())),
        }
    }

    fn relation(&self, argument: &Argument) -> Result<Relation, PlanError> {
        Ok(match &argument.value {
            Word::Exact(name, inverse) => Relation::Exact { name: name.clone(), inverse: *inverse },
            Word::Bare(text) | Word::Quoted(text) => Relation::Phrase(text.clone()),
        })
    }

    /// A template whose references are spelled as the statements that define them.
    fn spelled(&self, template: &Template) -> Template {
        template.map_references(|name| self.reader.reference(name))
    }
}

/// Whether a bare type says that any will do.
pub(super) fn is_wild(text: &str) -> bool {
    ["*", "?", "any", "anything", "thing", "entity"].iter().any(|wild| text.eq_ignore_ascii_case(wild))
}
