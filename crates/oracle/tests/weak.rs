//! Well-known programs under POWER and ARM, with the number of executions of each.
//!
//! The programs are litmus tests written for this file. Their results are well known for the two
//! architectures, or are explained beside the test.

use raddle_oracle::weak::{Hardware, executions};
use raddle_oracle::{Observation, Outcome};

fn run(text: &str, model: Hardware) -> (Outcome, Observation) {
    let litmus =
        raddle_front_litmus::load("test", text.as_bytes()).unwrap_or_else(|d| panic!("{d}"));
    let outcome = executions(&litmus.program, model).expect("small enough");
    let observation = outcome.observation(&litmus.program).expect("a layout");
    (outcome, observation.expect("a condition"))
}

/// A PPC test of two threads; rows are separated by lines, columns by `|`.
fn ppc(rows: &str, condition: &str) -> String {
    let rows: String = rows.lines().map(|row| format!("{} ;\n", row.trim())).collect();
    let init = "{ 0:r8=x; 0:r9=y; 1:r8=x; 1:r9=y; 0:r1=1; 1:r1=1; }";
    format!("PPC test\n{init}\nP0 | P1 ;\n{rows}exists ({condition})")
}

fn power(rows: &str, condition: &str) -> Observation {
    run(&ppc(rows, condition), Hardware::Power).1
}

const LB: &str = "0:r3=1 /\\ 1:r3=1";
const MP: &str = "1:r3=1 /\\ 1:r4=0";

#[test]
fn load_buffering_happens_without_dependencies() {
    let plain = "lwz r3,0(r8) | lwz r3,0(r9)
                 stw r1,0(r9) | stw r1,0(r8)";
    assert_eq!(power(plain, LB), Observation::Sometimes);
    assert_eq!(run(&ppc(plain, LB), Hardware::Power).0.executions, 4);
}

#[test]
fn values_do_not_come_out_of_thin_air() {
    let copy = "lwz r3,0(r8) | lwz r3,0(r9)
                stw r3,0(r9) | stw r3,0(r8)";
    assert_eq!(power(copy, LB), Observation::Never);
    assert_eq!(run(&ppc(copy, LB), Hardware::Power).0.executions, 3);
    let add = "lwz r3,0(r8)  | lwz r3,0(r9)
               addi r4,r3,1  | addi r4,r3,1
               stw r4,0(r9)  | stw r4,0(r8)";
    assert_eq!(power(add, LB), Observation::Never);
    assert_eq!(run(&ppc(add, LB), Hardware::Power).0.executions, 3);
}

#[test]
fn false_dependencies_order_too() {
    let one = "lwz r3,0(r8)   | lwz r3,0(r9)
               xor r5,r3,r3   | xor r5,r3,r3
               stwx r1,r5,r9  | stwx r1,r5,r8";
    assert_eq!(power(one, LB), Observation::Never);
    let control = "lwz r3,0(r8) | lwz r3,0(r9)
                   cmpw r3,r3   | cmpw r3,r3
                   bne A        | beq B
                   A:           | B:
                   stw r1,0(r9) | stw r1,0(r8)";
    assert_eq!(power(control, LB), Observation::Never);
}

#[test]
fn message_passing_needs_something_on_both_sides() {
    let reader = |fence: &str, middle: &str| {
        format!(
            "stw r1,0(r8) | lwz r3,0(r9)
             {fence}      | {middle}
             stw r1,0(r9) | lwz r4,0(r8)"
        )
    };
    assert_eq!(power(&reader("", ""), MP), Observation::Sometimes);
    assert_eq!(power(&reader("lwsync", ""), MP), Observation::Sometimes);
    assert_eq!(power(&reader("", "sync"), MP), Observation::Sometimes);
    assert_eq!(power(&reader("lwsync", "lwsync"), MP), Observation::Never);
    assert_eq!(power(&reader("eieio", "lwsync"), MP), Observation::Never);
    assert_eq!(power(&reader("eieio", "eieio"), MP), Observation::Sometimes);
    assert_eq!(power(&reader("isync", "isync"), MP), Observation::Sometimes);
}

#[test]
fn control_dependencies_order_loads_only_with_isync() {
    let reader = |fence: &str| {
        format!(
            "stw r1,0(r8) | lwz r3,0(r9)
             lwsync       | cmpwi r3,0
             stw r1,0(r9) | beq L
                          | L:
                          | {fence}
                          | lwz r4,0(r8)"
        )
    };
    assert_eq!(power(&reader(""), MP), Observation::Sometimes);
    assert_eq!(power(&reader("isync"), MP), Observation::Never);
}

#[test]
fn store_conditionals_fail_or_are_atomic() {
    let swap = "lwarx r3,r0,r8  | lwarx r3,r0,r8
                stwcx. r1,r0,r8 | stwcx. r1,r0,r8
                bne A           | bne B
                li r2,1         | li r2,1
                A:              | B:";
    let both = "0:r2=1 /\\ 1:r2=1 /\\ 0:r3=0 /\\ 1:r3=0";
    let (outcome, observation) = run(&ppc(swap, both), Hardware::Power);
    assert_eq!(observation, Observation::Never);
    // Both fail (1); one of them stores, before or after the other's load (2 × 2); both store (2).
    assert_eq!(outcome.executions, 1 + 4 + 2);
}

#[test]
fn a_reservation_serves_once_and_at_its_place() {
    let twice = "lwarx r3,r0,r8  | nop
                 stwcx. r1,r0,r8 | nop
                 stwcx. r1,r0,r8 | nop
                 bne A           | nop
                 li r2,1         | nop
                 A:              | nop";
    assert_eq!(power(twice, "0:r2=1"), Observation::Never);
    let elsewhere = "lwarx r3,r0,r8  | nop
                     stwcx. r1,r0,r9 | nop
                     bne A           | nop
                     li r2,1         | nop
                     A:              | nop";
    assert_eq!(power(elsewhere, "0:r2=1"), Observation::Never);
}

/// Under ARM, accesses after a load of the thread's own store may overtake an earlier load of the same
/// location. Under POWER, program order at one location is part of the commit order.
#[test]
fn program_order_at_a_place_counts_for_commits_under_power_only() {
    let arm = "ARM test
{ 0:R8=x; 0:R9=y; 1:R8=x; 1:R9=y; 0:R1=1; 1:R2=2; }
 P0          | P1          ;
 STR R1,[R8] | LDR R3,[R9] ;
 DMB         | STR R2,[R9] ;
 STR R1,[R9] | LDR R4,[R9] ;
             | CMP R4,#0   ;
             | BNE L       ;
             | L:          ;
             | ISB         ;
             | LDR R5,[R8] ;
exists (1:R3=1 /\\ 1:R4=2 /\\ 1:R5=0)";
    assert_eq!(run(arm, Hardware::Arm).1, Observation::Sometimes);
    assert_eq!(run(arm, Hardware::Power).1, Observation::Never);
}
