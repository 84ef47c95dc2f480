//! Edges between blocks: the copies for `phi`, and jumps with many targets.

use super::constant::label;
use super::function::{Lower, is_phi};
use raddle_ir::{
    self as ir, FailKind, InstKind as Out, Operand, Reg, TerminatorKind, Type as Scalar,
};
use raddle_llvm::ast::{self, BlockId, ConstKind, InstKind, Value};

impl Lower<'_, '_> {
    pub(super) fn switch(
        &mut self,
        from: BlockId,
        value: Value,
        default: BlockId,
        cases: &[(ast::ConstId, BlockId)],
    ) {
        let Some(ty) = self.scalar_of(value) else {
            return self.dead_end("a switch on an integer of more than 128 bits");
        };
        let value = self.operand(value);
        let mut edges: Vec<(BlockId, ir::BlockId)> = Vec::new();
        let mut edge = |lower: &mut Self, to: BlockId| {
            if let Some((_, made)) = edges.iter().find(|(block, _)| *block == to) {
                return *made;
            }
            let made = lower.edge(from, to);
            edges.push((to, made));
            made
        };
        let mut out = Vec::with_capacity(cases.len());
        for (case, to) in cases {
            if let ConstKind::Int(bits) = self.unit.module.constant(*case).kind {
                out.push((bits & ty.mask(), edge(self, *to)));
            }
        }
        let default = edge(self, default);
        self.out.end(TerminatorKind::Switch { ty, value, cases: out, default });
    }

    /// A jump to a label whose address was taken.
    pub(super) fn computed(&mut self, from: BlockId, address: Value, targets: &[BlockId]) {
        let address = self.operand(address);
        let value = self.bits_of(Scalar::Ptr, address);
        let mut cases: Vec<(u128, ir::BlockId)> = Vec::with_capacity(targets.len());
        for target in targets {
            let case = label(*target);
            if cases.iter().all(|(other, _)| *other != case) {
                cases.push((case, self.edge(from, *target)));
            }
        }
        let default = self.out.block(None);
        self.out.end(TerminatorKind::Switch { ty: Scalar::I64, value, cases, default });
        self.out.switch_to(default);
        let message = "jumps to an address that is not a label of the function".to_owned();
        self.push(Out::Fail { kind: FailKind::Memory, message });
        self.out.end(TerminatorKind::Unreachable);
    }

    fn target(&self, to: BlockId) -> ir::BlockId {
        // Every successor of a reachable block is reachable.
        self.blocks[to].unwrap_or_else(|| self.out.current())
    }

    /// The only edge out of a block: the `phi` copies go to the end of the block.
    pub(super) fn jump(&mut self, from: BlockId, to: BlockId) {
        self.copies(from, to);
        let to = self.target(to);
        self.out.jump(to);
    }

    /// One of several edges out of a block: `phi` copies get their own block.
    pub(super) fn edge(&mut self, from: BlockId, to: BlockId) -> ir::BlockId {
        let target = self.target(to);
        if !self.body.insts(to).first().is_some_and(is_phi) {
            return target;
        }
        let here = self.out.current();
        let made = self.out.block(None);
        self.out.switch_to(made);
        self.copies(from, to);
        self.out.jump(target);
        self.out.switch_to(here);
        made
    }

    /// Assigns the `phi` registers of `to`, all at once.
    fn copies(&mut self, from: BlockId, to: BlockId) {
        let body = self.body;
        let mut copies = Vec::new();
        for inst in body.insts(to).iter().take_while(|inst| is_phi(inst)) {
            let (InstKind::Phi { incoming }, Some(result)) = (&inst.kind, inst.result) else {
                continue;
            };
            let Some((value, _)) = incoming.iter().find(|(_, block)| *block == from) else {
                continue;
            };
            let leaves = self.leaves(body.locals[result].ty).unwrap_or_default();
            let (dsts, sources) = (self.parts(Value::Local(result)), self.parts(*value));
            for ((leaf, dst), source) in leaves.iter().zip(dsts).zip(sources) {
                if let Operand::Reg(dst) = dst
                    && source != Operand::Reg(dst)
                {
                    copies.push((leaf.ty, dst, source));
                }
            }
        }
        self.parallel(copies);
    }

    /// Assigns registers in an order in which no register is overwritten while its value is still needed.
    fn parallel(&mut self, mut copies: Vec<(Scalar, Reg, Operand)>) {
        while !copies.is_empty() {
            let needed =
                |dst: Reg| copies.iter().any(|(_, _, source)| *source == Operand::Reg(dst));
            match copies.iter().position(|(_, dst, _)| !needed(*dst)) {
                Some(free) => {
                    let (ty, dst, source) = copies.swap_remove(free);
                    self.assign(ty, dst, source);
                }
                None => {
                    // Only cycles are left: save one register to break a cycle.
                    let (ty, dst, _) = copies[0];
                    let aside = self.fresh(ty);
                    self.assign(ty, aside, dst.into());
                    let waiting = copies.iter_mut().filter(|(_, _, s)| *s == Operand::Reg(dst));
                    waiting.for_each(|(_, _, source)| *source = aside.into());
                }
            }
        }
    }
}
