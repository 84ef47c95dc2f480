// The fences of table 1's variants. Compile with -DFENCE_TSO for those that make a program correct under
// TSO, with -DFENCE_PSO for those and the ones that PSO needs on top, with -DFENCE_POWER for those that POWER
// and ARM need: full ones in the same places and where loads must stay in order.
#ifndef FENCES_H
#define FENCES_H

#if defined FENCE_POWER
#define FULL_FENCE() __asm__ volatile("sync" ::: "memory")
#else
#define FULL_FENCE() ((void)0)
#endif

#if defined FENCE_TSO || defined FENCE_PSO
// A store is not overtaken by a later load.
#define TSO_FENCE() __asm__ volatile("mfence" ::: "memory")
#else
#define TSO_FENCE() FULL_FENCE()
#endif

#ifdef FENCE_PSO
// A store is not overtaken by a later store.
#define PSO_FENCE() __asm__ volatile("sfence" ::: "memory")
#else
#define PSO_FENCE() FULL_FENCE()
#endif

// A load is not overtaken by a later load.
#define LOAD_FENCE() FULL_FENCE()

#endif
