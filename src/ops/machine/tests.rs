//! What readers of machines promise.
