import { randomUUID } from 'node:crypto';

const maxTokens = 10_000;

/** The access tokens that a login service has given, and still accepts. */
export class IssuedTokens {
  readonly #expiries = new Map<string, number>();

  /** Returns a new token that is valid for some seconds. */
  issue(prefix: string, seconds: number): string {
    const token = `${prefix}${randomUUID()}`;
    this.#expiries.set(token, Date.now() + seconds * 1_000);
    if (this.#expiries.size > maxTokens) this.#expiries.delete(this.#expiries.keys().next().value ?? '');
    return token;
  }

  has(token: string): boolean {
    return (this.#expiries.get(token) ?? 0) > Date.now();
  }
}
