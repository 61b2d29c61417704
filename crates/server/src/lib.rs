//! HTTP, the event stream and the terminal WebSocket: the only crate that knows a status code.
//! It holds no state of its own; all that it answers comes from [`qd_daemon::DaemonHandle`].
//!
//! # The order of checks
//!
//! Every request passes these, in this order, before a handler sees it:
//!
//! 1. **Host** is on the list: the loopback names with the port we listen on, and the host of
//!    each `--public-url`. A page of another site that made its name point at this machine (DNS
//!    rebinding) stops here. The Unix socket has no name and skips this.
//! 2. **Origin**, if there is one, is on the list; `null` never is. A page of another origin,
//!    such as a development server that an agent started on this machine, stops here.
//! 3. **Token**, unless the route is [`policy`](table)-public: who is it, and may they? Cookies
//!    are not read and not set: browsers send them to every port of a host.
//! 4. **Body**: at most 1 MiB.
//!
//! A route cannot exist without a policy: the router is built from one table whose entries carry
//! it. A handler cannot reach the daemon without saying for whom: only the extractors of
//! [`callers`] give a handle out.
//!
//! Work that changes something runs in a task of its own that outlives the request, so that a
//! client that hangs up has asked all the same.

mod allow;
mod app;
mod auth;
mod bind;
mod callers;
mod document;
mod events;
mod failure;
mod gate;
mod page;
mod pair;
mod perform;
mod policy;
mod precondition;
mod request;
mod routes;
mod serve;
mod table;
mod terminal;
mod tls;

pub use allow::check_public_url;
pub use bind::{Bound, ListenSpec, bind};
pub use document::openapi;
pub use serve::{ServeError, ServeOptions, serve};
pub use table::{RoutePolicy, route_policies};
pub use tls::{Tls, TlsSource};
