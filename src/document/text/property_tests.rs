//! Configuration of property tests.

use proptest::test_runner::{Config, FileFailurePersistence};

/// Runs a property with this many inputs. An input that fails is stored with the tests, and tried first from then on.
pub fn cases(count: u32) -> Config {
    let persistence = FileFailurePersistence::SourceParallel("../tests/proptest-regressions");
    Config { cases: count, ..Config::with_failure_persistence(persistence) }
}
