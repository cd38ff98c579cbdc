//! Parts over loopback: which are joined to the bytes of an earlier try.

use reqwest::header::HeaderName;
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::*;

const DATE: &str = "Wed, 21 Oct 2015 07:28:00 GMT";

/// A response with these headers.
fn response(status: u16, headers: &[(&str, &str)], body: &str) -> ResponseTemplate {
    headers
        .iter()
        .fold(ResponseTemplate::new(status).set_body_string(body), |response, (name, value)| {
            response.insert_header(*name, *value)
        })
}

/// Fetches a file of which `old`, of this version, is there; the server sends `first` once and then the whole of another
/// version. Returns the file and the number of calls.
async fn fetched(old: &str, version: Option<&str>, first: ResponseTemplate) -> (String, usize) {
    let server = MockServer::start().await;
    Mock::given(any()).respond_with(first).up_to_n_times(1).mount(&server).await;
    Mock::given(any())
        .respond_with(response(200, &[("etag", "\"v2\"")], "ABCDEF"))
        .mount(&server)
        .await;
    let url = Url::parse(&server.uri()).expect("a URL");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("set.partial");
    std::fs::write(&path, "").expect("written");
    let mut partial = Partial::fresh(&path).expect("opened");
    partial.begin(version.map(str::to_owned)).expect("begun");
    partial.append(old.as_bytes()).expect("written");
    let backoff =
        Backoff { first_wait: Duration::ZERO, ..Backoff::new(4, Duration::from_secs(50)) };
    let wanted = FileRequest { file: "set", most_bytes: 100, backoff };
    let downloader = Downloader::new(&url, None, Duration::from_secs(5)).expect("valid");
    let done = downloader.fetch(&wanted, &mut partial, &|_| ()).await;
    done.expect("the second response is the whole file");
    let calls = server.received_requests().await.expect("recorded");
    let file = std::fs::read_to_string(&path).expect("there");
    (file, calls.len())
}

#[tokio::test]
async fn only_the_missing_part_of_the_same_version_is_joined() {
    let v1 = Some("\"v1\"");
    let (tag, other) = (("etag", "\"v1\""), ("etag", "\"v2\""));
    let right = ("content-range", "bytes 3-5/6");
    let range = |value| response(206, &[tag, ("content-range", value)], "def");
    let (joined, replaced) = (("abcdef", 1), ("ABCDEF", 2));
    for (case, version, first, expected) in [
        ("the rest", v1, response(206, &[tag, right], "def"), joined),
        ("unknown length", v1, range("bytes 3-5/*"), joined),
        ("another tag", v1, response(206, &[other, right], "def"), replaced),
        ("no tag", v1, response(206, &[right], "def"), replaced),
        ("a weak tag", v1, response(206, &[("etag", "W/\"v1\""), right], "def"), replaced),
        ("an earlier part", v1, range("bytes 2-4/6"), replaced),
        ("a later part", v1, range("bytes 4-6/7"), replaced),
        ("no range", v1, response(206, &[tag], "def"), replaced),
        ("a range beyond the end", v1, range("bytes 3-5/5"), replaced),
        ("another unit", v1, range("items 3-5/6"), replaced),
        ("more bytes than the range", v1, range("bytes 3-4/6"), replaced),
        ("fewer bytes than the range", v1, range("bytes 3-6/7"), replaced),
        ("the whole, another version", v1, response(200, &[other], "ABCDEF"), ("ABCDEF", 1)),
        (
            "the same date",
            Some(DATE),
            response(206, &[("last-modified", DATE), right], "def"),
            joined,
        ),
        ("no date", Some(DATE), response(206, &[right], "def"), joined),
        (
            "another date",
            Some(DATE),
            response(206, &[("last-modified", "Thu, 22 Oct 2015 07:28:00 GMT"), right], "def"),
            replaced,
        ),
        ("a part that was not requested", None, response(206, &[right], "def"), replaced),
        (
            "nothing is missing",
            v1,
            response(416, &[("content-range", "bytes */3")], ""),
            ("abc", 1),
        ),
        (
            "nothing is missing of another version",
            v1,
            response(416, &[other, ("content-range", "bytes */3")], ""),
            replaced,
        ),
        ("a shorter file", v1, response(416, &[("content-range", "bytes */2")], ""), replaced),
    ] {
        let (file, n_calls) = fetched("abc", version, first).await;
        assert_eq!((file.as_str(), n_calls), expected, "{case}");
    }
    // A first part that was not requested: the old bytes have no version.
    let first = response(206, &[tag, ("content-range", "bytes 0-2/6")], "xyz");
    assert_eq!(fetched("", None, first).await, ("ABCDEF".to_owned(), 2));
}

#[tokio::test]
async fn a_server_that_sends_wrong_parts_only_is_an_error() {
    let server = MockServer::start().await;
    let wrong = response(206, &[("content-range", "bytes 9-11/12")], "def");
    Mock::given(any()).respond_with(wrong).mount(&server).await;
    let url = Url::parse(&server.uri()).expect("a URL");
    let file = tempfile::NamedTempFile::new().expect("a file");
    let mut partial = Partial::fresh(file.path()).expect("opened");
    let backoff =
        Backoff { first_wait: Duration::ZERO, ..Backoff::new(2, Duration::from_secs(50)) };
    let wanted = FileRequest { file: "set", most_bytes: 100, backoff };
    let downloader = Downloader::new(&url, None, Duration::from_secs(5)).expect("valid");
    let error = downloader.fetch(&wanted, &mut partial, &|_| ()).await.expect_err("no file");
    let expected =
        format!("after 2 tries: `{}` sent a different byte range than requested", shown(&url));
    assert_eq!((error.to_string(), partial.n_bytes()), (expected, 0));
}

#[test]
fn a_content_range_gives_the_bounds_of_a_part_and_the_length_of_the_whole() {
    let part = |total| {
        let (start, end) = (3, 10);
        Some(ContentRange::Part { start, end, total })
    };
    assert_eq!(ContentRange::parse("bytes 3-9/10"), part(Some(10)));
    assert_eq!(ContentRange::parse("bytes 3-9/*"), part(None));
    let none = Some(ContentRange::None { total: 10 });
    assert_eq!(ContentRange::parse("bytes */10"), none);
    for broken in [
        "",
        "3-9/10",
        "bytes 3/10",
        "bytes x-9/10",
        "bytes 3-x/10",
        "bytes 3-9",
        "bytes 9-3/10",
        "bytes 3-9/9",
        "bytes */*",
        "bytes 0-18446744073709551615/*",
        "items 0-1/2",
        "bytes 3-9/-1",
    ] {
        assert_eq!(ContentRange::parse(broken), None, "{broken}");
    }
}

#[test]
fn a_weak_tag_names_no_bytes() {
    let named = |pairs: &[(HeaderName, &str)]| {
        let headers =
            pairs.iter().map(|(name, value)| (name.clone(), value.parse().expect("a value")));
        version(&headers.collect())
    };
    let date = "Wed, 21 Oct 2015 07:28:00 GMT";
    assert_eq!(named(&[(ETAG, "\"a\""), (LAST_MODIFIED, date)]).as_deref(), Some("\"a\""));
    assert_eq!(named(&[(ETAG, "W/\"a\""), (LAST_MODIFIED, date)]).as_deref(), Some(date));
    assert_eq!(named(&[(ETAG, "W/\"a\"")]), None);
}
