import { setImmediate } from 'node:timers/promises';

let last: Promise<unknown> = Promise.resolve();

/** Resolves in a later turn of the event loop: one step of all that wait runs in a turn. */
export async function nextStep(): Promise<void> {
  last = last.then(() => setImmediate());
  await last;
}
