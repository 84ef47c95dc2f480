// expect: sc=safe tso=safe pso=safe power=violation(assertion) arm=violation(assertion)
// expect: all=safe power=safe arm=safe [options: -- -DSHAPE=1]
// expect: all=safe power=safe arm=safe [options: -- -DSHAPE=2]
// expect: all=safe power=safe arm=safe [options: -- -DSHAPE=3]
// expect: all=safe power=safe arm=safe [options: -- -DSHAPE=4]
// expect: all=safe power=safe arm=safe [options: -- -DSHAPE=5]
// expect: all=safe power=safe arm=safe [options: -- -DSHAPE=6]
// expect: all=safe power=safe arm=safe [options: -- -DSHAPE=7]
// expect: all=safe power=safe arm=safe [options: -- -DSHAPE=8]
// expect: all=safe power=safe arm=safe [options: -- -DSHAPE=9]
// expect: all=safe power=safe arm=safe [options: -- -DSHAPE=10]
// expect: all=safe power=safe arm=safe [options: -- -DSHAPE=11]
// expect: all=safe power=safe arm=safe [options: -- -DSHAPE=12]
// expect: all=safe power=safe arm=safe [options: -- -DSHAPE=13]
// expect: all=safe power=safe arm=safe [options: -- -DSHAPE=14]
// expect: all=safe power=safe arm=safe [options: -- -DSHAPE=15]
// expect: all=safe power=safe arm=safe [options: -- -DSHAPE=16]
// expect: all=safe power=safe arm=safe [options: -- -DSHAPE=17]
// expect: all=safe power=safe arm=safe [options: -- -DSHAPE=18]
//
// Load buffering: the store to `y` may overtake the load of `x` unless something in between depends on what was
// loaded. A branch does, also one that leads to the same place whatever the value is.
#include <assert.h>
#include <pthread.h>

volatile int x, y;
int got;

static void empty(void) {}

static void returns(int r) {
  if (r) return;
}

static int same(int r) {
  return r ? (empty(), 7) : (empty(), 7);
}

static void *left(void *arg) {
  int r = x;
#if SHAPE == 1
  if (r) {
  }
#elif SHAPE == 2
  if (r) goto l; else goto l;
l:;
#elif SHAPE == 3
  if (r) {
  } else {
  }
#elif SHAPE == 4
  switch (r) {
  }
#elif SHAPE == 5
  switch (r) {
  case 0:
  case 1:
  default:;
  }
#elif SHAPE == 6
  int v = r ? (empty(), 3) : (empty(), 3);
  (void)v;
#elif SHAPE == 7
  (void)(r && r);
#elif SHAPE == 8
  (void)(r || !r);
#elif SHAPE == 9
  while (r) break;
#elif SHAPE == 10
  do {
    if (r) continue;
  } while (0);
#elif SHAPE == 11
  returns(r);
#elif SHAPE == 12
  same(r);
#elif SHAPE == 13
  for (; r * 0;) {
  }
#elif SHAPE == 14
  if (r & 0) {
  }
#elif SHAPE == 15
  static void *const to[] = {&&a, &&a};
  goto *to[r & 1];
a:;
#elif SHAPE == 16
  void (*const f[])(void) = {empty, empty};
  f[r & 1]();
#elif SHAPE == 17
  if (r) empty(); else empty();
#elif SHAPE == 18
  if (r) { if (r == 1) {} } else if (r - r) {}
#endif
  y = 1;
  got = r;
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, left, 0);
  int s = y;
  x = s ^ s ^ 1;
  pthread_join(t, 0);
  assert(!(got == 1 && s == 1));
}
