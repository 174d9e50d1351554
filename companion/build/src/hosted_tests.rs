//! Hosts that send what no host of a bundle would.

use super::*;
use pocketgraph::bundle::MANIFEST;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

const LIMIT: u64 = 1 << 20;
const PIECE: usize = 1 << 16;

/// A host that answers each request with a head and then with `pieces` pieces, and the numbers of its
/// requests and of the bytes that it sent.
struct Host {
    address: String,
    requests: Arc<AtomicUsize>,
    sent: Arc<AtomicUsize>,
}

impl Host {
    async fn new(head: &str, piece: Vec<u8>, pieces: usize, pause: Duration) -> Host {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/bundle/", listener.local_addr().unwrap());
        let (requests, sent) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (counted, bytes, head) =
            (Arc::clone(&requests), Arc::clone(&sent), format!("HTTP/1.1 {head}\r\n\r\n"));
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                counted.fetch_add(1, Relaxed);
                let _ = stream.read(&mut [0; 4096]).await;
                let _ = stream.write_all(head.as_bytes()).await;
                for _ in 0..pieces {
                    tokio::time::sleep(pause).await;
                    if stream.write_all(&piece).await.is_err() {
                        break;
                    }
                    bytes.fetch_add(piece.len(), Relaxed);
                }
            }
        });
        Host { address, requests, sent }
    }

    async fn read_error(&self) -> String {
        HostedSource::new(&self.address).unwrap().read(MANIFEST, LIMIT).await.unwrap_err().to_string()
    }
}

#[tokio::test]
async fn a_host_that_sends_without_end_or_lies_about_lengths_is_given_up_at_the_limit() {
    let endless = "200 OK";
    let longer = format!("200 OK\r\ncontent-length: {}", u64::MAX / 2);
    let unpacked = "200 OK\r\ncontent-encoding: gzip";
    for head in [endless, &longer, unpacked] {
        let host = Host::new(head, vec![b' '; PIECE], 4096, Duration::ZERO).await;
        assert_eq!(host.read_error().await, SourceError::TooLong(LIMIT).to_string(), "{head}");
        assert_eq!(host.requests.load(Relaxed), 1, "{head}");
        // What the system holds in its buffers is sent, too.
        assert!(host.sent.load(Relaxed) < 64 * PIECE, "{head}: {}", host.sent.load(Relaxed));
    }
    let shorter = Host::new("200 OK\r\ncontent-length: 1000000", vec![b' '; 10], 1, Duration::ZERO).await;
    assert!(shorter.read_error().await.starts_with("the network failed"));
}

#[tokio::test]
async fn a_bomb_that_a_host_calls_compressed_is_not_unpacked() {
    let mut bomb = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut bomb, &vec![b' '; 16 << 20]).unwrap();
    let bomb = bomb.finish().unwrap();
    let head = format!("200 OK\r\ncontent-encoding: gzip\r\ncontent-length: {}", bomb.len());
    let host = Host::new(&head, bomb.clone(), 1, Duration::ZERO).await;
    assert_eq!(HostedSource::new(&host.address).unwrap().read(MANIFEST, LIMIT).await.unwrap(), bomb);
}

#[tokio::test]
async fn a_redirect_leads_to_no_file_and_not_round_in_circles() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("private");
    std::fs::write(&file, "private").unwrap();
    let file = format!("file://{}", file.display());
    for target in [file.as_str(), "data:text/plain,private", "/bundle/manifest.json"] {
        let head = format!("302 Found\r\ncontent-length: 0\r\nlocation: {target}");
        let host = Host::new(&head, Vec::new(), 0, Duration::ZERO).await;
        let error = host.read_error().await;
        assert!(!error.contains("private"), "{target}: {error}");
        let requests = host.requests.load(Relaxed);
        assert!(requests <= TRIES as usize * (MAX_REDIRECTS + 1), "{target}: {requests}");
    }
}

#[tokio::test]
async fn a_host_that_sends_a_byte_now_and_then_is_given_up() {
    let host = Host::new("200 OK", vec![b' '], 1000, Duration::from_millis(20)).await;
    let source =
        HostedSource { stalled: Duration::from_millis(200), ..HostedSource::new(&host.address).unwrap() };
    let error = source.read(MANIFEST, LIMIT).await.unwrap_err();
    assert!(error.to_string().contains("less than 1024 bytes a second"), "{error}");
    assert_eq!(host.requests.load(Relaxed), 1);
    assert!(host.sent.load(Relaxed) < 500, "{}", host.sent.load(Relaxed));
}

#[test]
fn a_redirect_leads_to_no_host_that_is_nearer_to_this_machine() {
    let hosts = ["http://127.0.0.1/", "http://192.168.0.1/", "http://203.0.113.7/"];
    let [here, inside, elsewhere] = hosts.map(|url| Url::parse(url).unwrap());
    let targets = [
        "http://localhost:9200/x",
        "http://127.0.0.1/",
        "http://[::1]:80/",
        "http://2130706433/",
        "http://a.localhost/",
        "http://0.0.0.0/",
        "http://[::]/",
        "http://[::ffff:127.0.0.1]/",
    ];
    for target in targets {
        let url = Url::parse(target).unwrap();
        assert!(may_follow(&here, &url, 1), "{target}");
        assert!(!may_follow(&elsewhere, &url, 1) && !may_follow(&inside, &url, 1), "{target}");
    }
    let private = ["http://10.0.0.1/", "http://172.16.0.1/", "http://169.254.169.254/x", "http://[fd00::1]/"];
    for target in private {
        let url = Url::parse(target).unwrap();
        assert!(!may_follow(&elsewhere, &url, 1) && may_follow(&inside, &url, 1), "{target}");
    }
    assert!(
        may_follow(&inside, &elsewhere, MAX_REDIRECTS) && !may_follow(&inside, &elsewhere, MAX_REDIRECTS + 1)
    );
}
