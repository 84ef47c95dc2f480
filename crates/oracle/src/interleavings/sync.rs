//! Locks, condition variables, spawn and join. The thread's buffer is empty throughout.

use super::world::{Event, Running, ThreadName, Waiting, World};
use super::{Machine, Worlds, is_over};
use crate::layout::Extent;
use crate::local::Thread;
use crate::outcome::Trouble;
use raddle_ir::{Callee, InstKind, Operand, Reg, Type};
use std::rc::Rc;

const FREE: u128 = 0;
const HELD: u128 = 1;
const DESTROYED: u128 = 0xffff_ffff;

impl Machine<'_, '_> {
    pub(super) fn synchronise(
        &mut self,
        world: &World,
        name: ThreadName,
        inst: &InstKind,
    ) -> Worlds {
        let local = &world.threads[&name].local;
        let address = |operand: Operand| local.address(self.cx, operand);
        match inst {
            InstKind::Lock { addr } => {
                let mutex = Extent::mutex(address(*addr));
                self.lock(world, name, mutex)
            }
            InstKind::TryLock { dst, addr } => {
                let mutex = Extent::mutex(address(*addr));
                self.try_lock(world, name, *dst, mutex)
            }
            InstKind::Unlock { addr } => {
                let mutex = Extent::mutex(address(*addr));
                self.unlock(world, name, mutex)
            }
            InstKind::CondWait { woken: Some(_), .. } => Trouble::unsupported("timed waits"),
            InstKind::CondWait { woken: None, cond, mutex } => {
                let (cond, mutex) = (address(*cond), Extent::mutex(address(*mutex)));
                self.wait(world, name, cond, mutex)
            }
            InstKind::CondSignal { cond } => self.signal(world, name, address(*cond)),
            InstKind::CondBroadcast { cond } => self.broadcast(world, name, address(*cond)),
            InstKind::Spawn { dst, callee, args } => self.spawn(world, name, *dst, *callee, args),
            InstKind::Join { dst, thread } => {
                let child =
                    ThreadName::from_handle(local.value(self.cx, *thread, Type::I64) as u64);
                self.join(world, name, *dst, child)
            }
            other => Trouble::unsupported(format!("in the interleaving oracle: {other:?}")),
        }
    }

    fn lock(&mut self, world: &World, name: ThreadName, mutex: Extent) -> Worlds {
        if !self.check(mutex, true)? {
            return self.fail(world, name, None);
        }
        if let Some(failed) = self.destroyed(world, name, mutex) {
            return failed;
        }
        if world.read(self.cx, mutex).0 != FREE {
            return Ok(Vec::new());
        }
        let mut after = world.clone();
        after.write(mutex, HELD, world.next_event(name));
        after.thread_mut(name).held.insert(mutex);
        self.finish(after, name, Some(Event::Lock { mutex }))
    }

    fn try_lock(&mut self, world: &World, name: ThreadName, dst: Reg, mutex: Extent) -> Worlds {
        if !self.check(mutex, true)? {
            return self.fail(world, name, None);
        }
        if let Some(failed) = self.destroyed(world, name, mutex) {
            return failed;
        }
        let (value, from) = world.read(self.cx, mutex);
        let mut after = world.clone();
        after.thread_mut(name).local.set(dst, (value == FREE).into());
        let event = if value == FREE {
            after.write(mutex, HELD, world.next_event(name));
            after.thread_mut(name).held.insert(mutex);
            Event::Lock { mutex }
        } else {
            Event::LockFailed { mutex, from }
        };
        self.finish(after, name, Some(event))
    }

    /// The failure of a thread that uses a destroyed mutex.
    fn destroyed(&self, world: &World, name: ThreadName, mutex: Extent) -> Option<Worlds> {
        let (value, from) = world.read(self.cx, mutex);
        let event = Event::LockFailed { mutex, from };
        (value == DESTROYED).then(|| self.fail(world, name, Some(event)))
    }

    fn unlock(&mut self, world: &World, name: ThreadName, mutex: Extent) -> Worlds {
        if !self.check(mutex, true)? {
            return self.fail(world, name, None);
        }
        if !world.threads[&name].held.contains(&mutex) {
            let misuse = || self.fail(world, name, Some(Event::Misuse { mutex }));
            return self.destroyed(world, name, mutex).unwrap_or_else(misuse);
        }
        let mut after = world.clone();
        after.write(mutex, FREE, world.next_event(name));
        after.thread_mut(name).held.remove(&mutex);
        self.finish(after, name, Some(Event::Unlock { mutex }))
    }

