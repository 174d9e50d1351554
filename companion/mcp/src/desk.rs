//! The bundle behind a server: one thread that owns the engine, which is not made for several, and does what it is sent.

use futures::future::LocalBoxFuture;
use miette::{IntoDiagnostic, Result, WrapErr, miette};
use pocketgraph::bundle::{Chunk, Document};
use pocketgraph::engine::Engine;
use std::path::Path;
use std::rc::Rc;
use tokio::sync::{mpsc, oneshot};
use tokio::task::LocalSet;

/// Calls that may wait for the engine; further callers wait until there is room.
const WAITING: usize = 64;

/// The section without which it is not told which chunks are a document's; bundles of before have none.
const DOCUMENT_ORDER: &str = "document-order";

type Job = Box<dyn FnOnce(Rc<Open>) -> LocalBoxFuture<'static, ()> + Send>;

/// An open bundle with what its documents hold.
pub struct Open {
    /// The engine over it.
    pub engine: Engine,
    /// Its documents.
    pub documents: Rc<Vec<Document>>,
}

/// Queue in which callers of any thread leave requests for a bundle.
#[derive(Clone)]
pub struct Desk {
    jobs: mpsc::Sender<Job>,
}

impl Desk {
    /// Opens the bundle in `folder` on a thread of its own, with the model that embeds questions where it brings one.
    ///
    /// # Errors
    /// When there is no bundle, or it cannot be read.
    pub fn open(folder: &Path, open: fn(&Path) -> Result<Engine>) -> Result<Desk> {
        let (jobs, mut waiting) = mpsc::channel::<Job>(WAITING);
        let (sender, opened) = std::sync::mpsc::channel();
        let folder = folder.to_owned();
        let work = move || {
            let ready = open(&folder).and_then(|engine| {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().into_diagnostic()?;
                let documents = runtime.block_on(engine.corpus().documents()).into_diagnostic()?;
                Ok((runtime, Rc::new(Open { engine, documents })))
            });
            let (runtime, bundle) = match ready {
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
        std::thread::Builder::new().name("bundle".to_owned()).spawn(work).into_diagnostic().wrap_err("cannot start a thread")?;
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
        let gone = || miette!("the bundle cannot be asked any more");
        self.jobs.send(job).await.map_err(|_| gone())?;
        done.await.map_err(|_| gone())?
    }
}

impl Open {
    /// The chunks of a document with their numbers, in the order in which they stand in it.
    ///
    /// # Errors
    /// When chunks cannot be read.
    pub async fn chunks_of(&self, document: u32) -> Result<Vec<(u32, Chunk)>> {
        let corpus = self.engine.corpus();
        let every = 0..u32::try_from(corpus.len()).unwrap_or(u32::MAX);
        let all: Vec<u32> = if corpus.bundle().has(DOCUMENT_ORDER) {
            let documents = corpus.documents_of_chunks().await.into_diagnostic()?;
            every.zip(documents).filter(|(_, d)| *d == document).map(|(chunk, _)| chunk).collect()
        } else {
            every.collect()
        };
        let (read, missing) = corpus.chunks(&all).await.into_diagnostic()?;
        if let Some(first) = missing.first() {
            return Err(miette!("the bundle cannot be read whole: {first}"));
        }
        let mut out: Vec<(u32, Chunk)> = read.into_iter().filter(|(_, c)| c.document == document).collect();
        out.sort_by_key(|(n, c)| (c.start, *n));
        Ok(out)
    }
}
