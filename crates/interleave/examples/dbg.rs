use raddle_interleave::*;
fn main() {
    let src = r#"
program "t"
global @x: i32 = 0
global @y: i32 = 0
thread p0 = @p0()
thread p1 = @p1()
func @p0() {
    reg %a: i32
    reg %b: i32
  entry:
    store i32 asm @x, 1
    %a = load i32 asm @x
    %b = load i32 asm @y
    ret
}
func @p1() {
  entry:
    store i32 asm @y, 1
    store i32 asm @x, 2
    ret
}
"#;
    let p = raddle_ir::text::parse("t.rir", src).unwrap();
    for strategy in [Strategy::Optimal, Strategy::Source, Strategy::Exhaustive] {
        let s = explore(&p, &Options { strategy, count_traces: true, ..Options::new(Model::Tso) });
        println!("{strategy:?} {} {} {:?}", s.executions, s.redundant, s.traces);
    }
}
