#ifndef COUNTER_H
#define COUNTER_H

extern int counter;

void increment(void);
int calls_made(void);
int step(void);

#endif
