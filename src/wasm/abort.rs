//! AbortSignal: an aborted call stops at once, and what it was loading is dropped.

use super::error::aborted;
use futures::future::{FutureExt, LocalBoxFuture};
use std::cell::RefCell;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};
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
        let _ =
            self.signal.remove_event_listener_with_callback("abort", self.closure.as_ref().unchecked_ref());
    }
}

/// Runs `work` until it ends or `signal` aborts; then `work` is dropped, and with it its requests.
///
/// # Errors
/// The error of `work`, or the abort error.
pub async fn until_aborted(
    signal: Option<AbortSignal>,
    mut work: LocalBoxFuture<'static, Result<JsValue, JsValue>>,
) -> Result<JsValue, JsValue> {
    let Some(signal) = signal else { return work.await };
    let sleeping: Rc<RefCell<Option<Waker>>> = Rc::default();
    let wakes = Rc::clone(&sleeping);
    let closure = Closure::<dyn FnMut()>::new(move || {
        if let Some(waker) = wakes.take() {
            waker.wake();
        }
    });
    signal.add_event_listener_with_callback("abort", closure.as_ref().unchecked_ref())?;
    let listener = Listener { signal, closure };
    poll_fn(|cx| {
        if listener.signal.aborted() {
            return Poll::Ready(Err(aborted()));
        }
        *sleeping.borrow_mut() = Some(cx.waker().clone());
        work.poll_unpin(cx)
    })
    .await
}
