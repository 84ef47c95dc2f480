// expect: all=safe [executions: all=3] [small]
// Tests of stateless model checkers often look like this: every call checked, nothing joined but by hand.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int x;
atomic_int y;

void *thread_1(void *unused)
{
	atomic_store_explicit(&x, 1, memory_order_seq_cst);
	int r = atomic_load_explicit(&y, memory_order_seq_cst);
	(void)r;
	return NULL;
}

void *thread_2(void *unused)
{
	atomic_store_explicit(&y, 1, memory_order_seq_cst);
	int r = atomic_load_explicit(&x, memory_order_seq_cst);
	(void)r;
	return NULL;
}

int main()
{
	pthread_t t1, t2;

	if (pthread_create(&t1, NULL, thread_1, NULL))
		abort();
	if (pthread_create(&t2, NULL, thread_2, NULL))
		abort();
	if (pthread_join(t1, NULL))
		abort();
	if (pthread_join(t2, NULL))
		abort();
	return 0;
}
