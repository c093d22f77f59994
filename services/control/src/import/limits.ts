import type { NewToken } from '@model-gateway/admin-api';
import type { Part } from './account.ts';

export type Limits = NonNullable<NewToken['limits']>;
type Rate = 'requestsPerMinute' | 'tokensPerMinute' | 'concurrency';

const most = 1e12;

/** Reads limits; `isZero` if one of them allows nothing. */
export function limitsOf(fields: Readonly<Record<Rate, Part>>): { limits?: Limits; isZero: boolean } {
  const limits: Limits = {};
  let isZero = false;
  for (const [name, part] of Object.entries(fields) as [Rate, Part][]) {
    const value = part.number();
    if (value === undefined) continue;
    if (value <= 0) {
      isZero = true;
      part.change('It allows no request. Tokens that it holds for are disabled.');
    } else if (!Number.isInteger(value) || value > most) part.lose('It must be a whole number.');
    else limits[name] = value;
  }
  return { ...(Object.keys(limits).length > 0 && { limits }), isZero };
}
