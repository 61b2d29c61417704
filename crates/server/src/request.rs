//! Extractors that answer a request of the wrong form with a problem that names the field.

use axum::extract::rejection::QueryRejection;
use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use bytes::Bytes;
use qd_core::{Action, Code, Problem};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::app::App;
use crate::failure::Failure;

/// A JSON body.
pub(crate) struct JsonBody<T>(pub(crate) T);

/// The query of the address.
pub(crate) struct Query<T>(pub(crate) T);

/// The `{id}` of the address, percent-decoded.
pub(crate) struct PathId(pub(crate) String);

/// What the path of a route with an id says.
#[derive(serde::Deserialize)]
struct Named {
    id: String,
}

impl FromRequestParts<App> for PathId {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Failure> {
        match Path::<Named>::from_request_parts(parts, app).await {
            Ok(Path(named)) => Ok(Self(named.id)),
            Err(rejection) => {
                let hint = "Percent-encode the id as UTF-8.";
                Err(Problem::new(Code::BadRequest, rejection.body_text(), hint).on("id").into())
            }
        }
    }
}

/// What the path of a route says that is to be done to a session.
pub(crate) struct PathAction(pub(crate) Action);

#[derive(serde::Deserialize)]
struct Acted {
    action: String,
}

impl FromRequestParts<App> for PathAction {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Failure> {
        let path = Path::<Acted>::from_request_parts(parts, app).await;
        // To the trash is DELETE.
        let named = |word: &str| {
            Action::ALL.into_iter().find(|a| *a != Action::Trash && a.as_str() == word)
        };
        path.ok().and_then(|Path(path)| named(&path.action)).map(Self).ok_or_else(|| {
            Problem::new(
                Code::UnknownRoute,
                "Nothing of that name can be done to a session.",
                "`/api/v1/openapi.json` lists what there is.",
            )
            .into()
        })
    }
}

impl<T: DeserializeOwned> FromRequest<App> for JsonBody<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &App) -> Result<Self, Failure> {
        if !is_json(request.headers()) {
            let problem = Problem::new(
                Code::BadRequest,
                "The body is not declared as JSON; nothing was done.",
                "Send `Content-Type: application/json`.",
            );
            return Err(Failure::with_status(problem, StatusCode::UNSUPPORTED_MEDIA_TYPE));
        }
        let bytes = Bytes::from_request(request, app).await.map_err(|rejection| {
            Problem::new(Code::BadRequest, rejection.body_text(), "Send the request again.")
        })?;
        Ok(Self(parse(&bytes)?))
    }
}

impl<T: DeserializeOwned> FromRequestParts<App> for Query<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Failure> {
        match axum::extract::Query::<T>::from_request_parts(parts, app).await {
            Ok(axum::extract::Query(value)) => Ok(Self(value)),
            Err(rejection) => Err(bad_query(&rejection).into()),
        }
    }
}

/// Reads JSON, and says which field is wrong if one is.
fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    // Serde also reads a struct from a list of its fields in order; nobody means that.
    if bytes.trim_ascii_start().first() == Some(&b'[') {
        return Err(Problem::new(
            Code::BadRequest,
            "The body is a list and not an object. Nothing was done.",
            "`/api/v1/openapi.json` says what each request takes.",
        ));
    }
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = match serde_path_to_error::deserialize(&mut reader) {
        Ok(value) => value,
        Err(error) => {
            let path = Some(error.path().to_string()).filter(|path| path != ".");
            let problem = bad_json(error.inner(), path);
            return with_whole_floats(bytes, &problem).ok_or(problem);
        }
    };
    reader.end().map_err(|error| bad_json(&error, None))?;
    Ok(value)
}

