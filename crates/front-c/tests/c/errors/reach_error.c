// expect: assertion at 5: reach_error() is reached
extern void abort(void);
void reach_error(void) { abort(); }
int __VERIFIER_nondet_int(void);
int main(void) { if (__VERIFIER_nondet_int() == 2) reach_error(); return 0; }
