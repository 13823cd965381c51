use std::net::IpAddr;

use chrono_tz::Tz;
use perplex_matches::id::{AccountId, ClassId};

use crate::store::preferences::Preferences;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Viewer {
    pub id: AccountId,
    pub name: String,
    pub session: String,
    pub preferences: Preferences,
    pub is_admin: bool,
    pub class: Option<ClassId>,
    /// The duties in team matches whose walk-through was seen, separated by commas.
    pub help_seen: String,
    /// Whether the session began with a proof: not by the code of a lesson alone.
    pub proved: bool,
}

impl Viewer {
    pub fn zone(&self) -> Tz {
        self.preferences.zone()
    }
}

#[derive(Clone, Debug, Default)]
pub struct Visitor {
    pub address: String,
    pub agent: String,
    /// The proof that an account was signed in to on this device before; empty without.
    pub device: String,
    /// What tells this browser from others, whoever is signed in; empty without.
    pub browser: String,
}

impl Visitor {
    /// What limits count by: the address, or the network of it in IPv6, where one line has 2^64 addresses.
    pub fn network(&self) -> String {
        match self
            .address
            .parse::<IpAddr>()
            .map(|address| address.to_canonical())
        {
            Ok(IpAddr::V6(address)) => {
                let [a, b, c, d, ..] = address.segments();
                format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
            }
            Ok(address) => address.to_string(),
            Err(_) => self.address.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Visitor;

    #[test]
    fn one_line_is_one_network() {
        let network = |address: &str| {
            let address = address.to_owned();
            let visitor = Visitor {
                address,
                ..Visitor::default()
            };
            visitor.network()
        };
        assert_eq!(network("2001:db8:1:2::7"), network("2001:db8:1:2:ffff::9"));
        assert_ne!(network("2001:db8:1:2::7"), network("2001:db8:1:3::7"));
        assert_ne!(network("192.0.2.1"), network("192.0.2.2"));
        assert_ne!(network("::ffff:192.0.2.1"), network("::ffff:192.0.2.2"));
        assert_eq!(network("::ffff:192.0.2.1"), network("192.0.2.1"));
    }
}
