//! Migrations, refusals.
