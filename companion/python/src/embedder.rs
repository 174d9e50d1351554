//! Turns texts into vectors, bit for bit the same as the program's.

use pocketgraph_models::e5;
use pocketgraph_models::embed_bulk::{self, NativeEmbedder, weights};
use pocketgraph_models::models::Embedder as Which;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

static OWN: OnceLock<Arc<NativeEmbedder>> = OnceLock::new();

/// Returns the model of this name. The bundled one is loaded once per process.
pub fn load_model(name: &str, file: Option<PathBuf>) -> PyResult<Arc<NativeEmbedder>> {
    let load = |which: Which| which.load().map(Arc::new).map_err(|e| PyRuntimeError::new_err(e.to_string()));
    match name {
        "minilm" => match OWN.get() {
            Some(model) => Ok(Arc::clone(model)),
            None => load(Which::Own).map(|model| Arc::clone(OWN.get_or_init(|| model))),
        },
        e5::ID => load(Which::Multilingual(file)),
        other => Err(PyValueError::new_err(format!(
            "there is no embedder {other:?}; there are minilm and {}",
            e5::ID
        ))),
    }
}

/// Returns true if the weights of minilm are loaded.
#[pyfunction]
pub fn has_weights() -> bool {
    weights().is_ok()
}

/// Sets the weights of minilm, which the program carries; earlier ones stay.
#[pyfunction]
pub fn bring_weights(bytes: &[u8]) {
    embed_bulk::bring_weights(bytes);
}

/// Turns texts into unit vectors, on all cores, without holding Python's lock.
#[pyclass(frozen, module = "pocketgraph")]
pub struct Embedder {
    model: Arc<NativeEmbedder>,
}

#[pymethods]
impl Embedder {
    #[new]
    #[pyo3(signature = (name="minilm", *, file=None))]
    fn new(name: &str, file: Option<PathBuf>) -> PyResult<Self> {
        Ok(Embedder { model: load_model(name, file)? })
    }

    /// Returns the name of the model in bundles: `--embedder` of `pocketgraph build`.
    #[getter]
    fn id(&self) -> String {
        self.model.info().id
    }

    /// Returns the number of components of a vector.
    #[getter]
    fn dimension(&self) -> usize {
        self.model.dim()
    }

    /// Returns the vectors of passages, one after the other, as little-endian 32-bit floating-point numbers.
    fn bytes<'py>(&self, py: Python<'py>, texts: Vec<String>) -> Bound<'py, PyByteArray> {
        let all: Vec<u8> = py.detach(|| {
            let vectors = self.model.embed_all(&texts, &|_| {});
            vectors.iter().flatten().flat_map(|x| x.to_le_bytes()).collect()
        });
        PyByteArray::new(py, &all)
    }

    fn count(&self, text: &str) -> usize {
        self.model.count(text)
    }
}
