//! The migrations are compiled in: a new one must make Cargo build again.

fn main() {
    println!("cargo::rerun-if-changed=migrations");
}
