//! Brute-force oracles and the program generator that tests are run against.
