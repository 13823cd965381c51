pub mod commands;
pub mod invitation;
pub mod page;
pub mod record;
