//! Output: text, JSON, diagnostics.
