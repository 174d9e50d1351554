//! Errors as JavaScript sees them: an `Error` with a stable `code`.

use crate::engine::EngineError;
use wasm_bindgen::JsValue;

/// An `Error` with a `code`.
pub fn with_code(code: &str, message: &str) -> JsValue {
    let error = js_sys::Error::new(message);
    let _ = js_sys::Reflect::set(&error, &"code".into(), &code.into());
    error.into()
}

/// What an aborted call throws.
pub fn aborted() -> JsValue {
    with_code("aborted", "the call was aborted")
}

/// The engine's error.
pub fn engine(e: &EngineError) -> JsValue {
    with_code(e.code(), &e.to_string())
}

/// An option or argument of the wrong shape.
pub fn bad_argument(e: impl std::fmt::Display) -> JsValue {
    with_code("bad-argument", &e.to_string())
}
