#![doc = include_str!("../README.md")]

mod chunker;
mod embedder;

use pyo3::prelude::*;

/// The native half of the Python module.
#[pymodule]
fn _pocketgraph(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(embedder::has_weights, module)?)?;
    module.add_function(wrap_pyfunction!(embedder::bring_weights, module)?)?;
    module.add_class::<chunker::Chunker>()?;
    module.add_class::<embedder::Embedder>()
}
