//! Makes many requests of one kind, after reporting their maximum cost.

use super::{AskError, Asker, BuildModel, Tally, run_requests};
use pocketgraph_llm::ChatRequest;
use pocketgraph_native::progress::Progress;

/// Makes all `requests` after reporting their maximum cost: `opening` describes the work ("the language model
/// writes 3 reports"), `stage` names it, `count` counts a text's tokens. Returns what `read` takes from each
/// reply, given the request's number (`None` if the reply is unusable), and the counts.
///
/// # Errors
/// [`AskError`] when the model refuses or does not answer, or a reply cannot be stored.
pub fn ask_announced<T>(
    model: &BuildModel,
    progress: &dyn Progress,
    count: &dyn Fn(&str) -> usize,
    (opening, stage): (&str, &str),
    requests: Vec<ChatRequest>,
    read: &dyn Fn(usize, &str) -> Option<T>,
) -> Result<(Vec<Option<T>>, Tally), AskError> {
    let tokens: usize = requests.iter().flat_map(|r| &r.messages).map(|m| count(&m.content) + 8).sum();
    let reply: u64 = requests.iter().map(|r| u64::from(r.max_tokens.unwrap_or(0))).sum();
    progress.note(&format!(
        "{opening}: at most {tokens} tokens to read and {reply} to write; replies that are kept already \
         cost nothing"
    ));
    progress.stage(stage, Some(requests.len() as u64));
    let BuildModel { chat, asking, cache } = model;
    let asker = Asker::new(chat.as_ref(), cache.as_ref(), asking);
    let questions =
        requests.into_iter().enumerate().map(|(i, request)| asker.ask(request, move |reply| read(i, reply)));
    let replies = run_requests(asker.all(questions, &|done| progress.at(done as u64)))?;
    Ok((replies, asker.tally()))
}