    /// The next of the three events of waiting on a condition variable.
    fn wait(&mut self, world: &World, name: ThreadName, cond: u64, mutex: Extent) -> Worlds {
        match world.threads[&name].waiting {
            None => self.enqueue(world, name, cond, mutex),
            Some(Waiting::Queued) => self.release(world, name, mutex, Waiting::Asleep),
            Some(Waiting::Woken { by, released: false }) => {
                self.release(world, name, mutex, Waiting::Woken { by, released: true })
            }
            Some(Waiting::Asleep) => Ok(Vec::new()),
            Some(Waiting::Woken { by, released: true }) => {
                if let Some(failed) = self.destroyed(world, name, mutex) {
                    return failed;
                }
                if world.read(self.cx, mutex).0 != FREE {
                    return Ok(Vec::new());
                }
                let mut after = world.clone();
                after.write(mutex, HELD, world.next_event(name));
                after.thread_mut(name).waiting = None;
                self.finish(after, name, Some(Event::Relock { mutex, woken_by: by }))
            }
        }
    }

    fn enqueue(&mut self, world: &World, name: ThreadName, cond: u64, mutex: Extent) -> Worlds {
        if !self.check(mutex, true)? {
            return self.fail(world, name, None);
        }
        if !world.threads[&name].held.contains(&mutex) {
            let misuse = || self.fail(world, name, Some(Event::Misuse { mutex }));
            return self.destroyed(world, name, mutex).unwrap_or_else(misuse);
        }
        let mut after = world.clone();
        let condition = after.conditions.entry(cond).or_default();
        condition.queue.insert(name);
        let signals_before = condition.signals.len();
        let thread = after.thread_mut(name);
        thread.waiting = Some(Waiting::Queued);
        thread.events.push(Event::Enqueue { cond, signals_before });
        Ok(vec![after])
    }

    /// Releases the mutex; the thread stays at its wait instruction.
    fn release(&self, world: &World, name: ThreadName, mutex: Extent, next: Waiting) -> Worlds {
        let mut after = world.clone();
        after.write(mutex, FREE, world.next_event(name));
        let thread = after.thread_mut(name);
        thread.waiting = Some(next);
        thread.events.push(Event::Unlock { mutex });
        Ok(vec![after])
    }

    fn signal(&self, world: &World, name: ThreadName, cond: u64) -> Worlds {
        let queue = world.conditions.get(&cond).map(|c| c.queue.clone()).unwrap_or_default();
        let mut choices: Vec<Option<ThreadName>> = queue.into_iter().map(Some).collect();
        if choices.is_empty() {
            choices.push(None);
        }
        let mut next = Vec::new();
        for wakes in choices {
            let mut after = world.clone();
            after.notify(name, cond, wakes.as_slice());
            next.extend(self.finish(after, name, Some(Event::Signal { cond, wakes }))?);
        }
        Ok(next)
    }

    fn broadcast(&self, world: &World, name: ThreadName, cond: u64) -> Worlds {
        let queue = world.conditions.get(&cond).map(|c| c.queue.clone()).unwrap_or_default();
        let mut after = world.clone();
        after.notify(name, cond, &Vec::from_iter(queue));
        self.finish(after, name, Some(Event::Broadcast { cond }))
    }

    fn spawn(
        &self,
        world: &World,
        name: ThreadName,
        dst: Reg,
        callee: Callee,
        args: &[Operand],
    ) -> Worlds {
        let parent = &world.threads[&name];
        let Some(func) = self.cx.callee(&parent.local, callee) else {
            return self.fail(world, name, None);
        };
        let child = name.child(parent.spawned)?;
        let args = parent.local.args(self.cx, func, args);
        let mut after = world.clone();
        let local = Thread::start(self.cx, func, &args)?;
        after.threads.insert(child, Rc::new(Running::new(local)));
        let parent = after.thread_mut(name);
        parent.spawned += 1;
        parent.local.set(dst, child.handle().into());
        self.finish(after, name, Some(Event::Spawn(child)))
    }

    fn join(&self, world: &World, name: ThreadName, dst: Option<Reg>, child: ThreadName) -> Worlds {
        if !world.threads.contains_key(&child) || child == name {
            return self.fail(world, name, None);
        }
        let Some(result) = is_over(world, child) else { return Ok(Vec::new()) };
        let mut after = world.clone();
        if let Some(reg) = dst {
            after.thread_mut(name).local.set(reg, result.into());
        }
        self.finish(after, name, Some(Event::Join(child)))
    }
}

impl World {
    /// Records a signal or broadcast of `name` that wakes `woken`.
    fn notify(&mut self, name: ThreadName, cond: u64, woken: &[ThreadName]) {
        let by = self.next_event(name);
        let condition = self.conditions.entry(cond).or_default();
        condition.signals.push(by);
        condition.queue.retain(|waiter| !woken.contains(waiter));
        for waiter in woken {
            let thread = self.thread_mut(*waiter);
            let released = thread.waiting == Some(Waiting::Asleep);
            thread.waiting = Some(Waiting::Woken { by, released });
        }
    }
}
