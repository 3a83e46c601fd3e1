//! The ways of `retake import --from-langsmith` and `retake record` to a server: a proxy, a private certificate, a connection that
//! is lost.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Command;
use std::sync::Arc;

use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::json;

use super::mock::{Mock, say};
use super::{Running, receive, send};
use crate::project::{Project, Run};

const KEY: &str = "lsv2_pt_the-key-that-is-never-written";
const LOGIN: &str = "me:s3cret%21";

/// A server that exists only behind a proxy.
const SERVER: &str = "https://langsmith.test";

/// The response to each request for a run and for what is below it.
fn body(request: &str) -> String {
    let run = json!({ "id": "run-1", "trace_id": "t1", "name": "run-1", "run_type": "chain", "inputs": { "input": "Hi" },
        "outputs": { "output": "Said" }, "start_time": "2026-03-09T11:00:00", "end_time": "2026-03-09T11:00:02" });
    let answer =
        if request.starts_with("POST") { json!({ "runs": [run], "cursors": null }) } else { run };
    answer.to_string()
}

fn import(project: &Project, server: &str, variables: &[(&str, &str)]) -> Run {
    let mut command = project.command(&["import", "--from-langsmith", "run-1", "--to", "out"]);
    command
        .env("LANGSMITH_API_KEY", KEY)
        .env("LANGSMITH_ENDPOINT", server)
        .envs(variables.iter().copied());
    let run = Run::of(&command.output().unwrap());
    let printed = format!("{}{}", run.stdout, run.stderr);
    assert!(!printed.contains(KEY) && !printed.contains("s3cret"), "{printed}");
    run
}

