//! Loads files of mocks as httpmock does, and serves them until it is ended. Prints the address. The files are the argument, or the lines
//! of the standard input; after each of these it prints whether it was loaded.

use std::panic::{AssertUnwindSafe, catch_unwind};

fn main() {
    let server = httpmock::MockServer::start();
    let file = std::env::args().nth(1);
    let _mocks = file.as_ref().map(|file| server.playback(file));
    println!("http://{}", server.address());
    for line in std::io::stdin().lines().take_while(|_| file.is_none()) {
        let line = line.expect("a path");
        server.reset();
        let mocks = catch_unwind(AssertUnwindSafe(|| server.playback(&line)));
        println!("{}", if mocks.is_ok() { "loaded" } else { "refused" });
    }
    while file.is_some() {
        std::thread::park();
    }
}
