//! What tests with an endpoint of their own share: reading a request from a socket.

use std::io::Read;
use std::net::TcpStream;

/// The body of one HTTP request.
pub fn read_request(socket: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let n = socket.read(&mut piece).unwrap();
        bytes.extend_from_slice(&piece[..n]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|l| {
                l.to_ascii_lowercase()
                    .strip_prefix("content-length:")
                    .map(|n| n.trim().parse::<usize>().unwrap())
            });
            if body.len() >= length.unwrap_or(0) || n == 0 {
                return body.to_owned();
            }
        }
    }
}
