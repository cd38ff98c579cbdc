//! Servers on loopback behind TLS, and behind a proxy: certificates are made for each test.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use rcgen::{BasicConstraints, Certificate, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::socket::{answer, length};

/// A TLS server that answers every request with the same completion; its threads end with the process.
pub struct TlsServer {
    pub port: u16,
    /// Its authority's certificate, PEM.
    pub authority: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl TlsServer {
    /// A server whose certificate is for `host`.
    pub fn start(host: &str, reply: &str) -> Self {
        Self::listen(host, answer("200 OK", &["connection: close"], reply), false)
    }

    /// A proxy that is told `CONNECT` first and is that server then itself.
    pub fn behind_proxy(host: &str, reply: &str) -> Self {
        Self::listen(host, answer("200 OK", &["connection: close"], reply), true)
    }

    /// One whose certificate is by itself: with `is_ca` that of an authority, as `openssl req -x509` makes them.
    pub fn self_signed(host: &str, reply: &str, is_ca: bool) -> Self {
        let (key, mut params) = authority(host);
        if !is_ca {
            params.is_ca = IsCa::NoCa;
        }
        let certificate = params.self_signed(&key).expect("signed");
        let pair = (configured(&certificate, &key), certificate.pem());
        Self::serving(pair, answer("200 OK", &["connection: close"], reply), false)
    }

    fn listen(host: &str, reply: Vec<u8>, is_proxy: bool) -> Self {
        Self::serving(certified(host), reply, is_proxy)
    }

    fn serving(
        (config, authority): (Arc<ServerConfig>, String),
        reply: Vec<u8>,
        is_proxy: bool,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (config, seen, reply) = (Arc::clone(&config), Arc::clone(&seen), reply.clone());
                thread::spawn(move || {
                    serve(stream.expect("a connection"), config, is_proxy, &seen, &reply)
                });
            }
        });
        Self { port, authority, requests }
    }

    /// What was received until now; of a client that does not trust the certificate there is nothing.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().expect("no holder panics").clone()
    }
}

/// A certificate for `host` by an authority of its own, and that authority's.
fn certified(host: &str) -> (Arc<ServerConfig>, String) {
    let (key, params) = authority("authority");
    let authority = params.self_signed(&key).expect("signed");
    let issuer = Issuer::new(params, key);
    let server_key = KeyPair::generate().expect("a key");
    let names = CertificateParams::new(vec![host.to_owned()]).expect("a name");
    let certificate = names.signed_by(&server_key, &issuer).expect("signed");
    (configured(&certificate, &server_key), authority.pem())
}

fn authority(host: &str) -> (KeyPair, CertificateParams) {
    let mut params = CertificateParams::new(vec![host.to_owned()]).expect("a name");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    (KeyPair::generate().expect("a key"), params)
}

fn configured(certificate: &Certificate, key: &KeyPair) -> Arc<ServerConfig> {
    let secret = PrivateKeyDer::try_from(key.serialize_der()).expect("PKCS#8");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config =
        ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.expect("versions").with_no_client_auth();
    let config = config.with_single_cert(vec![certificate.der().clone()], secret).expect("a pair");
    Arc::new(config)
}

fn serve(
    mut stream: TcpStream,
    config: Arc<ServerConfig>,
    is_proxy: bool,
    seen: &Mutex<Vec<String>>,
    reply: &[u8],
) -> Option<()> {
    if is_proxy {
        let asked = read(&mut stream)?;
        seen.lock().expect("no holder panics").push(asked);
        stream.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").ok()?;
    }
    let mut stream =
        StreamOwned::new(ServerConnection::new(config).expect("a configuration"), stream);
    let request = read(&mut stream)?;
    seen.lock().expect("no holder panics").push(request);
    stream.write_all(reply).ok()?;
    stream.conn.send_close_notify();
    stream.flush().ok()
}

/// One request; `None` where the other side closes first.
fn read(stream: &mut impl Read) -> Option<String> {
    let (mut bytes, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        let n = stream.read(&mut piece).ok().filter(|n| *n > 0)?;
        bytes.extend_from_slice(&piece[..n]);
        let text = String::from_utf8_lossy(&bytes);
        if length(&text).is_some_and(|length| bytes.len() >= length) {
            return Some(text.into_owned());
        }
    }
}
