//! Goals as failures, for engines that explore executions and not states.
//!
//! A thread at a place of a goal may choose to stay there forever, and increments a counter. The last thread
//! to do so fails. Then all threads were there at the same time, because the others never left. Conversely,
//! threads that can be there at the same time can all choose to stay.
//!
//! Counting does not hide behaviour. The increment is the last operation of its thread. So under axiomatic
//! models no later event exists that it could order. Under models with buffers, the increment and the
//! thread's stores may wait until all other threads are at their places.

use raddle_engine::Summary;
use raddle_ir::{
    Access, Block, BlockId, FailKind, Function, Global, GlobalId, Inst, InstKind, IntPred, Loc,
    LocId, Malformed, Operand, Pred, RegInfo, RmwOp, Terminator, TerminatorKind, ThreadIdx, Type,
    Verified, verify,
};
use std::collections::BTreeMap;

/// A program with failures in place of its goals.
pub(super) struct GoalProgram {
    pub program: Verified,
    /// The positions from here on belong to the failures, one for each goal.
    first: LocId,
}

impl GoalProgram {
    /// Whether a search shows that a goal is reached.
    pub(super) fn is_reached(&self, summary: &Summary) -> bool {
        let goals = self.first..LocId::NONE;
        summary.failures.iter().any(|failure| goals.contains(&failure.loc))
    }
}

/// The counter of a goal, the number of its threads, and the position of its failure.
#[derive(Clone, Copy)]
struct Count {
    counter: GlobalId,
    threads: usize,
    reached: LocId,
}

/// The program with failures in place of its goals.
///
/// An error means that the result is not well-formed, which is a defect of raddle.
pub(super) fn as_failures(program: &Verified) -> Result<GoalProgram, String> {
    let mut changed = program.clone().into_program();
    let first = LocId(changed.locs.len() as u32);
    let file = changed.files.len() as u32;
    changed.files.push("goals".to_owned());
    let goals = std::mem::take(&mut changed.goals);
    let mut wanted: BTreeMap<(ThreadIdx, BlockId), Vec<Count>> = BTreeMap::new();
    for (number, goal) in goals.iter().enumerate() {
        let counter = changed.globals.push(Global::zeroed(format!(".goal{number}"), 4, 4));
        let reached = LocId(changed.locs.len() as u32);
        changed.locs.push(Loc { file, line: 0, column: 0, inlined_at: LocId::NONE });
        for place in &goal.places {
            let count = Count { counter, threads: goal.places.len(), reached };
            wanted.entry(*place).or_default().push(count);
        }
    }
    let threads: Vec<ThreadIdx> = changed.threads.keys().collect();
    for thread in threads {
        let places = wanted.range((thread, BlockId::from_u32(0))..);
        let mut places = places.take_while(|((other, _), _)| *other == thread).peekable();
        if places.peek().is_none() {
            continue;
        }
        // The function is copied, because other threads may run it, and because inner calls of it do not
        // count.
        let mut function = changed.funcs[changed.threads[thread].func].clone();
        function.name = format!(".{thread}.{}", function.name);
        places.for_each(|((_, block), counts)| may_stay(&mut function, *block, counts));
        changed.threads[thread].func = changed.funcs.push(function);
    }
    let defect = |malformed: Malformed| format!("a defect of raddle: {}", malformed.diagnostic());
    Ok(GoalProgram { program: verify(changed).map_err(defect)?, first })
}

/// Lets the thread choose to stay for any of these goals, before it executes the block.
fn may_stay(function: &mut Function, block: BlockId, counts: &[Count]) {
    let loc = function.blocks[block].term.loc;
    let inst = |kind| Inst { kind, loc };
    let dst = function.regs.push(RegInfo::new(Type::I32, None));
    let stays: Vec<BlockId> = counts.iter().map(|count| staying(function, loc, *count)).collect();
    let cases = stays.into_iter().enumerate();
    let cases = cases.map(|(n, to)| (n as u128 + 1, to)).collect();
    let choice =
        InstKind::Choose { dst, ty: Type::I32, lo: 0, hi: counts.len() as u64, partial: false };
    let gate = Block { name: None, insts: vec![inst(choice)], term: stop(loc) };
    let body = std::mem::replace(&mut function.blocks[block], gate);
    let default = function.blocks.push(body);
    let value = Operand::Reg(dst);
    let kind = TerminatorKind::Switch { ty: Type::I32, value, cases, default };
    function.blocks[block].term = Terminator { kind, loc };
}

