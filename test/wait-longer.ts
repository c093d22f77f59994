import { vi } from 'vitest';

/** The default of `vi.waitFor` is a second, which is too short on a busy machine. Vitest has no setting for it. */
const timeout = 15_000;

const { waitFor } = vi;
if (waitFor.name !== 'waitLonger') {
  vi.waitFor = function waitLonger(check, options) {
    return waitFor(check, typeof options === 'number' ? options : { timeout, ...options });
  };
}
