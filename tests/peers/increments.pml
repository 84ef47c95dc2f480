/* N processes increment one variable once each. */
byte x, ended;

active [N] proctype increment() {
    atomic { x++; }
    atomic { ended++; }
}

active proctype check() {
    ended == N;
    assert(x == N);
}
