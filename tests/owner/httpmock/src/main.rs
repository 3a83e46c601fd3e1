//! Loads a file of mocks as httpmock does, prints the address, and serves them until it is ended.

fn main() {
    let server = httpmock::MockServer::start();
    let file = std::env::args().nth(1).expect("a file of mocks");
    let _mocks = server.playback(file);
    println!("http://{}", server.address());
    loop {
        std::thread::park();
    }
}