/// JSON has one kind of number: 80.0 is the integer 80, which serde does not take for one.
fn with_whole_floats<T: DeserializeOwned>(bytes: &[u8], problem: &Problem) -> Option<T> {
    fn settle(value: &mut Value) {
        match value {
            Value::Number(number) => {
                let float = number.as_f64().filter(|f| number.is_f64() && f.fract() == 0.0);
                // Written without its fraction it reads as an integer, or stays what it was.
                if let Some(whole) = float.and_then(|f| format!("{f:.0}").parse().ok()) {
                    *number = whole;
                }
            }
            Value::Array(list) => list.iter_mut().for_each(settle),
            Value::Object(map) => map.values_mut().for_each(settle),
            Value::Null | Value::Bool(_) | Value::String(_) => {}
        }
    }
    if !problem.message.contains("floating point") {
        return None;
    }
    let mut value = serde_json::from_slice(bytes).ok()?;
    settle(&mut value);
    serde_json::from_value(value).ok()
}

fn bad_json(error: &serde_json::Error, path: Option<String>) -> Problem {
    let said = error.to_string();
    let problem = Problem::new(
        Code::BadRequest,
        format!("The body cannot be read: {said}. Nothing was done."),
        "`/api/v1/openapi.json` says what each request takes.",
    );
    match named_field(&said).map(ToOwned::to_owned).or(path) {
        Some(field) => problem.on(&field),
        None => problem,
    }
}

/// The field of the two complaints for which serde has no place but the sentence.
fn named_field(said: &str) -> Option<&str> {
    let rest = ["unknown field `", "missing field `"]
        .iter()
        .find_map(|start| Some(said.split_once(start)?.1))?;
    rest.split_once('`').map(|(name, _)| name)
}

fn bad_query(rejection: &QueryRejection) -> Problem {
    let said = rejection.body_text();
    let detail = said.strip_prefix("Failed to deserialize query string: ").unwrap_or(&said);
    let problem = Problem::new(
        Code::BadRequest,
        format!("The query cannot be read: {detail}. Nothing was done."),
        "`/api/v1/openapi.json` says what each request takes.",
    );
    let field = named_field(detail).or_else(|| detail.split_once(": ").map(|(name, _)| name));
    match field {
        Some(field) => problem.on(field),
        None => problem,
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let Some(value) = headers.get(header::CONTENT_TYPE).and_then(|v| v.to_str().ok()) else {
        return false;
    };
    let kind = value.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("application/json")
}

#[cfg(test)]
mod tests {
    use super::*;
    use qd_api::{Change, Keys, NewSession, ResizeRequest};

    fn field<T: DeserializeOwned + std::fmt::Debug>(text: &str) -> Option<String> {
        let problem = parse::<T>(text.as_bytes()).unwrap_err();
        assert_eq!(problem.code, Code::BadRequest);
        problem.field
    }

    #[test]
    fn a_wrong_body_names_the_field() {
        assert_eq!(field::<NewSession>(r#"{"repo":"/r","titel":"x"}"#), Some("titel".into()));
        assert_eq!(field::<NewSession>(r#"{"repo":7}"#), Some("repo".into()));
        assert_eq!(field::<NewSession>(r#"{"tags":["a",7]}"#), Some("tags[1]".into()));
        assert_eq!(field::<Keys>("{}"), Some("keys".into()));
    }

    #[test]
    fn a_whole_number_may_be_written_with_a_fraction() {
        let size = parse::<ResizeRequest>(br#"{"cols":80.0,"rows":2.4e1}"#);
        assert_eq!(size, Ok(ResizeRequest { cols: 80, rows: 24 }));
        for bad in ["80.5", "1e300", "-80.0", "\"80\""] {
            let body = format!(r#"{{"cols":{bad},"rows":24.0}}"#);
            assert!(parse::<ResizeRequest>(body.as_bytes()).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_is_not_json_is_refused() {
        assert!(parse::<Change>(b" [null, null]").is_err());
        for bad in ["", "{", "{} x", "[]", r#"[["a"]]"#, "\u{0}", r#"{"keys":["a"],"keys":["b"]}"#]
        {
            assert_eq!(parse::<Keys>(bad.as_bytes()).unwrap_err().code, Code::BadRequest, "{bad}");
        }
    }
}
