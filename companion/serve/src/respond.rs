//! Builds responses: short texts, and the headers of every answer.

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use miette::{IntoDiagnostic, WrapErr};

/// Forbids pages of other origins, other ports too, to use an answer (Fetch standard, section 3.7).
const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// Headers of every answer: no sniffing of types, no referrer to other sites, no use in another origin's
/// pages, and the Content-Security-Policy, which scripts need too: a worker obeys the policy of its own
/// script.
#[derive(Debug)]
pub(super) struct CommonHeaders {
    policy: Option<HeaderValue>,
}

impl CommonHeaders {
    /// Makes them, unless the policy has characters that a header cannot have.
    pub(super) fn new(policy: Option<&str>) -> miette::Result<CommonHeaders> {
        let policy = policy
            .map(HeaderValue::from_str)
            .transpose()
            .into_diagnostic()
            .wrap_err("the Content-Security-Policy cannot be sent as a header")?;
        Ok(CommonHeaders { policy })
    }

    pub(super) fn add_to(&self, response: &mut Response) {
        let headers = response.headers_mut();
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
        headers.insert(CROSS_ORIGIN_RESOURCE_POLICY, HeaderValue::from_static("same-origin"));
        if let Some(policy) = &self.policy {
            headers.insert(header::CONTENT_SECURITY_POLICY, policy.clone());
        }
    }
}

/// Returns a short text that is not cached: refusals and errors.
pub(super) fn plain(status: StatusCode, text: &'static str) -> Response {
    with_headers(
        status,
        &[
            (header::CONTENT_TYPE, "text/plain; charset=utf-8".to_owned()),
            (header::CACHE_CONTROL, "no-store".to_owned()),
        ],
        Body::from(text),
    )
}

pub(super) fn method_not_allowed(allowed: &'static str) -> Response {
    let mut response = plain(StatusCode::METHOD_NOT_ALLOWED, "this method is not for this address");
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allowed));
    response
}

/// Returns an answer with these headers, or a 500 if a value (of a strange file name) is no valid header.
pub(super) fn with_headers(status: StatusCode, headers: &[(HeaderName, String)], body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    for (name, value) in headers {
        match HeaderValue::from_str(value) {
            Ok(value) => {
                response.headers_mut().insert(name.clone(), value);
            }
            Err(_) => {
                let mut failed = Response::new(Body::empty());
                *failed.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
                return failed;
            }
        }
    }
    response
}