/// A block that increments the counter, fails if the thread is the last one, and ends the thread.
fn staying(function: &mut Function, loc: LocId, count: Count) -> BlockId {
    let mut reg = |ty| function.regs.push(RegInfo::new(ty, None));
    let (old, last) = (reg(Type::I32), reg(Type::BOOL));
    let counting = InstKind::Rmw {
        op: RmwOp::Add,
        ty: Type::I32,
        dst: old,
        addr: Operand::Global(count.counter, 0),
        value: Operand::Int(1),
        access: Access::ASM,
        when: None,
    };
    let is_last = InstKind::Cmp {
        pred: Pred::Int(IntPred::Eq),
        ty: Type::I32,
        dst: last,
        a: Operand::Reg(old),
        b: Operand::Int(count.threads as u128 - 1),
    };
    let message = "all threads of a goal are where it wants them".to_owned();
    let fail = InstKind::Fail { kind: FailKind::Assertion, message };
    let block = |kinds: Vec<InstKind>, term| Block {
        name: None,
        insts: kinds.into_iter().map(|kind| Inst { kind, loc }).collect(),
        term,
    };
    let mut fails = block(vec![fail], stop(loc));
    fails.insts[0].loc = count.reached;
    let then = function.blocks.push(fails);
    let els = function.blocks.push(block(vec![assume_nothing()], stop(loc)));
    let kind = TerminatorKind::Branch { cond: Operand::Reg(last), then, els };
    function.blocks.push(block(vec![counting, is_last], Terminator { kind, loc }))
}

/// An instruction that ends the thread, whatever its function returns.
fn assume_nothing() -> InstKind {
    InstKind::Assume { cond: Operand::Int(0) }
}

/// A terminator that is never reached.
fn stop(loc: LocId) -> Terminator {
    Terminator { kind: TerminatorKind::Unreachable, loc }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_engine::{Checks, Model, Options, Strategy};
    use raddle_interleave::explore;
    use raddle_oracle::campaign::{compare_under, ensure, same, seeded};
    use raddle_oracle::generate::{self, Config};
    use raddle_reach::{Answer, reach};

    /// A program without loops. The goal of each thread is its first branch target, or its last block.
    fn program(seed: u64) -> Verified {
        let mut weights = Config::memory().weights;
        (weights.branch, weights.load, weights.store) = (25, 30, 30);
        let config = Config { weights, instructions: 3..=4, ..Config::memory() };
        let mut program = generate::program(&config, seed).into_program();
        program.condition = None;
        let threads: Vec<_> = program.threads.iter().map(|(id, t)| (id, t.func)).collect();
        let last = |func| BlockId::from_u32(program.funcs[func].blocks.len() as u32 - 1);
        let places = threads.into_iter().map(|(thread, func)| {
            let branches = program.funcs[func].blocks.len() > 1;
            (thread, if branches { BlockId::from_u32(1) } else { last(func) })
        });
        program.goals = vec![raddle_ir::Goal { places: places.collect() }];
        raddle_ir::verify(program).expect("the goal is well-formed")
    }

    /// Compares the searches by executions and by states.
    #[test]
    fn a_failure_is_found_where_a_goal_is_reached() {
        let (mut reached, mut missed) = (0, 0);
        compare_under(seeded(300, program), &[Model::Sc, Model::Tso], |program, model| {
            let options = Options { keep_going: true, ..Options::new(model) };
            let goals = as_failures(program).expect("well-formed with goals as failures");
            let found = goals.is_reached(&explore(&goals.program, &options));
            let checks = Checks { goals: true, ..Checks::default() };
            let by_states = Options { checks, ..Options::new(model).by(Strategy::Lazy) };
            let answer = reach(program, &by_states).answer;
            let wanted = matches!(answer, Answer::Reachable(_));
            ensure(!matches!(answer, Answer::Unknown(_)), || format!("{answer:?}"))?;
            *if wanted { &mut reached } else { &mut missed } += 1;
            same("reached", &found, &wanted)
        });
        assert!(reached > 50 && missed > 20, "{reached} reached, {missed} not");
    }
}
