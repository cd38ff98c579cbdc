//! Addresses that no Qdrant server serves, and servers at fault.

mod faults;

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::time::{Duration, Instant};

use super::*;
use crate::Kind;
use ragtriage_core::types::{Similarity, VectorShape};

fn spec() -> CollectionSpec {
    let vector = VectorShape { dimension: 3, similarity: Similarity::Cosine, many: false };
    CollectionSpec::new("ab".to_owned(), "dense", vector, 2)
}

fn loopback(timeout: Duration) -> (TcpListener, Server) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("bound"));
    (listener, Server { url, settings: "vector_store", api_key: None, timeout })
}

async fn refused(server: &Server) -> Error {
    match ServerStore::open_or_create(server, &spec()).await {
        Ok(_) => panic!("no Qdrant is there"),
        Err(error) => error,
    }
}

#[tokio::test]
async fn an_encrypted_address_that_nobody_serves_is_an_error_and_no_panic() {
    let (listener, server) = loopback(Duration::from_secs(10));
    drop(listener);
    let server = Server { url: server.url.replace("http://", "https://"), ..server };
    let Err(error) = ServerStore::open_or_create(&server, &spec()).await else {
        panic!("nobody is there")
    };
    assert_eq!(error.kind, Kind::Unreachable, "{error:?}");
}

#[tokio::test]
async fn a_server_that_speaks_no_grpc_is_as_good_as_none() {
    let (listener, server) = loopback(Duration::from_secs(10));
    std::thread::spawn(move || {
        for mut connection in listener.incoming().flatten() {
            let _ = connection.read(&mut [0; 24]);
            let _ = connection.write_all(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n");
        }
    });
    let error = refused(&server).await;
    assert_eq!(error.kind, Kind::Unreachable, "{error:?}");
}

#[tokio::test]
async fn a_server_that_never_answers_is_left_at_the_deadline() {
    let (listener, server) = loopback(Duration::from_millis(300));
    let _held = std::thread::spawn(move || listener.incoming().flatten().collect::<Vec<_>>());
    let began = Instant::now();
    let error = refused(&server).await;
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
    let text = error.to_string();
    assert!(
        text.contains("did not describe a collection within 0.3 s (collection `ragtriage_ab-"),
        "{text}"
    );
    assert!(text.contains(&server.url), "{text}");
}
