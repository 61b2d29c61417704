//! The OpenAPI document. What a handler's own attributes do not say is added here from the table
//! of routes, so that it cannot be forgotten: the token, the headers that every POST takes, and
//! the problems that the layers around a handler answer with.

use utoipa::OpenApi as _;
use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn, PathItem};
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Required, Response, ResponseBuilder};

use crate::failure::PROBLEM_JSON;
use crate::policy::Policy;
use crate::table::documented;

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Quarterdeck",
        description = "Mission control for terminal coding agents. \
            The daemon serves this on a loopback port and on a Unix socket.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0"),
    ),
    components(schemas(
        qd_api::ProblemBody,
        qd_api::ClientFrame,
        qd_api::ServerFrame,
        qd_api::EventRecord,
        qd_api::StreamHead,
        qd_api::GoneEvent,
        qd_api::Serving,
    )),
    tags(
        (name = "sessions", description = "Making, finding and ending sessions"),
        (name = "terminal", description = "What a session shows, and typing into it"),
        (name = "diff", description = "What a session changed"),
        (name = "events", description = "What happens"),
        (name = "choices", description = "What the create dialog offers"),
        (name = "access", description = "Who may come in"),
        (name = "daemon", description = "The daemon itself"),
    )
)]
struct Frame;

const BEARER: &str = "bearer";

/// The document of the whole API.
#[must_use]
pub fn openapi() -> utoipa::openapi::OpenApi {
    let (routes, operations) = documented();
    let mut document = Frame::openapi();
    document.merge(operations);
    for route in routes {
        for (method, path) in route.operations() {
            if let Some(item) = document.paths.paths.get_mut(&path)
                && let Some(operation) = operation_mut(item, method)
            {
                complete(operation, method, route.policy);
            }
        }
    }
    let components = document.components.get_or_insert_default();
    components.add_security_scheme(
        BEARER,
        SecurityScheme::Http(
            HttpBuilder::new()
                .scheme(HttpAuthScheme::Bearer)
                .description(Some("The owner's token, from HOME/token, or that of a device."))
                .build(),
        ),
    );
    document
}

fn complete(operation: &mut Operation, method: &str, policy: Policy) {
    if policy == Policy::Public {
        operation.security = Some(vec![]);
        if operation.request_body.is_some() {
            refuse(operation, 401, "The login code is not valid any more");
        }
    } else {
        operation.security = Some(vec![SecurityRequirement::new(BEARER, [] as [&str; 0])]);
        refuse(operation, 401, "No token, or one that is not valid");
    }
    refuse(operation, 403, "The Host, the Origin or the caller is not allowed");
    let parameters = operation.parameters.get_or_insert_default();
    for parameter in parameters.iter_mut() {
        without_null(parameter);
    }
    let has = |place: ParameterIn| {
        parameters.iter().any(|p| matches!(p, RefOr::T(p) if p.parameter_in == place))
    };
    let (path, query, header) =
        (has(ParameterIn::Path), has(ParameterIn::Query), has(ParameterIn::Header));
    let versioned = parameters.iter().any(|p| matches!(p, RefOr::T(p) if p.name == "If-Match"));
    if method == "POST" && policy != Policy::Public {
        parameters.push(RefOr::T(idempotency_key()));
    }
    let body = operation.request_body.is_some();
    if path || query || header || body || method == "POST" {
        refuse(operation, 400, "The request is not of the right form");
    }
    if path {
        refuse(operation, 404, "Nothing has that id");
    }
    if path || query || method != "GET" {
        refuse(operation, 409, "Things are not in a state for that, or several fit the id");
    }
    if versioned {
        refuse(operation, 412, "The session changed meanwhile");
    }
    if method != "GET" {
        refuse(operation, 413, "The body is larger than 1 MiB");
    }
    if body {
        refuse(operation, 415, "The body is not JSON");
    }
    if body || query {
        refuse(operation, 422, "A value can never be right");
    }
    let default = RefOr::T(problem("A fault of ours, or of the machine"));
    operation.responses.responses.entry("default".to_owned()).or_insert(default);
}