/// A proxy that answers requests to connect as the server behind it, with a certificate of its own authority.
fn tunnel() -> Mock {
    let file = |name: &str| {
        std::fs::read(format!("{}/tests/all/live/tls/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
    };
    let chain = vec![CertificateDer::from(file("server.der"))];
    let key = PrivateKeyDer::Pkcs8(file("server-key.der").into());
    let config =
        ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .unwrap();
    let config = Arc::new(config);
    Mock::start(move |_, stream| {
        stream.write_all(b"HTTP/1.1 200 Connected\r\n\r\n").unwrap();
        let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
        let mut inner = StreamOwned::new(connection, stream.try_clone().unwrap());
        let mut request = Vec::new();
        let mut part = [0; 4096];
        // The connection is kept open, so all requests arrive on it. It ends when the client has what it wants.
        while let Ok(count @ 1..) = inner.read(&mut part) {
            request.extend_from_slice(&part[..count]);
            let text = String::from_utf8_lossy(&request).into_owned();
            if text.ends_with("\r\n\r\n") || text.ends_with('}') {
                let body = body(&text);
                let length = body.len();
                let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{body}");
                let _ = inner.write_all(answer.as_bytes());
                request.clear();
            }
        }
    })
}

fn authority() -> String {
    format!("{}/tests/all/live/tls/authority.pem", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_server_with_tls_is_reached_through_the_proxy_and_trusted_by_the_given_certificate() {
    let project = Project::new(&[]);
    let proxy = tunnel();
    let address = format!("http://{LOGIN}@{}", proxy.address);
    let variables = [("HTTPS_PROXY", address.as_str()), ("SSL_CERT_FILE", &authority())];
    let run = import(&project, SERVER, &variables);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), "out/run-1.yaml\n"), "{}", run.stderr);
    insta::assert_snapshot!(proxy.received.recv().unwrap().replace("\r\n", "\n"), @"
    CONNECT langsmith.test:443 HTTP/1.1
    Host: langsmith.test:443
    Proxy-Authorization: Basic bWU6czNjcmV0IQ==
    ");
    // The same server is unknown to the certificates of this computer.
    let run = import(&project, SERVER, &variables[..1]);
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr.contains("UnknownIssuer; if this network inspects TLS, set SSL_CERT_FILE"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_request_without_tls_is_forwarded_by_the_proxy_with_the_whole_url() {
    let project = Project::new(&[]);
    let proxy = Mock::start(|request, stream| {
        say(stream, "200 OK", "", body(request).as_bytes());
    });
    let address = format!("http://{LOGIN}@{}", proxy.address);
    // The lower-case name counts first.
    let variables = [("http_proxy", address.as_str()), ("HTTP_PROXY", "http://127.0.0.1:1")];
    let run = import(&project, "http://localhost:1", &variables);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let request = proxy.received.recv().unwrap();
    assert!(
        request.starts_with("GET http://localhost:1/api/v1/runs/run-1 HTTP/1.1\r\n"),
        "{request}"
    );
    assert!(request.contains("Basic bWU6czNjcmV0IQ=="), "{request}");

    // The recorder, too.
    let (_record, at) = recorder(&project, "http://localhost:1", &variables);
    let headers = "Proxy-Authorization: Basic Own\r\n";
    let reply = receive(send(at, "POST /v1/messages", headers, "{}"));
    assert_eq!(reply.status, 200);
    let request = proxy.received.iter().find(|it| it.contains("/v1/messages")).unwrap();
    assert!(request.starts_with("POST http://localhost:1/v1/messages HTTP/1.1\r\n"), "{request}");
    assert!(
        request.contains("Basic bWU6czNjcmV0IQ==") && !request.contains("Basic Own"),
        "{request}"
    );
}

#[test]
fn a_server_of_no_proxy_is_reached_directly() {
    let project = Project::new(&[]);
    let server = Mock::start(|request, stream| {
        say(stream, "200 OK", "", body(request).as_bytes());
    });
    let variables = [("ALL_PROXY", "http://127.0.0.1:1"), ("NO_PROXY", "localhost, 127.0.0.0/8")];
    let run = import(&project, &server.url(), &variables);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}

#[test]
fn a_proxy_that_cannot_be_used_is_named_with_its_variable_and_without_its_login() {
    let project = Project::new(&[]);
    let failed = |server: &str, variables: &[(&str, &str)]| {
        let run = import(&project, server, variables);
        assert_eq!(run.code, Some(2));
        run.stderr
    };
    let refusal = |status: &'static str| Mock::start(move |_, stream| say(stream, status, "", b""));
    let url = |host: &dyn std::fmt::Display| format!("http://{LOGIN}@{host}/");
    let (locked, closed) = (refusal("407 Login"), refusal("403 No"));
    let port = |text: String, mock: &Mock| text.replace(&mock.address.to_string(), "HOST:PORT");
    let all = [
        failed(SERVER, &[("HTTPS_PROXY", &url(&"127.0.0.1:1"))]),
        failed(SERVER, &[("all_proxy", &format!("ftp://{LOGIN}@h"))]),
        port(failed(SERVER, &[("HTTPS_PROXY", &url(&locked.address))]), &locked),
        port(failed(SERVER, &[("HTTPS_PROXY", &url(&closed.address))]), &closed),
        failed("http://localhost:1", &[("HTTP_PROXY", &url(&"127.0.0.1:1"))]),
    ];
    insta::assert_snapshot!(all.concat(), @"
    retake: LangSmith cannot be reached: the proxy http://127.0.0.1:1 of HTTPS_PROXY cannot be used: Connection refused (os error 111)
    retake: all_proxy is not the address of a proxy; expected one such as http://proxy.example:8080 or socks5h://proxy.example:1080
    retake: LangSmith cannot be reached: the proxy http://HOST:PORT of HTTPS_PROXY requires a user and a password; expected an address such as http://USER:PASSWORD@HOST:PORT
    retake: LangSmith cannot be reached: the proxy http://HOST:PORT of HTTPS_PROXY refuses to connect to langsmith.test
    retake: LangSmith cannot be reached: the proxy http://127.0.0.1:1 of HTTP_PROXY cannot be used: Connection refused (os error 111)
    ");
    let (_record, at) = recorder(&project, SERVER, &[("HTTPS_PROXY", &url(&"127.0.0.1:1"))]);
    let reply = receive(send(at, "POST /v1/messages", "", "{}"));
    assert_eq!(reply.status, 502);
    let text = reply.text();
    assert!(
        text.contains("the proxy http://127.0.0.1:1 of HTTPS_PROXY") && !text.contains("s3cret"),
        "{text}"
    );
    // A wrong variable is reported before the first call.
    let mut command = project.command(&["record", "--upstream", SERVER, "--to", "out"]);
    let run = Run::of(&command.env("HTTPS_PROXY", "ftp://x").output().unwrap());
    assert_eq!(run.code, Some(2), "{}", run.stderr);
}

#[test]
fn a_socks_proxy_connects_to_the_server_by_its_name() {
    let project = Project::new(&[]);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let proxy = std::thread::spawn(move || {
        let mut names = Vec::new();
        // Each response closes its connection.
        for stream in listener.incoming().take(2) {
            names.push(socks(&mut stream.unwrap()));
        }
        names
    });
    let run =
        import(&project, "http://localhost:1", &[("ALL_PROXY", &format!("socks5h://{address}"))]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(proxy.join().unwrap(), ["localhost:1", "localhost:1"]);
}

/// Answers one connection as a SOCKS 5 proxy and as the server behind it; returns the server.
fn socks(stream: &mut TcpStream) -> String {
    let mut read = |count: usize| {
        let mut bytes = vec![0; count];
        stream.read_exact(&mut bytes).unwrap();
        bytes
    };
    let methods = read(2)[1];
    read(methods.into());
    stream.write_all(&[5, 0]).unwrap();
    let mut read = |count: usize| {
        let mut bytes = vec![0; count];
        stream.read_exact(&mut bytes).unwrap();
        bytes
    };
    let length = read(5)[4];
    let name = String::from_utf8(read(length.into())).unwrap();
    let port = read(2);
    stream.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).unwrap();
    let mut request = String::new();
    let mut part = [0; 4096];
    while !request.ends_with("\r\n\r\n") && !request.ends_with('}') {
        let count = stream.read(&mut part).unwrap();
        request += &String::from_utf8_lossy(&part[..count]);
    }
    say(stream, "200 OK", "", body(&request).as_bytes());
    format!("{name}:{}", u16::from_be_bytes([port[0], port[1]]))
}

#[test]
fn a_lost_connection_is_tried_again() {
    let project = Project::new(&[]);
    let mut connections = 0;
    let server = Mock::start(move |request, stream| {
        connections += 1;
        // The first one is closed without a response.
        if connections > 1 {
            say(stream, "200 OK", "", body(request).as_bytes());
        }
    });
    let run = import(&project, &server.url(), &[]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(server.received.try_iter().count(), 3);
}

fn recorder(
    project: &Project,
    server: &str,
    variables: &[(&str, &str)],
) -> (Running, std::net::SocketAddr) {
    let arguments = ["record", "--upstream", server, "--to", "tapes"];
    Running::listening_with(project, &arguments, |command: &mut Command| {
        command.envs(variables.iter().copied());
    })
}
