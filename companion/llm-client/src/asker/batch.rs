//! Many requests of one kind, told beforehand with the most that they can cost.

use super::{AskError, Asker, BuildModel, Tally, run};
use pocketgraph_llm::ChatRequest;
use pocketgraph_native::progress::Progress;

/// Asks for all `requests` after telling what they can cost at most: `opening` says what the model does ("the language model writes 3 reports"), `stage`
/// names the work, `count` counts a text's tokens. What of each reply `read` can use, which is told the number of the request too, `None` where that is nothing;
/// and what asking came to.
///
/// # Errors
/// [`AskError`] when the model refuses or falls silent, or a reply cannot be kept.
pub fn announced<T>(
    model: &BuildModel,
    progress: &dyn Progress,
    count: &dyn Fn(&str) -> usize,
    (opening, stage): (&str, &str),
    requests: Vec<ChatRequest>,
    read: &dyn Fn(usize, &str) -> Option<T>,
) -> Result<(Vec<Option<T>>, Tally), AskError> {
    let tokens: usize = requests.iter().flat_map(|r| &r.messages).map(|m| count(&m.content) + 8).sum();
    let reply: u64 = requests.iter().map(|r| u64::from(r.max_tokens.unwrap_or(0))).sum();
    progress.note(&format!("{opening}: at most {tokens} tokens to read and {reply} to write; replies that are kept already cost nothing"));
    progress.stage(stage, Some(requests.len() as u64));
    let BuildModel { chat, asking, cache } = model;
    let asker = Asker::new(chat.as_ref(), cache.as_ref(), asking);
    let questions = requests.into_iter().enumerate().map(|(i, request)| asker.ask(request, move |reply| read(i, reply)));
    let replies = run(asker.all(questions, &|done| progress.at(done as u64)))?;
    Ok((replies, asker.tally()))
}
