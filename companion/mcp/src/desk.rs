//! The bundle of a server: one thread owns the engine, which is not made for several, and runs the jobs sent
//! to it.

use futures::future::LocalBoxFuture;
use miette::{IntoDiagnostic, Result, WrapErr, miette};
use pocketgraph::bundle::Document;
use pocketgraph::engine::Engine;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use tokio::runtime::Runtime;
use tokio::sync::{mpsc, oneshot};
use tokio::task::LocalSet;

/// Calls that may wait for the engine; further callers wait until there is room.
const WAITING: usize = 64;

type Job = Box<dyn FnOnce(Rc<Open>) -> LocalBoxFuture<'static, ()> + Send>;

/// An open bundle.
pub struct Open {
    /// The engine over it.
    pub engine: Engine,
}

/// Opens the bundle at a place, with its model.
pub type OpenEngine = fn(PathBuf) -> LocalBoxFuture<'static, Result<Engine>>;

/// Queue in which callers of any thread leave requests for a bundle.
#[derive(Clone)]
pub struct Desk {
    jobs: mpsc::Sender<Job>,
}

impl Desk {
    /// Opens the bundle at `place` on a thread of its own. Fails if there is no bundle, or it cannot be read.
    pub fn open(place: &Path, open: OpenEngine) -> Result<Desk> {
        let (jobs, mut waiting) = mpsc::channel::<Job>(WAITING);
        let (sender, opened) = std::sync::mpsc::channel();
        let place = place.to_owned();
        let work = move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().into_diagnostic();
            // Connections belong to the runtime that opened them.
            let opened =
                |runtime: Runtime| Ok((Rc::new(Open { engine: runtime.block_on(open(place))? }), runtime));
            let ready = runtime.and_then(opened);
            let (bundle, runtime) = match ready {
                Ok(ready) => ready,
                Err(e) => {
                    let _ = sender.send(Err(e));
                    return;
                }
            };
            let _ = sender.send(Ok(()));
            LocalSet::new().block_on(&runtime, async move {
                while let Some(job) = waiting.recv().await {
                    tokio::task::spawn_local(job(Rc::clone(&bundle)));
                }
            });
        };
        std::thread::Builder::new()
            .name("bundle".to_owned())
            .spawn(work)
            .into_diagnostic()
            .wrap_err("cannot start a thread")?;
        opened.recv().into_diagnostic()??;
        Ok(Desk { jobs })
    }

    /// Does `work` where the bundle is, and waits for what comes of it.
    ///
    /// # Errors
    /// What `work` says, or that the bundle's thread has ended.
    pub async fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce(Rc<Open>) -> LocalBoxFuture<'static, Result<T>> + Send + 'static,
    ) -> Result<T> {
        let (sender, done) = oneshot::channel();
        let job: Job = Box::new(move |bundle| {
            Box::pin(async move {
                let _ = sender.send(work(bundle).await);
            })
        });
        let gone = || miette!("the bundle is no longer open");
        self.jobs.send(job).await.map_err(|_| gone())?;
        done.await.map_err(|_| gone())?
    }
}

impl Open {
    /// The documents. Fails if they cannot be read.
    pub async fn documents(&self) -> Result<Rc<Vec<Document>>> {
        self.engine.corpus().documents().await.into_diagnostic()
    }
}
