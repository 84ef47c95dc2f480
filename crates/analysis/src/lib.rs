//! Analyses over the engines: verdicts, litmus observations.
