import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { Console } from './console.ts';

/** The arguments of `Console.start`. */
export interface ConsoleOptions {
  /** A function is called first. */
  config?: string | (() => Promise<string>);
  env?: Record<string, string>;
  args?: string[];
}

/**
 * Starts a gateway and a browser for the tests of a file, which are skipped where there is no Chromium. After each test its pages
 * are closed, and it fails if one of them complained.
 */
export function startConsole(
  onStart: (started: Console) => unknown,
  { config, env, args }: ConsoleOptions = {},
): void {
  let started: Console | undefined;
  beforeAll(async () => {
    if (!Console.possible) return;
    started = await Console.start(typeof config === 'function' ? await config() : config, env, args);
    await onStart(started);
  });
  afterAll(() => started?.stop());
  beforeEach(context => {
    if (!Console.possible) context.skip('there is no Chromium on this machine');
  });
  afterEach(async () => {
    await Promise.all(started?.browser.contexts().map(context => context.close()) ?? []);
    expect(started?.complaints.splice(0) ?? []).toEqual([]);
  });
}
