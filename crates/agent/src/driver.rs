//! The loop that all protocols share.

use super::final_answer::settle_answer;
use super::options::AgentOptions;
use super::protocol::Protocol;
use super::run::{AgentError, Run, Services};
use super::types::{AgentEvent, Outcome};
use futures::future::{FutureExt, LocalBoxFuture};

/// Runs a protocol over a question. Dropping the future aborts it, with whatever request is under way.
///
/// What the model gives as its answer and is none is asked for once more, from the passages. A model that
/// fails leaves an outcome without an answer, and with the error; so does one that says nothing even when it
/// must answer.
///
/// # Errors
/// [`AgentError::Aborted`] when the model's transport or the environment reports that the caller aborted.
pub fn run_protocol<'a>(
    protocol: &'a dyn Protocol,
    question: &'a str,
    options: &'a AgentOptions,
    services: &'a Services<'a>,
    events: &'a mut dyn FnMut(AgentEvent),
) -> LocalBoxFuture<'a, Result<Outcome, AgentError>> {
    async move {
        let mut run = Run::new((protocol.limits(), protocol.marks()), question, options, *services, events);
        let result = match protocol.converse(&mut run).await {
            Ok(text) => settle_answer(&mut run, protocol, text).await,
            Err(error) => Err(error),
        };
        run.outcome(result)
    }
    .boxed_local()
}
