import { type NewToken, newToken } from '@model-gateway/admin-api';
import { isConnectionHeader } from '@model-gateway/catalog';
import { foldName } from '../common/fold-name.ts';
import type { Part } from './account.ts';
import type { ImportedToken } from './result.ts';

/** Returns a name that the admin API accepts: of visible characters, at most 200. */
export function acceptableName(text: string | undefined, otherwise: string): string {
  const name = text?.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '').trim();
  return name ? name.slice(0, 200).trim() : otherwise;
}

/** Gives different things different names, which differ in more than case. */
export class Names {
  readonly #taken = new Set<string>();

  /** Returns the name, with a number behind it if it is taken. */
  take(wanted: string): string {
    let name = wanted;
    for (let number = 2; this.#taken.has(foldName(name)); number++)
      name = `${wanted.slice(0, 190)} ${number}`;
    this.#taken.add(foldName(name));
    return name;
  }
}

/** Removes the error of a multiplication: 0.15 for 0.15000000000000002. */
export function exact(amount: number): number {
  return Number(amount.toPrecision(12));
}

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

const secretName = /auth|key|token|secret|cookie|password|credential|signature/i;
const headerName = /^[\w!#$%&'*+.^`|~-]+$/;

/** Returns the headers that gateway.yaml may hold. The others are reported. `resolve` returns the value of a text. */
export function plainHeaders(
  part: Part,
  resolve: (part: Part) => string | undefined,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const field of part.mapping()) {
    const value = resolve(field);
    if (!headerName.test(field.key)) field.lose('It is not a valid name of a header.');
    else if (isConnectionHeader(field.key)) field.lose('The gateway sets this header itself.');
    else if (secretName.test(field.key))
      field.lose(
        'The header may hold a secret, which gateway.yaml should not. Use apiKey, or add it to headers by hand.',
      );
    else if (value === undefined) continue;
    else if (value === '' || /\p{Cc}/u.test(value)) field.lose('The value is not one line of text.');
    else headers[field.key] = value;
  }
  return headers;
}

/** Returns a token; undefined if the admin API would refuse it, which is then reported. */
export function validToken(row: Part, wanted: ImportedToken['wanted']): ImportedToken | undefined {
  const [issue] = newToken.safeParse(wanted).error?.issues ?? [];
  if (!issue) return { from: row.where, wanted };
  return row.lose(`The gateway refuses such a token: ${issue.path.join('.')} ${issue.message}.`);
}