/// A parameter that may be left out has no null: in a query or a header that would be a word.
fn without_null(parameter: &mut RefOr<Parameter>) {
    if let RefOr::T(Parameter { schema: Some(RefOr::T(Schema::Object(object))), .. }) = parameter
        && let SchemaType::Array(types) = &object.schema_type
        && let Some(kind) = types.iter().find(|kind| **kind != Type::Null)
    {
        object.schema_type = SchemaType::Type(kind.clone());
    }
}

fn refuse(operation: &mut Operation, status: u16, description: &str) {
    let response = RefOr::T(problem(description));
    operation.responses.responses.entry(status.to_string()).or_insert(response);
}

fn problem(description: &str) -> Response {
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("ProblemBody"))).build();
    ResponseBuilder::new().description(description).content(PROBLEM_JSON, content).build()
}

fn idempotency_key() -> Parameter {
    let schema = ObjectBuilder::new()
        .schema_type(SchemaType::Type(Type::String))
        .min_length(Some(1))
        .max_length(Some(255))
        .pattern(Some("^[!-~]+$"))
        .build();
    ParameterBuilder::new()
        .name("Idempotency-Key")
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some("The same key for the same request: done once, answered the same"))
        .schema(Some(schema))
        .build()
}

fn operation_mut<'a>(item: &'a mut PathItem, method: &str) -> Option<&'a mut Operation> {
    match method {
        "GET" => item.get.as_mut(),
        "POST" => item.post.as_mut(),
        "PATCH" => item.patch.as_mut(),
        "DELETE" => item.delete.as_mut(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use crate::table::route_policies;

    fn document() -> Value {
        serde_json::to_value(super::openapi()).unwrap()
    }

    fn operations(document: &Value) -> Vec<(String, &Value)> {
        let mut list = vec![];
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                list.push((format!("{} {path}", method.to_uppercase()), operation));
            }
        }
        list
    }

    #[test]
    fn every_route_is_documented_once_with_a_name_of_its_own() {
        let document = document();
        assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
        let operations = operations(&document);
        let documented: BTreeSet<String> =
            operations.iter().map(|(name, _)| name.clone()).collect();
        let served: BTreeSet<String> =
            route_policies().iter().map(|r| format!("{} {}", r.method, r.path)).collect();
        assert_eq!(documented, served);
        let ids: BTreeSet<&str> =
            operations.iter().map(|(_, o)| o["operationId"].as_str().unwrap()).collect();
        assert_eq!(ids.len(), operations.len());
    }

    #[test]
    fn every_reference_leads_somewhere() {
        fn walk<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
            match value {
                Value::Object(map) => map.iter().for_each(|(key, value)| match value.as_str() {
                    Some(text) if key == "$ref" => found.push(text),
                    _ => walk(value, found),
                }),
                Value::Array(list) => list.iter().for_each(|value| walk(value, found)),
                _ => {}
            }
        }
        let document = document();
        let mut found = vec![];
        walk(&document, &mut found);
        assert!(found.len() > 50);
        for reference in found {
            let pointer = reference.strip_prefix('#').unwrap();
            assert!(document.pointer(pointer).is_some(), "{reference}");
        }
        for name in ["ClientFrame", "ServerFrame", "EventRecord", "StreamHead", "ProblemBody"] {
            assert!(document["components"]["schemas"][name].is_object(), "{name}");
        }
    }

    #[test]
    fn a_parameter_is_never_null() {
        let document = document();
        for (name, operation) in operations(&document) {
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                assert!(parameter["schema"]["type"].is_string(), "{name}: {parameter}");
            }
        }
    }

    #[test]
    fn what_a_route_may_answer_follows_from_what_it_takes() {
        let document = document();
        for (name, operation) in operations(&document) {
            let answers = operation["responses"].as_object().unwrap();
            assert!(answers.contains_key("403") && answers.contains_key("default"), "{name}");
            let public = operation["security"].as_array().unwrap().is_empty();
            assert_eq!(answers.contains_key("401"), !public || name.contains("login"), "{name}");
            assert_eq!(answers.contains_key("404"), name.contains("{id}"), "{name}");
            if operation.get("requestBody").is_some() {
                assert!(answers.contains_key("415") && answers.contains_key("413"), "{name}");
            }
            let keyed = operation["parameters"]
                .as_array()
                .is_some_and(|list| list.iter().any(|p| p["name"] == "Idempotency-Key"));
            assert_eq!(keyed, name.starts_with("POST") && !public, "{name}");
        }
    }
}
