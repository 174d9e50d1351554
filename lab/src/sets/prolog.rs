//! Parses Prolog terms of GeoQuery's forms: atoms, variables, compound terms, conjunctions, negation.

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Term {
    Variable(String),
    /// An atom or a number, without quotes.
    Atom(String),
    /// A functor with its arguments. A conjunction is `,`, a negation `\+`.
    Compound(String, Vec<Term>),
}

/// Deeper terms are no logical form of a question.
const DEEPEST: usize = 64;

impl Term {
    /// Reads one term.
    pub fn parse(text: &str) -> Result<Term, String> {
        let mut reader = Reader { rest: text };
        let term = reader.term(0)?;
        match reader.rest.trim() {
            "" | "." => Ok(term),
            rest => Err(format!("{rest:?} is left over behind the term")),
        }
    }

    /// The goals of a conjunction; any other term is its only goal.
    pub fn goals(&self) -> Vec<&Term> {
        match self {
            Term::Compound(name, all) if name == "," => all.iter().flat_map(Term::goals).collect(),
            one => vec![one],
        }
    }

    /// The name and arguments of a compound term.
    pub fn parts(&self) -> Option<(&str, &[Term])> {
        match self {
            Term::Compound(name, arguments) => Some((name, arguments)),
            _ => None,
        }
    }

    /// The variable's name, if it is one.
    pub fn variable(&self) -> Option<&str> {
        match self {
            Term::Variable(name) => Some(name),
            _ => None,
        }
    }

    /// Returns true if a variable occurs in the term.
    pub fn mentions(&self, variable: &str) -> bool {
        match self {
            Term::Variable(name) => name == variable,
            Term::Atom(_) => false,
            Term::Compound(_, all) => all.iter().any(|t| t.mentions(variable)),
        }
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn term(&mut self, depth: usize) -> Result<Term, String> {
        if depth > DEEPEST {
            return Err("the term is nested too deeply".to_owned());
        }
        self.rest = self.rest.trim_start();
        if let Some(rest) = self.rest.strip_prefix("\\+") {
            self.rest = rest;
            return Ok(Term::Compound("\\+".to_owned(), vec![self.term(depth + 1)?]));
        }
        if self.rest.starts_with('(') {
            let mut all = self.arguments(depth)?;
            return Ok(if all.len() == 1 { all.remove(0) } else { Term::Compound(",".to_owned(), all) });
        }
        let (name, quoted) = self.name()?;
        if self.rest.starts_with('(') {
            return Ok(Term::Compound(name, self.arguments(depth)?));
        }
        let variable = !quoted && name.starts_with(|c: char| c.is_uppercase() || c == '_');
        Ok(if variable { Term::Variable(name) } else { Term::Atom(name) })
    }

    fn arguments(&mut self, depth: usize) -> Result<Vec<Term>, String> {
        let mut all = Vec::new();
        loop {
            // The parenthesis before the first, the comma before the others.
            self.rest = self.rest.get(1..).unwrap_or_default();
            all.push(self.term(depth + 1)?);
            self.rest = self.rest.trim_start();
            match self.rest.chars().next() {
                Some(',') => {}
                Some(')') => {
                    self.rest = &self.rest[1..];
                    return Ok(all);
                }
                _ => return Err(format!("a comma or parenthesis is missing before {:?}", self.rest)),
            }
        }
    }

    fn name(&mut self) -> Result<(String, bool), String> {
        if let Some(rest) = self.rest.strip_prefix('\'') {
            let (name, rest) = rest.split_once('\'').ok_or("a quote is not closed")?;
            self.rest = rest;
            return Ok((name.to_owned(), true));
        }
        let end =
            self.rest.find(|c: char| !(c.is_alphanumeric() || "_.-".contains(c))).unwrap_or(self.rest.len());
        if end == 0 {
            return Err(format!("a term is missing before {:?}", self.rest));
        }
        let name = self.rest[..end].to_owned();
        self.rest = &self.rest[end..];
        Ok((name, false))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_logical_form_reads_as_its_goals() {
        let term =
            Term::parse("answer(A,(state(A),\\+ (next_to(A,B),const(B,stateid('new york')))))").unwrap();
        let (name, of) = term.parts().unwrap();
        assert_eq!((name, of[0].variable(), of[1].goals().len()), ("answer", Some("A"), 2));
        let negated = of[1].goals()[1].parts().unwrap();
        assert_eq!((negated.0, negated.1[0].goals().len(), negated.1[0].mentions("B")), ("\\+", 2, true));
        assert_eq!(Term::parse("f(a").unwrap_err(), "a comma or parenthesis is missing before \"\"");
        assert!(Term::parse(&"f(".repeat(100_000)).is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[a-zA-Z_'(),\\\\+ é.]{0,40}") {
            let _ = Term::parse(&text);
        }
    }
}
