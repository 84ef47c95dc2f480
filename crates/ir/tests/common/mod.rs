//! Generated well-formed programs.
//!
//! A program is a function of a sequence of numbers: every decision takes the next one (0 when they
//! run out). Shrinking the sequence therefore shrinks the program.

mod insts;

use raddle_ir::Mnemonic;
use raddle_ir::*;

/// The decisions.
pub(crate) struct Choices<'c> {
    numbers: std::slice::Iter<'c, u64>,
}

impl<'c> Choices<'c> {
    pub(crate) fn new(numbers: &'c [u64]) -> Choices<'c> {
        Choices { numbers: numbers.iter() }
    }

    pub(crate) fn any(&mut self) -> u64 {
        self.numbers.next().copied().unwrap_or(0)
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.any() % n.max(1) as u64) as usize
    }

    pub(crate) fn flip(&mut self) -> bool {
        self.any() % 2 == 1
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    pub(crate) fn word<M: Mnemonic>(&mut self) -> M {
        M::TABLE[self.below(M::TABLE.len())].1
    }

    pub(crate) fn bits(&mut self, ty: Type) -> u128 {
        let value = match self.below(4) {
            0 => u128::from(self.any() % 10),
            1 => u128::MAX - u128::from(self.any() % 10),
            _ => u128::from(self.any()) << 64 | u128::from(self.any()),
        };
        value & ty.mask()
    }
}

pub(crate) const TYPES: &[Type] = &[
    Type::BOOL,
    Type::I8,
    Type::I32,
    Type::I64,
    Type::Ptr,
    Type::F32,
    Type::F64,
    Type::I128,
    Type::Int(37),
];

const FUNCS: usize = 3;
const GLOBALS: usize = 5;
const ODD_NAMES: &[&str] = &["", "3", "a b", "\"", "é\n", "undef", "reg", "-", "x.y$", "\u{0}\\"];

/// A name; calls with different `index` return different names.
fn name(c: &mut Choices<'_>, index: usize) -> String {
    match c.below(3) {
        0 => format!("{}{index}", c.pick(ODD_NAMES)),
        1 => format!("{index}"),
        _ => format!("n{index}"),
    }
}

/// A well-formed program.
pub(crate) fn program(numbers: &[u64]) -> Program {
    let c = &mut Choices::new(numbers);
    let mut p = Program { name: c.pick(&["p", "SB+x", "\"\n"]).to_owned(), ..Program::default() };
    tables(c, &mut p);
    globals(c, &mut p);
    signatures(c, &mut p);
    for id in p.funcs.keys().collect::<Vec<_>>() {
        if id.as_u32() == 0 || c.flip() {
            insts::body(c, &mut p, id);
        }
    }
    threads(c, &mut p);
    observables(c, &mut p);
    if c.flip() {
        let quantifier = c.pick(&[Quantifier::Exists, Quantifier::NotExists, Quantifier::Forall]);
        p.condition = Some(Condition { quantifier, prop: prop(c, &p, 0) });
    }
    goals(c, &mut p);
    p
}

fn goals(c: &mut Choices<'_>, p: &mut Program) {
    for _ in 0..c.below(3) {
        let mut places = Vec::new();
        for (thread, info) in &p.threads {
            let blocks = p.funcs[info.func].blocks.len();
            if places.is_empty() || c.flip() {
                places.push((thread, BlockId::from_u32(c.below(blocks) as u32)));
            }
        }
        if !places.is_empty() {
            p.goals.push(Goal { places });
        }
    }
    let lockable = |g: &GlobalId| {
        let global = &p.globals[*g];
        global.size >= 4 && !global.constant && !global.thread_local
    };
    if c.flip() {
        p.memory_lock = p.globals.keys().find(lockable);
    }
}

fn tables(c: &mut Choices<'_>, p: &mut Program) {
    p.files = (0..c.below(3)).map(|_| c.pick(&["a.c", "b \"c\".h", "a.c"]).to_owned()).collect();
    if p.files.is_empty() {
        return;
    }
    for index in 0..c.below(4) {
        let inlined_at = if index > 0 && c.flip() { LocId(index as u32 - 1) } else { LocId::NONE };
        let file = c.below(p.files.len()) as u32;
        p.locs.push(Loc { file, line: c.any() as u32, column: c.below(80) as u32, inlined_at });
    }
}

pub(crate) fn loc(c: &mut Choices<'_>, p: &Program) -> LocId {
    match c.below(p.locs.len() + 1) {
        0 => LocId::NONE,
        n => LocId(n as u32 - 1),
    }
}

/// One of the program's types, or a new one.
fn source_type(c: &mut Choices<'_>, p: &mut Program) -> SourceId {
    let known = p.types.len();
    if known > 0 && c.flip() {
        return SourceId::from_u32(c.below(known) as u32);
    }
    let number = c.pick(&[Number::Signed, Number::Unsigned, Number::Char, Number::Float]);
    let name = c.pick(&["node", "a \"b\"", ""]).to_owned();
    let ty = match (known, name) {
        (0, _) => SourceType::Scalar { number, bytes: 4 },
        (1, _) => SourceType::Pointer,
        (2, name) => SourceType::Opaque { name, bytes: 40 },
        (3, name) => {
            let values = vec![("A".to_owned(), -1), (name.clone(), i128::from(c.any()))];
            SourceType::Enum { name, number: Number::Unsigned, bytes: 4, values }
        }
        (4, _) => SourceType::Array { element: SourceId::from_u32(c.below(4) as u32), count: 3 },
        (_, name) => {
            let mut members = Vec::new();
            for _ in 0..c.below(3) {
                let ty = SourceId::from_u32(c.below(known) as u32);
                let bits = c.flip().then(|| (c.below(8) as u32, 1 + c.below(30) as u32));
                members.push(Member { name: name.clone(), offset: c.any() >> 40, ty, bits });
            }
            SourceType::Record { name, union: c.flip(), bytes: 24, members }
        }
    };
    p.types.push(ty)
}

fn globals(c: &mut Choices<'_>, p: &mut Program) {
    for index in 0..GLOBALS {
        let size = c.pick(&[4u64, 1, 2, 3, 8, 16, 24, 40, 0, 64]);
        let mut global = Global::zeroed(name(c, index), size, c.pick(&[4u32, 1, 2, 8, 16, 32]));
        let init = if c.flip() { size as usize } else { c.below(size as usize + 1) };
        let byte = c.any() as u8;
        let same = c.flip();
        global.init = (0..init).map(|_| if same { byte } else { c.any() as u8 }).collect();
        for slot in 0..size / 8 {
            if c.below(3) == 1 {
                global.relocs.push((slot * 8, address(c, p.globals.len())));
                global.init.truncate(if c.flip() { 0 } else { usize::MAX });
            }
        }
        global.constant = c.below(4) == 1;
        global.ty = c.flip().then(|| source_type(c, p));
        global.thread_local = c.below(4) == 1;
        global.private = global.thread_local && c.flip();
        p.globals.push(global);
    }
    for id in p.globals.keys().collect::<Vec<_>>() {
        let local: Vec<bool> = p.globals.values().map(|g| g.thread_local).collect();
        let fixed =
            |to: &Operand| !matches!(to, Operand::Global(g, _) if local[g.as_u32() as usize]);
        p.globals[id].relocs.retain(|(_, to)| fixed(to));
    }
}

/// The address of a function or of one of the first `globals` globals.
pub(crate) fn address(c: &mut Choices<'_>, globals: usize) -> Operand {
    if globals == 0 || c.flip() {
        return Operand::Func(FuncId::from_u32(c.below(FUNCS) as u32));
    }
    let offset = c.pick(&[0, 4, -4, i64::MAX, i64::MIN]);
    Operand::Global(GlobalId::from_u32(c.below(globals) as u32), offset)
}

fn signatures(c: &mut Choices<'_>, p: &mut Program) {
    for index in 0..FUNCS {
        let mut f = FunctionBuilder::new(name(c, index)).finish();
        f.blocks.clear();
        f.loc = loc(c, p);
        f.library = c.flip();
        for param in 0..c.below(3) {
            let name = c.flip().then(|| name(c, param));
            f.params.push(f.regs.push(RegInfo::new(c.pick(TYPES), name)));
        }
        let small = [Type::I32, Type::Ptr, Type::F64, Type::BOOL];
        f.ret = c.flip().then(|| c.pick(&small));
        p.funcs.push(f);
    }
}

/// A constant of type `ty`.
pub(crate) fn constant(c: &mut Choices<'_>, p: &Program, ty: Type) -> Operand {
    match c.below(4) {
        0 => Operand::Undef,
        1 if ty == Type::Ptr => address(c, p.globals.len()),
        _ => Operand::Int(c.bits(ty)),
    }
}

fn threads(c: &mut Choices<'_>, p: &mut Program) {
    for index in 0..c.below(3) {
        let func = FuncId::from_u32(0);
        let function = &p.funcs[func];
        let types: Vec<_> = function.params.iter().map(|reg| function.regs[*reg].ty).collect();
        let local =
            |p: &Program, o| matches!(o, Operand::Global(g, _) if p.globals[g].thread_local);
        let args = types.into_iter().map(|ty| match constant(c, p, ty) {
            address if local(p, address) => Operand::Undef,
            other => other,
        });
        let args = args.collect();
        p.threads.push(InitThread { name: name(c, index), func, args });
    }
}

fn observables(c: &mut Choices<'_>, p: &mut Program) {
    for index in 0..c.below(4) {
        let name = name(c, index);
        let regs = &p.funcs[FuncId::from_u32(0)].regs;
        let what = if c.flip() && !p.threads.is_empty() {
            let small: Vec<Reg> = regs.keys().filter(|r| regs[*r].ty.bits() <= 64).collect();
            if small.is_empty() {
                continue;
            }
            Observed::Reg(ThreadIdx::from_u32(c.below(p.threads.len()) as u32), c.pick(&small))
        } else {
            let ty = c.pick(&[Type::I8, Type::I32, Type::I64, Type::F64]);
            let id = GlobalId::from_u32(c.below(p.globals.len()) as u32);
            let global = &p.globals[id];
            let room = global.size.checked_sub(ty.bytes().into());
            match room {
                Some(room) if !global.thread_local => {
                    Observed::Mem { global: id, offset: c.any() % (room + 1), ty }
                }
                _ => continue,
            }
        };
        p.observables.push(Observable { name, what });
    }
}

fn term(c: &mut Choices<'_>, p: &Program) -> Term {
    let shared: Vec<_> = p.globals.keys().filter(|g| !p.globals[*g].thread_local).collect();
    match c.below(3) {
        0 if !p.observables.is_empty() => {
            Term::Observable(ObservableId::from_u32(c.below(p.observables.len()) as u32))
        }
        1 if !shared.is_empty() => Term::Global(c.pick(&shared), c.pick(&[0, 8, -8])),
        _ => Term::Int(c.pick(&[0, 1, -1, i128::MAX, i128::MIN])),
    }
}

fn prop(c: &mut Choices<'_>, p: &Program, depth: u32) -> Prop {
    let leaf = depth > 4;
    match c.below(if leaf { 3 } else { 7 }) {
        0 => Prop::True,
        1 => Prop::False,
        2 => Prop::Cmp(c.pick(&[CmpOp::Eq, CmpOp::Ne]), term(c, p), term(c, p)),
        3 => Prop::Not(Box::new(prop(c, p, depth + 1))),
        4 => Prop::And((0..c.below(4)).map(|_| prop(c, p, depth + 1)).collect()),
        5 => Prop::Or((0..c.below(4)).map(|_| prop(c, p, depth + 1)).collect()),
        _ => Prop::Implies(Box::new(prop(c, p, depth + 1)), Box::new(prop(c, p, depth + 1))),
    }
}
