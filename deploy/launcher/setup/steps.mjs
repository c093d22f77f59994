/** Prints a line on standard error, since standard output belongs to the program that is set up. */
export const say = (/** @type {string} */ line) => console.error(line);

/** A problem that its user can solve: it is printed without a stack. */
export class Problem extends Error {}

/**
 * Runs a step, and prints when it begins and how long it took.
 * @template Result
 * @param {string} name Such as `Packages`.
 * @param {string} doing Such as `installing (npm ci)`.
 * @param {() => Promise<Result>} run
 * @returns {Promise<Result>}
 */
export async function step(name, doing, run) {
  const started = performance.now();
  say(`${name}: ${doing} ...`);
  const result = await run();
  say(`${name}: done in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return result;
}
