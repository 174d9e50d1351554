//! The trained planner on this machine: its weights from a file, and the word vectors that the program
//! carries.

use crate::embed_bulk::NativeEmbedder;
use miette::{Context, IntoDiagnostic, Result, miette};
use pocketgraph_kg::Linker;
use pocketgraph_planner::PlannerError;
use pocketgraph_planner::model::{Grounded, ModelPlanner, PlannerModel};
use std::borrow::Cow;
use std::path::PathBuf;

/// The trained planner, as `pocketgraph train planner` made it, where the program was built with one.
static OWN: Option<&[u8]> = include!(concat!(env!("OUT_DIR"), "/planner.rs"));

/// Source of the trained planner.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum PlannerSource {
    /// The program's own, if it was built with one.
    #[default]
    Own,
    /// None.
    Nothing,
    /// That of a file.
    File(PathBuf),
}

impl PlannerSource {
    /// Parses an option: a file, `none`, or the program's own if it is left out.
    pub fn of(option: Option<&str>) -> PlannerSource {
        match option {
            None => PlannerSource::Own,
            Some("none") => PlannerSource::Nothing,
            Some(file) => PlannerSource::File(file.into()),
        }
    }
}

/// The bytes of a trained planner, known to hold one. Fails if a file cannot be read or holds no planner.
pub fn read_planner(source: &PlannerSource) -> Result<Option<Cow<'static, [u8]>>> {
    let Some(bytes) = read_source(source)? else { return Ok(None) };
    decode_model(source, &bytes)?;
    Ok(Some(bytes))
}

/// The bytes of a source, whatever they hold.
fn read_source(source: &PlannerSource) -> Result<Option<Cow<'static, [u8]>>> {
    let bytes: Cow<'static, [u8]> = match source {
        PlannerSource::Nothing => return Ok(None),
        PlannerSource::Own => match OWN {
            Some(bytes) => bytes.into(),
            None => return Ok(None),
        },
        PlannerSource::File(path) => {
            let read = std::fs::read(path)
                .into_diagnostic()
                .wrap_err_with(|| format!("{} cannot be read", path.display()))?;
            read.into()
        }
    };
    Ok(Some(bytes))
}

fn decode_model(source: &PlannerSource, bytes: &[u8]) -> Result<PlannerModel> {
    PlannerModel::decode(bytes).map_err(|e| miette!("{e}")).wrap_err_with(|| match source {
        PlannerSource::File(path) => format!("{} holds no trained planner", path.display()),
        _ => "the program's own trained planner cannot be read".to_owned(),
    })
}

/// The model of a source; `None` where there is none.
///
/// # Errors
/// As [`read_planner`].
pub fn load_planner(source: &PlannerSource) -> Result<Option<PlannerModel>> {
    read_source(source)?.map(|bytes| decode_model(source, &bytes)).transpose()
}

/// A trained planner with everything that it reads.
pub struct NativePlanner {
    model: PlannerModel,
    embedder: NativeEmbedder,
}

impl NativePlanner {
    /// The planner of a source; `None` where there is none. Fails if a file cannot be read or holds no
    /// planner.
    pub fn open(source: &PlannerSource) -> Result<Option<NativePlanner>> {
        let Some(model) = load_planner(source)? else { return Ok(None) };
        Ok(Some(NativePlanner { model, embedder: NativeEmbedder::new()? }))
    }

    /// Returns the embedder of its words.
    pub fn embedder(&self) -> &NativeEmbedder {
        &self.embedder
    }

    /// A planner for a graph.
    pub fn over<'a>(&'a self, linker: &'a Linker) -> ModelPlanner<'a> {
        ModelPlanner::new(&self.model, linker)
    }

    /// The best reading of a question.
    pub fn planned(&self, planner: &ModelPlanner<'_>, question: &str) -> Result<Grounded, PlannerError> {
        planner.planned(question, self.embedder.tokenizer(), self.embedder.words())
    }
}
