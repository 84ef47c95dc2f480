// expect: division-by-zero at 2:
static int divide(int a, int b) { return a / b; }
int main(void) { return divide(1, 0); }
