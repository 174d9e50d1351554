//! MetaQA: relation paths from a marked entity.

use super::draft::Draft;
use pocketgraph::plan::Head;
use pocketgraph_eval::{Gold, Naming, QuestionSet, read_answers, text};
use serde_json::Value;

/// The set.
#[derive(Debug, Clone, Copy)]
pub struct MetaQa;

impl QuestionSet for MetaQa {
    fn marker_field(&self) -> &str {
        "a relation path (MetaQA: plan)"
    }

    fn is_one(&self, v: &Value) -> bool {
        v.get("plan").is_some_and(Value::is_string)
    }

    /// MetaQA: a path such as `movie_to_director_to_movie` from the marked entity, which longer paths
    /// exclude.
    fn gold(&self, v: &Value) -> Result<Gold, String> {
        let (entity, path, question) = (text(v, "entity")?, text(v, "plan")?, text(v, "question")?);
        let stops: Vec<&str> = path.split("_to_").collect();
        let mut draft = Draft::default();
        let mut head = Head::Entity(entity.clone());
        let mut answer = String::new();
        for pair in stops.windows(2) {
            let (relation, inverse) = match pair {
                ["movie", to] => (relation_to(to)?, false),
                [from, "movie"] => (relation_to(from)?, true),
                _ => return Err(format!("the path {path:?} does not go by films")),
            };
            answer = draft.follow(head, relation, inverse);
            head = Head::Reference(answer.clone());
        }
        let hops = stops.len() - 1;
        let closed = v.get("closed").and_then(Value::as_bool).unwrap_or(false);
        let (ending, kind) = (if hops == 1 { "" } else { "s" }, if closed { "closed" } else { "open" });
        let group = format!("{hops} hop{ending}, {kind}");
        Ok(Gold {
            id: text(v, "id")?,
            groups: vec![group],
            plan: Ok(draft.plan(answer, Some(question.clone()))),
            question,
            answers: read_answers(v)?,
            without: (hops > 1).then_some(entity),
            naming: Naming::Label,
            answerable: closed,
        })
    }
}

fn relation_to(what: &str) -> Result<&'static str, String> {
    Ok(match what {
        "director" => "directed_by",
        "actor" => "starred_actors",
        "writer" => "written_by",
        "genre" => "has_genre",
        "year" => "release_year",
        "language" => "in_language",
        "tags" | "tag" => "has_tags",
        "imdbrating" => "has_imdb_rating",
        "imdbvotes" => "has_imdb_votes",
        other => return Err(format!("MetaQA has no relation to {other:?}")),
    })
}
