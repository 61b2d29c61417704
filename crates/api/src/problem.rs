use qd_core::Problem;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// An error, as RFC 9457 `application/problem+json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProblemBody {
    /// `about:blank`: the code says what it is.
    #[serde(rename = "type")]
    pub kind: String,
    /// The sentence for people.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// Stable name of the kind; `docs/problems.md` lists them.
    pub code: String,
    /// What to do next.
    pub hint: String,
    /// The field of the request that it concerns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
}

impl ProblemBody {
    /// The body for a problem that is answered with `status`.
    #[must_use]
    pub fn new(problem: &Problem, status: u16) -> Self {
        Self {
            kind: "about:blank".to_owned(),
            title: problem.message.clone(),
            status,
            code: problem.code.as_str().to_owned(),
            hint: problem.hint.clone(),
            field: problem.field.clone(),
        }
    }

    /// The problem that the body tells of; an unknown code reads as internal.
    #[must_use]
    pub fn into_problem(self) -> Problem {
        let code = serde_json::from_value(serde_json::Value::String(self.code))
            .unwrap_or(qd_core::Code::Internal);
        Problem { code, message: self.title, hint: self.hint, field: self.field }
    }
}
