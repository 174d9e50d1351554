//! Parses replies: entities with types and descriptions, and statements that join them. Lenient, since models
//! vary JSON freely.

use crate::relations::prompts::{MOST_ENTITIES, MOST_RELATIONS};
use pocketgraph_base::json::Value;
use pocketgraph_graph_retrieval::entities::HIGHEST_SCORE;
use pocketgraph_llm_client::asker::find_value;
use pocketgraph_native::single_line::{cut_text, make_visible};

/// Maximum length of a name in bytes; longer ones are sentences.
const LONGEST_NAME: usize = 120;
/// Maximum length of a type in bytes; longer ones are ignored.
const LONGEST_KIND: usize = 40;
/// Maximum length of descriptions and statements in bytes; longer ones are cut.
const LONGEST: usize = 600;
/// Maximum number of entities that are read of one relation.
const ENDS: usize = 24;

/// An entity that a passage describes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Named {
    /// The name as the model wrote it.
    pub name: String,
    /// Its type, in lower case; empty if the model gave none.
    pub kind: String,
    /// The passage's description of it; empty if the model gave none.
    pub description: String,
    /// Importance in the passage, from 0 to 100.
    pub importance: u8,
}

/// A statement that joins entities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Joining {
    /// The statement, as a sentence.
    pub statement: String,
    /// The entities that it joins, as the model spelled them.
    pub names: Vec<String>,
    /// Amount of information, from 1 to 10.
    pub score: u8,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Reply {
    pub entities: Vec<Named>,
    pub relations: Vec<Joining>,
}

/// Puts a text of the model on one line, cut if it is too long; `None` if it has no letter or digit.
fn read_line(value: &Value) -> Option<String> {
    let text = make_visible(value.as_str()?);
    let short = cut_text(&text, LONGEST).trim().to_owned();
    let whole = short.len() == text.trim().len();
    short.chars().any(char::is_alphanumeric).then(|| if whole { short } else { format!("{short}…") })
}

/// Returns a name without list marks; `None` if it cannot be one.
fn read_name(value: &Value) -> Option<String> {
    let text = make_visible(value.as_str()?);
    let name =
        text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '`' | '"' | '-')).to_owned();
    let letters = name.chars().filter(|c| c.is_alphanumeric());
    // One ASCII letter is no name; one character of a script that writes a word with one may be.
    let enough = letters.clone().count() > 1 || letters.clone().any(|c| !c.is_ascii());
    (enough && name.len() <= LONGEST_NAME).then_some(name)
}

fn member_of<'a>(value: &'a Value, names: &[&str]) -> Option<&'a Value> {
    names.iter().find_map(|n| value.get(n))
}

/// Returns the number at the beginning of a text ("8", "8/10", "8.5"), at most `most`.
fn read_number(value: Option<&Value>, most: u8) -> Option<u8> {
    let text = value?.as_str()?;
    let digits: String =
        text.trim().chars().take(8).take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    let n: f64 = digits.parse().ok()?;
    Some(n.clamp(0.0, f64::from(most)).round() as u8)
}

fn read_entity(value: &Value) -> Option<Named> {
    if value.as_str().is_some() {
        return Some(Named {
            name: read_name(value)?,
            kind: String::new(),
            description: String::new(),
            importance: 0,
        });
    }
    let kind =
        member_of(value, &["type", "kind", "entity_type"]).and_then(read_line).map(|k| k.to_lowercase());
    Some(Named {
        name: read_name(member_of(value, &["name", "entity", "entity_name", "title"])?)?,
        kind: kind.filter(|k| k.len() <= LONGEST_KIND && k.split(' ').count() <= 4).unwrap_or_default(),
        description: member_of(value, &["description", "summary"]).and_then(read_line).unwrap_or_default(),
        importance: read_number(member_of(value, &["importance", "key_score", "score"]), 100).unwrap_or(0),
    })
}

/// Parses a relation, and the entities that it describes itself. Some models write relations between two,
/// with a source and a target.
fn read_relation(value: &Value) -> Option<(Joining, Vec<Named>)> {
    let inside: Vec<Named> = match member_of(value, &["entities", "joins", "nodes"]).and_then(Value::as_array)
    {
        Some(all) => all.iter().take(ENDS).filter_map(read_entity).collect(),
        None => {
            let ends = [
                member_of(value, &["source", "head", "subject"])?,
                member_of(value, &["target", "tail", "object"])?,
            ];
            ends.into_iter().filter_map(read_entity).collect()
        }
    };
    let statement =
        read_line(member_of(value, &["statement", "description", "sentence", "knowledge", "text"])?)?;
    let score =
        read_number(member_of(value, &["score", "strength", "weight"]), HIGHEST_SCORE).unwrap_or(1).max(1);
    let names = inside.iter().map(|n| n.name.clone()).collect();
    let described = inside.into_iter().filter(|n| !n.description.is_empty()).collect();
    Some((Joining { statement, names, score }, described))
}

