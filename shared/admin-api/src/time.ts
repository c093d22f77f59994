import { z } from 'zod/mini';

export const rfc3339 = z.iso
  .datetime({ offset: true })
  .check(z.regex(/T\d\d:\d\d:\d\d/, 'must be an RFC 3339 time'));

/** A time after the request. */
export const futureTime = rfc3339.check(
  z.refine(text => !(Date.parse(text) <= Date.now()), 'must be in the future'),
);
