//! AbortSignal: an aborted call stops at once, and what it was loading is dropped.

use super::error::aborted;
use futures::channel::oneshot;
use futures::future::{Either, select};
use std::future::Future;
use std::pin::pin;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::AbortSignal;

/// Listens while it lives.
struct Listener {
    signal: AbortSignal,
    closure: Closure<dyn FnMut()>,
}

impl Drop for Listener {
    fn drop(&mut self) {
        let _ = self.signal.remove_event_listener_with_callback("abort", self.closure.as_ref().unchecked_ref());
    }
}

/// Runs `work` until it ends or `signal` aborts; then `work` is dropped, and with it its requests.
///
/// # Errors
/// What `work` throws, or the abort error.
pub async fn until_aborted<T>(signal: Option<AbortSignal>, work: impl Future<Output = Result<T, JsValue>>) -> Result<T, JsValue> {
    let Some(signal) = signal else { return work.await };
    if signal.aborted() {
        return Err(aborted());
    }
    let (send, abort) = oneshot::channel::<()>();
    let mut send = Some(send);
    let closure = Closure::<dyn FnMut()>::new(move || {
        if let Some(send) = send.take() {
            let _ = send.send(());
        }
    });
    signal.add_event_listener_with_callback("abort", closure.as_ref().unchecked_ref())?;
    let _listener = Listener { signal, closure };
    match select(pin!(work), abort).await {
        Either::Left((done, _)) => done,
        Either::Right(_) => Err(aborted()),
    }
}
