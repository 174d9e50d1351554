//! A run on disk: weights, the optimiser's memory and what was measured so far.

use super::adam::Moments;
use super::parameters::Layout;
use miette::{Context, IntoDiagnostic, Result, miette};
use pocketgraph::embed::decode_floats;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs;
use std::path::Path;

const FILE: &str = "checkpoint.safetensors";

/// One evaluation on the held-out set.
pub trait Measure: Clone + Serialize + DeserializeOwned {
    /// Returns the value by which the best weights are chosen: more is better.
    fn value(&self) -> f64;
}

/// A run.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint<P> {
    /// The weights now.
    pub parameters: Vec<f32>,
    /// The weights that were best.
    pub best: Vec<f32>,
    /// Steps done.
    pub step: u64,
    /// Texts trained on.
    pub seen: u64,
    /// Seconds of training.
    pub seconds: f64,
    /// All evaluations so far.
    pub points: Vec<P>,
    /// Moments of the optimiser.
    pub moments: Moments,
}

/// The numbers of a run that are no arrays.
#[derive(Serialize, Deserialize)]
struct Notes<P> {
    step: u64,
    seen: u64,
    seconds: f64,
    adam_steps: u64,
    points: Vec<P>,
}

impl<P: Measure> Checkpoint<P> {
    /// A run that begins with these weights.
    pub fn new(parameters: Vec<f32>) -> Checkpoint<P> {
        Checkpoint {
            best: parameters.clone(),
            moments: Moments::new(parameters.len()),
            parameters,
            step: 0,
            seen: 0,
            seconds: 0.0,
            points: Vec::new(),
        }
    }

    /// Records an evaluation, and the weights where they are the best so far.
    pub fn point(&mut self, point: P) {
        let better = self.points.iter().all(|p| point.value() > p.value());
        self.points.push(point);
        if better {
            self.best.clone_from(&self.parameters);
        }
    }

    /// Evaluations since the best.
    pub fn since_best(&self) -> usize {
        let best = (0..self.points.len())
            .reduce(|best, i| if self.points[i].value() > self.points[best].value() { i } else { best });
        best.map_or(0, |best| self.points.len() - 1 - best)
    }

    /// Writes the run into a folder, in place of what it held; nothing without a folder.
    pub fn save(&self, folder: Option<&Path>) -> Result<()> {
        let Some(folder) = folder else { return Ok(()) };
        fs::create_dir_all(folder)
            .into_diagnostic()
            .wrap_err_with(|| format!("making {}", folder.display()))?;
        let notes = Notes {
            step: self.step,
            seen: self.seen,
            seconds: self.seconds,
            adam_steps: self.moments.steps,
            points: self.points.clone(),
        };
        let notes = serde_json::to_string(&notes).into_diagnostic()?;
        let arrays = [
            ("parameters", &self.parameters),
            ("best", &self.best),
            ("mean", &self.moments.mean),
            ("square", &self.moments.square),
        ];
        let bytes: Vec<(&str, Vec<u8>)> =
            arrays.map(|(n, v)| (n, v.iter().flat_map(|x| x.to_le_bytes()).collect())).into();
        let views: Vec<_> = bytes
            .iter()
            .map(|(n, b)| Ok((*n, TensorView::new(Dtype::F32, vec![b.len() / 4], b)?)))
            .collect::<Result<_, safetensors::SafeTensorError>>()
            .into_diagnostic()?;
        let file = safetensors::serialize(views, Some(HashMap::from([("run".to_owned(), notes)])))
            .into_diagnostic()?;
        let (new, path) = (folder.join("checkpoint.new"), folder.join(FILE));
        let write = fs::write(&new, file).and_then(|()| fs::rename(&new, &path));
        write.into_diagnostic().wrap_err_with(|| format!("writing {}", path.display()))
    }

    /// The run that a folder holds; `None` where it holds none.
    ///
    /// # Errors
    /// When it cannot be read, or is a run of a network of other sizes.
    pub fn load(folder: &Path, layout: &Layout) -> Result<Option<Checkpoint<P>>> {
        let path = folder.join(FILE);
        if !path.exists() {
            return Ok(None);
        }
        let describe = || format!("reading {}", path.display());
        let bytes = fs::read(&path).into_diagnostic().wrap_err_with(describe)?;
        let (_, metadata) = SafeTensors::read_metadata(&bytes).into_diagnostic().wrap_err_with(describe)?;
        let notes = metadata
            .metadata()
            .as_ref()
            .and_then(|m| m.get("run"))
            .ok_or_else(|| miette!("{} holds no run", path.display()))?;
        let notes: Notes<P> = serde_json::from_str(notes).into_diagnostic().wrap_err_with(describe)?;
        let tensors = SafeTensors::deserialize(&bytes).into_diagnostic().wrap_err_with(describe)?;
        let array = |name: &str| -> Result<Vec<f32>> {
            let t = tensors.tensor(name).into_diagnostic().wrap_err_with(describe)?;
            if t.dtype() != Dtype::F32 || t.shape() != [layout.len] {
                return Err(miette!("{} is a run of a network of other sizes", path.display()));
            }
            Ok(decode_floats(t.data()))
        };
        Ok(Some(Checkpoint {
            parameters: array("parameters")?,
            best: array("best")?,
            moments: Moments { mean: array("mean")?, square: array("square")?, steps: notes.adam_steps },
            step: notes.step,
            seen: notes.seen,
            seconds: notes.seconds,
            points: notes.points,
        }))
    }
}
