//! Reads litmus tests in the herd format.
