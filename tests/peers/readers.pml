/* One process writes a variable, N processes read it and write one of their own. */
byte x;
byte seen[N];

active [N] proctype reader() {
    byte read;
    read = x;
    seen[_pid] = read;
}

active proctype writer() {
    x = 1;
}
