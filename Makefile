# demo   build, run a short tour, and then the tour of the book, with its outputs compared
# test   every test, formatting, lints; the Python package is tested in target/python
# validate  outputs by their schemas, those of SARIF and JUnit included
# bench  measure searches, robustness and monitors; tables, JSON in target/bench.jsonl, and plots in target/plots
# estimates  how close the estimates of long searches come to the truth: half an hour to two, on a machine with two cores
# book   the book, in target/book, and its links; installs mdbook in target/tools when it is missing
# dist   a static binary and a Debian package, in target/dist
# package  the crates as a registry takes them, in target/package
# fuzz   every fuzz target for a minute (FUZZ_SECONDS); installs cargo-fuzz when it is missing
#
# All of them do their own set-up. They need a Rust toolchain and, for `fuzz`, rustup
# and a C++ compiler.

export PATH := $(PATH):$(or $(CARGO_HOME),$(HOME)/.cargo)/bin
TARGET := $(or $(CARGO_TARGET_DIR),target)
FUZZ_SECONDS := 60

.PHONY: demo test validate bench estimates book dist package fuzz clean

demo:
	scripts/setup
	cargo build --locked --release --package raddle
	scripts/demo $(TARGET)/release/raddle
	scripts/tour $(TARGET)/release/raddle

# Tests come first, so that their summaries are printed whatever the lints report. Documentation and examples
# have no tests, and building them as tests would take a minute; clippy checks the examples. Incremental builds
# take longer, and a fresh clone has nothing to continue from.
test: export CARGO_INCREMENTAL := 0
test:
	scripts/setup rustfmt clippy patch git browser
	cargo test --locked --workspace --tests --no-fail-fast
	scripts/python $(TARGET)/debug/raddle
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps --document-private-items

# The build is that of the tests.
validate: export CARGO_INCREMENTAL := 0
validate:
	scripts/setup
	cargo build --locked --package raddle
	scripts/validate $(TARGET)/debug/raddle

bench:
	scripts/setup
	cargo build --locked --release --package raddle-bench
	mkdir -p target
	$(TARGET)/release/raddle-bench --json target/bench.jsonl --plots target/plots

estimates:
	scripts/setup
	cargo build --locked --release --package raddle-bench
	mkdir -p target
	$(TARGET)/release/raddle-bench --table estimate --model sc,tso,pso,power,arm --timeout 180 \
		--json target/estimates.jsonl

book:
	scripts/setup
	scripts/book

dist:
	scripts/setup musl-gcc dpkg-deb
	scripts/dist

# Crates with `publish = false` are for tests.
package:
	scripts/setup
	cargo package --locked --workspace --no-verify --allow-dirty \
		--exclude raddle-oracle --exclude raddle-testing --exclude raddle-bench

fuzz:
	scripts/setup
	cargo check --locked --manifest-path fuzz/Cargo.toml
	scripts/fuzz rir $(FUZZ_SECONDS)
	scripts/fuzz litmus $(FUZZ_SECONDS)
	scripts/fuzz automata $(FUZZ_SECONDS)
	scripts/fuzz explore $(FUZZ_SECONDS)
	scripts/fuzz llvm $(FUZZ_SECONDS)

clean:
	cargo clean
