//! Waiting for several futures.

use futures::future::{FutureExt, LocalBoxFuture};
use std::future::poll_fn;
use std::task::Poll;

/// Number of futures in progress at once: about what a host accepts from one page, and few enough to poll.
const TOGETHER: usize = 64;

/// Waits for all futures and returns their outputs in their order.
pub async fn join_all<T>(futures: Vec<LocalBoxFuture<'_, T>>) -> Vec<T> {
    let mut out: Vec<Option<T>> = futures.iter().map(|_| None).collect();
    let mut waiting = futures.into_iter().enumerate();
    let mut under_way: Vec<(usize, LocalBoxFuture<'_, T>)> = Vec::new();
    poll_fn(|cx| {
        loop {
            under_way.extend(waiting.by_ref().take(TOGETHER - under_way.len()));
            let before = under_way.len();
            under_way.retain_mut(|(place, future)| match future.poll_unpin(cx) {
                Poll::Ready(value) => {
                    out[*place] = Some(value);
                    false
                }
                Poll::Pending => true,
            });
            if under_way.is_empty() && waiting.len() == 0 {
                return Poll::Ready(());
            }
            // Places that came free are filled at once, because a future that is never polled wakes nobody.
            if under_way.len() == before || waiting.len() == 0 {
                return Poll::Pending;
            }
        }
    })
    .await;
    out.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::channel::oneshot;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn outputs_keep_their_order_whoever_is_ready_first(
            order in (0usize..200).prop_flat_map(|n| Just((0..n).collect::<Vec<_>>()).prop_shuffle()),
        ) {
            let (send, receive): (Vec<_>, Vec<_>) = order.iter().map(|_| oneshot::channel::<usize>()).unzip();
            let mut send: Vec<_> = send.into_iter().map(Some).collect();
            let mut all = join_all(receive.into_iter().map(|r| r.map(Result::ok).boxed_local()).collect())
                .boxed_local();
            for &i in &order {
                prop_assert!((&mut all).now_or_never().is_none());
                prop_assert!(send[i].take().is_some_and(|s| s.send(i).is_ok()));
            }
            prop_assert_eq!(all.now_or_never(), Some((0..order.len()).map(Some).collect::<Vec<_>>()));
        }
    }
}