/// Parses a reply; `None` if it has neither list. A list that is cut off counts up to there.
pub(super) fn parse_reply(reply: &str) -> Option<Reply> {
    let lists = |v: &Value| {
        let entities = member_of(v, &["entities", "nodes"]).and_then(Value::as_array);
        let relations =
            member_of(v, &["relations", "relationships", "hyperedges", "edges"]).and_then(Value::as_array);
        if entities.is_none() && relations.is_none() {
            return None;
        }
        let entities = entities.unwrap_or(&[]).iter().take(MOST_ENTITIES).filter_map(read_entity).collect();
        let mut out = Reply { entities, relations: Vec::new() };
        for (relation, described) in
            relations.unwrap_or(&[]).iter().take(MOST_RELATIONS).filter_map(read_relation)
        {
            out.relations.push(relation);
            out.entities.extend(described);
        }
        Some(out)
    };
    find_value(reply, lists)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ada() -> Named {
        Named {
            name: "Ada Lovelace".into(),
            kind: "person".into(),
            description: "A mathematician.".into(),
            importance: 90,
        }
    }

    fn wrote() -> Joining {
        Joining {
            statement: "Ada Lovelace wrote to Charles.".into(),
            names: vec!["Ada Lovelace".into(), "Charles".into()],
            score: 8,
        }
    }

    #[test]
    fn replies_are_read_however_they_are_dressed() {
        let entity = r#"{"name": "Ada Lovelace", "type": "Person", "description": "A mathematician.",
            "importance": 90}"#;
        let wanted = Reply { entities: vec![ada()], relations: vec![wrote()] };
        for relations in [
            r#"{"statement": "Ada Lovelace wrote to Charles.", "entities": ["Ada Lovelace", "**Charles**",
                ""], "score": 8}"#,
            r#"{"source": "Ada Lovelace", "target": "Charles",
                "description": "Ada Lovelace wrote to Charles.", "strength": "8/10"}"#,
            r#"{"knowledge": "Ada Lovelace wrote to Charles.", "entities": [{"name": "Ada Lovelace"}, {"name": "Charles"}], "weight": 7.6}, 7, "x", {}"#,
        ] {
            let reply = format!(
                "<think>{{\"entities\": []}}</think>Here:\n```json\n{{\"entities\": [{entity}], \
                 \"relations\": [{relations}]}}\n```"
            );
            assert_eq!(parse_reply(&reply).unwrap(), wanted, "{reply}");
        }
        let inside = format!(
            r#"{{"hyperedges": [{{"statement": "Ada Lovelace wrote to Charles.", "entities": [{entity}, "Charles"], "score": 8}}]}}"#
        );
        assert_eq!(parse_reply(&inside).unwrap(), wanted, "an entity may be described where it is joined");
        assert_eq!(
            parse_reply(r#"{"entities": [], "relations": []}"#),
            Some(Reply::default()),
            "nothing to write down is an answer"
        );
    }

    #[test]
    fn what_is_no_answer_is_none_and_what_is_cut_off_is_read_until_there() {
        for nothing in [
            "",
            "I cannot.",
            "<html><body>502 {bad} gateway</body></html>",
            "[1, 2]",
            r#"{"entities": "none"}"#,
            r#"{"answer": 7}"#,
        ] {
            assert_eq!(parse_reply(nothing), None, "{nothing}");
        }
        let cut = r#"{"entities": [{"name": "Ada Lovelace", "type": "person", "description": "A mathematician.", "importance": 90}, {"name": "Char"#;
        assert_eq!(parse_reply(cut).unwrap().entities, [ada()]);
    }

    #[test]
    fn hostile_replies_stay_small() {
        let letters = r#"{"entities": ["a", "b", "7", "京"], "relations": [{"statement": "a b",
            "entities": ["a", "b"], "score": 99}]}"#;
        let read_letters = parse_reply(letters).unwrap();
        assert_eq!(read_letters.entities.iter().map(|e| e.name.as_str()).collect::<Vec<_>>(), ["京"]);
        assert_eq!((read_letters.relations[0].names.len(), read_letters.relations[0].score), (0, 10));
        let one = r#"{"statement": "Ada met Bob.", "entities": ["Ada", "Bob"]},"#;
        let flood = format!(r#"{{"relations": [{}]}}"#, one.repeat(200_000));
        assert!(flood.len() > 10_000_000);
        assert_eq!(parse_reply(&flood).unwrap().relations.len(), MOST_RELATIONS);
        let long = format!(
            r#"{{"entities": [{{"name": "Ada", "description": "{}"}}, "{}"]}}"#,
            "word ".repeat(1000),
            "long name ".repeat(100)
        );
        let entities = parse_reply(&long).unwrap().entities;
        assert!(entities.len() == 1 && entities[0].description.len() <= LONGEST + 3);
        assert_eq!(
            parse_reply("{\"entities\": [\"A\\u202eda\\u0000 B\"]}").unwrap().entities[0].name,
            "Ada B"
        );
    }

    proptest! {
        #[test]
        fn any_reply_is_read_or_refused(text in "(?s).{0,200}", score in any::<f64>()) {
            let _ = parse_reply(&text);
            let json = format!(
                r#"{{"relations": [{{"statement": "Ada met Bob.", "entities": ["Ada", {text:?}], "score": {score}}}]}}"#
            );
            if let Some(reply) = parse_reply(&json) {
                prop_assert!(reply.relations.iter().all(|r| (1..=10).contains(&r.score)));
            }
        }
    }
}
