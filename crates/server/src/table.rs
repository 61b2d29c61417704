use axum::Router;
use axum::middleware::from_fn_with_state;
use utoipa::openapi::path::{HttpMethod, PathItem};
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};

use crate::app::App;
use crate::failure::Failure;
use crate::gate::gate;
use crate::page;
use crate::perform::{Keeping, perform};
use crate::policy::{Policy, enforce};
use crate::routes;

/// One path with handlers, and who may use them. There is no other way into the router.
pub(crate) struct Route {
    pub(crate) policy: Policy,
    keeping: Keeping,
    handlers: UtoipaMethodRouter<App>,
}

/// What the table says of one method of one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoutePolicy {
    /// Such as `GET`.
    pub method: &'static str,
    /// Such as `/api/v1/sessions/{id}`.
    pub path: String,
    /// Who may use it: `public`, `caller`, `owner` or `own session`.
    pub policy: &'static str,
}

impl Route {
    pub(crate) fn new(policy: Policy, handlers: UtoipaMethodRouter<App>) -> Self {
        Self { policy, keeping: Keeping::Kept, handlers }
    }

    /// The same route, whose answers are secrets and never kept.
    pub(crate) fn secret(mut self) -> Self {
        self.keeping = Keeping::Secret;
        self
    }

    /// Paths and methods of the route.
    pub(crate) fn operations(&self) -> Vec<(&'static str, String)> {
        let paths = self.handlers.1.paths.iter();
        paths.flat_map(|(path, item)| methods(item).map(|m| (m, path.clone()))).collect()
    }
}

/// Every route with its policy, one line for each method.
#[must_use]
pub fn route_policies() -> Vec<RoutePolicy> {
    let mut list = vec![];
    for route in routes::all() {
        let policy = match route.policy {
            Policy::Public => "public",
            Policy::Caller => "caller",
            Policy::Owner | Policy::OwnerSocket => "owner",
            Policy::OwnSession => "own session",
        };
        for (method, path) in route.operations() {
            list.push(RoutePolicy { method, path, policy });
        }
    }
    list
}

/// The whole of what is served, on every listener.
pub(crate) fn router(app: &App) -> Router {
    let mut built = OpenApiRouter::<App>::new();
    for route in routes::all() {
        let (schemas, paths, handlers) = route.handlers;
        // The last layer is the first that a request meets: who asks comes before the body.
        let handlers = handlers
            .layer(from_fn_with_state((app.clone(), route.keeping), perform))
            .layer(from_fn_with_state((app.clone(), route.policy), enforce));
        built = built.routes((schemas, paths, handlers));
    }
    let (router, _) = built.split_for_parts();
    router
        .fallback(page::page)
        .method_not_allowed_fallback(method_not_allowed)
        .layer(from_fn_with_state(app.clone(), gate))
        .with_state(app.clone())
}

/// The operations of the table, as they are documented by their handlers.
pub(crate) fn documented() -> (Vec<Route>, utoipa::openapi::OpenApi) {
    let mut built = OpenApiRouter::<App>::new();
    for route in routes::all() {
        built = built.routes(route.handlers);
    }
    (routes::all(), built.into_openapi())
}

pub(crate) fn methods(item: &PathItem) -> impl Iterator<Item = &'static str> {
    [
        (HttpMethod::Get, item.get.is_some()),
        (HttpMethod::Post, item.post.is_some()),
        (HttpMethod::Patch, item.patch.is_some()),
        (HttpMethod::Delete, item.delete.is_some()),
    ]
    .into_iter()
    .filter(|(_, there)| *there)
    .map(|(method, _)| match method {
        HttpMethod::Post => "POST",
        HttpMethod::Patch => "PATCH",
        HttpMethod::Delete => "DELETE",
        _ => "GET",
    })
}

async fn method_not_allowed() -> Failure {
    qd_core::Problem::new(
        qd_core::Code::MethodNotAllowed,
        "That address does not take this method.",
        "The header `Allow` lists those that it takes.",
    )
    .into()
}

#[cfg(test)]
mod tests;
