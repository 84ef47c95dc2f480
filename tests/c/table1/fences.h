// The fences of table 1's variants. Compile with -DFENCE_TSO for those that make a program correct under
// TSO, with -DFENCE_PSO for those and the ones that PSO needs on top.
#ifndef FENCES_H
#define FENCES_H

#if defined FENCE_TSO || defined FENCE_PSO
// A store is not overtaken by a later load.
#define TSO_FENCE() __asm__ volatile("mfence" ::: "memory")
#else
#define TSO_FENCE() ((void)0)
#endif

#ifdef FENCE_PSO
// A store is not overtaken by a later store.
#define PSO_FENCE() __asm__ volatile("sfence" ::: "memory")
#else
#define PSO_FENCE() ((void)0)
#endif

#endif
