//! The site: routes, pages and forms.
//!
//! A handler is thin: it reads the request ([`request::RequestContext`], [`submission::Submission`]), asks the application,
//! and fills in a template. Every error is an [`answer::Failure`]; [`middleware`] makes a page of it. Refused forms
//! come back filled in; see [`problems`].

mod account;
mod admin;
mod again;
mod analysis;
mod answer;
mod assets;
mod audit;
mod beside;
mod carried;
mod class;
mod connections;
mod cookies;
mod fields;
mod forwarded;
mod games;
mod home;
mod learn;
mod lesson;
mod live;
mod lobby;
mod mail_settings;
mod matches;
mod message;
mod middleware;
mod once;
mod opening;
mod own_cards;
mod packed;
mod page_cache;
mod pager;
mod pictures;
mod places;
mod player;
mod problems;
mod prove;
mod pupil;
mod qr;
mod request;
mod rounds;
mod routes;
mod rulebook;
mod second_factor;
mod server;
mod session;
mod sign;
mod steps;
mod streams;
mod submission;
mod table;
mod team;
mod turn_form;
mod untranslated;

pub use routes::configure;
pub use server::{HEAD, serve};
