// expect: sc=safe tso=safe pso=safe power=violation(assertion) arm=violation(assertion) [options: -- -DDEP=0]
// expect: all=safe power=safe arm=safe [options: -- -DDEP=r^r]
// expect: all=safe power=safe arm=safe [options: -- -DDEP=r-r]
// expect: all=safe power=safe arm=safe [options: -- -DDEP=r*0]
// expect: all=safe power=safe arm=safe [options: -- -DDEP=0*r]
// expect: all=safe power=safe arm=safe [options: -- -DDEP=r&0]
// expect: all=safe power=safe arm=safe [options: -- -DDEP=r%1]
// expect: all=safe power=safe arm=safe [options: -- -DDEP=r>>31]
// expect: all=safe power=safe arm=safe [options: -- -DDEP=(r==2)]
// expect: all=safe power=safe arm=safe [options: -- -DDEP=!r-!r]
// expect: all=safe power=safe arm=safe [options: -- -DADDRESS -DDEP=r^r]
// expect: all=safe power=safe arm=safe [options: -- -DADDRESS -DDEP=r-r]
// expect: all=safe power=safe arm=safe [options: -- -DADDRESS -DDEP=r*0]
// expect: all=safe power=safe arm=safe [options: -- -DADDRESS -DDEP=0*r]
// expect: all=safe power=safe arm=safe [options: -- -DADDRESS -DDEP=r&0]
// expect: all=safe power=safe arm=safe [options: -- -DADDRESS -DDEP=r%1]
// expect: all=safe power=safe arm=safe [options: -- -DADDRESS -DDEP=(r==2)]
//
// Load buffering: the store to `y` may overtake the load of `x` unless its value or its address is computed from what
// was loaded. That the result is 0 whatever was loaded makes no difference.
#include <assert.h>
#include <pthread.h>

volatile int x, y;
int got;

static void *left(void *arg) {
  int r = x;
#ifdef ADDRESS
  (&y)[DEP] = 1;
#else
  y = 1 + (DEP);
#endif
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
