//! `dataset fetch` from a publisher on loopback: CISI, which has no known hash, made here; SQuAD, whose hash nothing here has.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::project::{Outcome, Project};
use crate::socket::{Sent, Socket};
use crate::tls::TlsServer;

const FOLDER: &str = "datasets/fetched";

/// Text that hardly shrinks, so that there is something to break off: the digits of a linear congruential generator (Knuth's MMIX).
fn noise(seed: u64) -> String {
    let mut state = seed;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("{:08x}", state >> 32)
    };
    (0..20_000).map(|_| next()).collect()
}

fn tar_gz(files: &[(&str, &str)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
    for (name, content) in files {
        let mut header = tar::Header::new_gnu();
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(content.len() as u64);
        header.set_cksum();
        builder.append(&header, content.as_bytes()).expect("in memory");
    }
    builder.into_inner().and_then(GzEncoder::finish).expect("in memory")
}

fn cisi(seed: u64) -> Vec<u8> {
    tar_gz(&[
        ("cisi/CISI.ALL", &noise(seed)),
        ("cisi/CISI.QRY", "queries"),
        ("cisi/CISI.REL", "judgments"),
    ])
}

/// A head that promises `length` bytes, and these bytes.
fn sends(status: &str, headers: &[String], length: usize, body: &[u8]) -> Vec<u8> {
    let headers: String = headers.iter().flat_map(|header| [header.as_str(), "\r\n"]).collect();
    let head = format!("HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\n\r\n");
    [head.as_bytes(), body].concat()
}

fn etag(name: &str) -> Vec<String> {
    vec![format!("etag: \"{name}\"")]
}

fn whole(version: &str, body: &[u8]) -> Sent {
    Sent::Bytes(sends("200 OK", &etag(version), body.len(), body))
}

/// The whole is promised, and half of it sent.
fn half(version: &str, body: &[u8]) -> Vec<u8> {
    sends("200 OK", &etag(version), body.len(), &body[..body.len() / 2])
}

/// What a request says of `name`.
fn header(request: &str, name: &str) -> Option<String> {
    let field =
        |line: &str| line.to_lowercase().strip_prefix(&format!("{name}: ")).map(str::to_owned);
    request.lines().find_map(field)
}

/// The first byte that a request asks for, where it asks for a part.
fn asked_from(request: &str) -> Option<usize> {
    let range = header(request, "range")?;
    range.strip_prefix("bytes=")?.strip_suffix('-')?.parse().ok()
}

fn url(server: &Socket) -> String {
    format!("{}/cisi.tar.gz", server.base_url())
}

fn fetch(project: &Project, server: &Socket) -> Outcome {
    project.call(&["dataset", "fetch", "cisi", "--url", &url(server)])
}

/// The names in datasets/fetched, hidden ones too.
fn left(project: &Project) -> Vec<String> {
    let entries = fs::read_dir(project.path(FOLDER)).expect("a folder");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// The set of `seed` is in place, and nothing else.
fn assert_whole(project: &Project, outcome: &Outcome, seed: u64) {
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert_eq!(left(project), ["cisi"]);
    assert_eq!(project.read(&format!("{FOLDER}/cisi/CISI.ALL")), noise(seed));
    assert_eq!(project.read(&format!("{FOLDER}/cisi/CISI.REL")), "judgments");
}

#[test]
fn a_set_is_fetched_with_its_licence_and_its_hash_told() {
    let project = Project::of(&[]);
    let archive = cisi(1);
    let sent = archive.clone();
    let server = Socket::start(move |_| whole("v1", &sent));
    let outcome = fetch(&project, &server);
    assert_whole(&project, &outcome, 1);
    let lines: Vec<&str> = outcome.stderr.lines().collect();
    assert_eq!(lines[0], "cisi is in datasets/fetched/cisi (licence: none stated, for research)");
    let said =
        format!("not verified, no hash is published: the file of {} has sha256 ", url(&server));
    assert!(
        lines[1].starts_with(&said) && lines[1].len() == said.len() + 64 && lines.len() == 2,
        "{lines:?}"
    );
    assert_eq!(outcome.stdout, "");
    let request = server.requests().remove(0);
    assert_eq!(
        (header(&request, "accept-encoding").as_deref(), asked_from(&request)),
        (Some("identity"), None)
    );
}

#[test]
fn what_is_not_there_is_said_at_once_and_what_fails_for_a_moment_is_tried_again() {
    let project = Project::of(&[]);
    let gone = Socket::start(|_| Sent::Bytes(sends("404 Not Found", &[], 0, b"")));
    let error = format!("error: `{}` answered with status 404: Not Found", url(&gone));
    project.refuses_with_some_hint(&["dataset", "fetch", "cisi", "--url", &url(&gone)], &error);
    assert_eq!((gone.requests().len(), left(&project)), (1, Vec::new()));

    let (archive, n_calls) = (cisi(1), AtomicUsize::new(0));
    let server = Socket::start(move |_| match n_calls.fetch_add(1, Ordering::Relaxed) {
        0 => Sent::Bytes(sends("500 Internal Server Error", &[], 0, b"")),
        1 => Sent::Bytes(sends("429 Too Many Requests", &["retry-after: 0".into()], 0, b"")),
        _ => whole("v1", &archive),
    });
    assert_whole(&project, &fetch(&project, &server), 1);
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn a_wrong_hash_leaves_nothing() {
    let project = Project::of(&[]);
    let server = Socket::start(|_| whole("v1", b"{}"));
    // sha256 of "{}" by sha256sum.
    let error = format!(
        "error: the response of `{}` has sha256 44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a, \
         expected 95aa6a52d5d6a735563366753ca50492a658031da74f301ac5238b03966972c9",
        url(&server)
    );
    project.refuses_with_some_hint(&["dataset", "fetch", "squad", "--url", &url(&server)], &error);
    assert_eq!(left(&project), [""; 0]);
}

#[test]
fn redirects_are_followed_to_the_end_of_their_way() {
    let (project, archive) = (Project::of(&[]), cisi(1));
    let server = Socket::start(move |request| match request.split(' ').nth(1) {
        Some("/v1/cisi.tar.gz") => {
            Sent::Bytes(sends("302 Found", &["location: /elsewhere".into()], 0, b""))
        }
        _ => whole("v1", &archive),
    });
    assert_whole(&project, &fetch(&project, &server), 1);

    let project = Project::of(&[]);
    let circle = Socket::start(|_| {
        Sent::Bytes(sends("302 Found", &["location: /v1/cisi.tar.gz".into()], 0, b""))
    });
    let error = format!(
        "error: the redirect of `{}` is not followed: the redirects form a loop",
        url(&circle)
    );
    project.refuses_with_some_hint(&["dataset", "fetch", "cisi", "--url", &url(&circle)], &error);
}

#[test]
fn a_redirect_takes_no_token_along() {
    let (project, archive) = (Project::of(&[]), cisi(1));
    let elsewhere = Socket::start(move |_| whole("v1", &archive));
    let headers = [format!("location: {}", url(&elsewhere))];
    let server = Socket::start(move |_| Sent::Bytes(sends("302 Found", &headers, 0, b"")));
    let address = format!("{}?token=secret", url(&server));
    assert_whole(&project, &project.call(&["dataset", "fetch", "cisi", "--url", &address]), 1);
    assert!(server.requests()[0].starts_with("GET /v1/cisi.tar.gz?token=secret "));
    let request = elsewhere.requests().remove(0);
    assert_eq!(header(&request, "referer"), None);
    assert!(!request.contains("secret"), "{request}");
}

#[test]
fn a_redirect_is_not_followed_with_a_password() {
    let project = Project::of(&[]);
    let server = Socket::start(|_| {
        Sent::Bytes(sends("302 Found", &["location: /elsewhere".into()], 0, b""))
    });
    let address = url(&server).replacen("://", "://user:pass@", 1);
    let reason = "the user name and password in the address would be sent along";
    let error = format!("error: the redirect of `{}` is not followed: {reason}", url(&server));
    project.refuses_with_some_hint(&["dataset", "fetch", "cisi", "--url", &address], &error);
    let requests = server.requests();
    assert_eq!((requests.len(), header(&requests[0], "authorization").is_some()), (1, true));
    assert_eq!(left(&project), [""; 0]);
    project.refuses(
        &["dataset", "fetch", "cisi", "--url", "http://user:pass@example.invalid/cisi.tar.gz"],
        &[
            "error: the key would be sent unencrypted to `example.invalid`",
            "hint: use `https`; plain `http` with a key is for this machine only",
        ],
    );
    assert_eq!(left(&project), [""; 0]);
}

#[test]
fn a_redirect_that_gives_up_encryption_is_not_followed() {
    let project = Project::of(&[]);
    let plain = Socket::start(|_| whole("v1", b""));
    let server = TlsServer::redirecting("localhost", &url(&plain));
    project.write("ca.pem", &server.authority);
    let address = format!("https://localhost:{}/cisi.tar.gz", server.port);
    let mut command = project.command(&["dataset", "fetch", "cisi", "--url", &address]);
    let output = command.env("SSL_CERT_FILE", project.path("ca.pem")).output().expect("starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    let error = format!(
        "error: the redirect of `{address}` is not followed: it leads from `https` to `http`\n"
    );
    assert!(stderr.starts_with(&error), "{stderr}");
    assert_eq!((server.requests().len(), plain.requests().len()), (1, 0));
}

#[test]
fn a_server_that_always_breaks_off_at_the_same_place_is_given_up() {
    let (project, archive) = (Project::of(&[]), cisi(1));
    let server = Socket::start(move |_| Sent::Bytes(half("v1", &archive)));
    let outcome = fetch(&project, &server);
    assert_eq!(outcome.code, 2);
    let said =
        format!("error: after 5 tries: the connection to `{}` was interrupted: ", url(&server));
    assert!(outcome.stderr.starts_with(&said), "{}", outcome.stderr);
    // The first brought something, the other four nothing new.
    assert_eq!(server.requests().len(), 5);
    assert_eq!(left(&project), [""; 0]);
}

#[test]
fn a_body_that_does_not_end_and_one_that_says_so_are_cut_off() {
    let piece = vec![b'x'; 1 << 16];
    let endless = Socket::start(move |_| {
        Sent::Endless(b"HTTP/1.1 200 OK\r\netag: \"v1\"\r\n\r\n".to_vec(), piece.clone())
    });
    let promised = Socket::start(|_| Sent::Bytes(sends("200 OK", &[], (32 << 20) + 1, b"")));
    for server in [endless, promised] {
        let project = Project::of(&[]);
        let error = format!("error: the response of `{}` is larger than 32 MiB", url(&server));
        project
            .refuses_with_some_hint(&["dataset", "fetch", "cisi", "--url", &url(&server)], &error);
        assert_eq!((server.requests().len(), left(&project)), (1, Vec::new()));
    }
}

#[test]
fn archives_that_are_hostile_incomplete_or_none_leave_nothing() {
    let hostile =
        tar_gz(&[("CISI.ALL", "a"), ("CISI.QRY", "q"), ("CISI.REL", "r"), ("../../escaped", "x")]);
    let incomplete = tar_gz(&[("CISI.ALL", "a"), ("CISI.QRY", "q")]);
    for (archive, part) in [
        (hostile, "entry `../../escaped` leads out of the folder"),
        (incomplete, "has no `CISI.REL`"),
        (b"<html>gone</html>".to_vec(), "not an archive, or damaged: "),
    ] {
        let project = Project::of(&[]);
        let server = Socket::start(move |_| whole("v1", &archive));
        let outcome = fetch(&project, &server);
        assert!(outcome.code == 2 && outcome.stderr.contains(part), "{}", outcome.stderr);
        assert_eq!(left(&project), [""; 0]);
        assert!(!project.path("escaped").exists() && !project.path("datasets/escaped").exists());
    }
}

#[test]
fn a_set_that_is_there_is_replaced_by_force_only_and_nothing_is_asked_before() {
    let project = Project::of(&[("datasets/fetched/cisi/old", "mine")]);
    let archive = cisi(1);
    let server = Socket::start(move |_| whole("v1", &archive));
    project.refuses(
        &["dataset", "fetch", "cisi", "--url", &url(&server)],
        &[
            "error: `datasets/fetched/cisi` already exists",
            "hint: choose another path, or replace it with `--force`",
        ],
    );
    assert_eq!(
        (server.requests().len(), project.read("datasets/fetched/cisi/old").as_str()),
        (0, "mine")
    );
    let outcome = project.call(&["dataset", "fetch", "cisi", "--force", "--url", &url(&server)]);
    assert_whole(&project, &outcome, 1);
    assert!(!project.path("datasets/fetched/cisi/old").exists());
}

#[test]
fn what_cannot_be_fetched_is_told_without_a_call() {
    let project = Project::of(&[("datasets/fetched", "a file")]);
    project.refuses(
        &["dataset", "fetch", "trec_eval"],
        &[
            "error: no download address of `trec_eval` is known",
            "hint: name a copy with `--from PATH`",
        ],
    );
    project.refuses_with_some_hint(
        &["dataset", "fetch", "cisi", "--url", "ftp://h/cisi.tar.gz"],
        "error: the address must begin with `http://` or `https://`",
    );
    let outcome =
        project.call(&["dataset", "fetch", "cisi", "--url", "http://127.0.0.1:9/cisi.tar.gz"]);
    assert!(
        outcome.stderr.starts_with("error: cannot read or write `datasets/fetched`: "),
        "{}",
        outcome.stderr
    );
}
