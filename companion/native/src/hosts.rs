//! Hosts that are this machine.

use std::net::IpAddr;

/// Returns true if a host from an address or a `Host` header is this machine, on any port.
pub fn is_this_machine(host: &str) -> bool {
    let name = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, port)) if port.is_empty() || is_port(port) => address,
        Some(_) => return false,
        None => match host.split_once(':') {
            Some((name, port)) if !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) => name,
            Some(_) => return false,
            None => host,
        },
    };
    let lower = name.to_ascii_lowercase();
    lower == "localhost"
        || lower.ends_with(".localhost")
        || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

fn is_port(text: &str) -> bool {
    text.strip_prefix(':')
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_accepted() {
        for host in [
            "localhost",
            "LOCALHOST:8080",
            "127.0.0.1:1",
            "127.8.9.1",
            "[::1]",
            "[::1]:8080",
            "app.localhost:80",
        ] {
            assert!(is_this_machine(host), "{host}");
        }
        for host in [
            "",
            "example.com",
            "127.0.0.1.example.com",
            "localhost.example.com",
            "[::1",
            "[::1]x",
            "localhost:",
            "localhost:80:80",
            "10.0.0.1",
            "evil@localhost",
            "notlocalhost",
            "[::2]:80",
        ] {
            assert!(!is_this_machine(host), "{host}");
        }
    }
}
