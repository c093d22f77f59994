import { hashSecret } from '@model-gateway/access';
import { GatewayError } from '@model-gateway/canonical';
import type { Clock } from '@model-gateway/clock';
import { clientPart, parseAddress } from '@model-gateway/service';

/** The requests without a valid credential that one address may send at once, and then in a second. */
export const mostRefusals = { atOnce: 200, perSecond: 10 };
const eachMs = 1_000 / mostRefusals.perSecond;
/** The most addresses that are counted. Beyond it the one that asked longest ago is forgotten. */
const mostAddresses = 10_000;
/** The most credentials that are remembered as valid. */
const mostKnown = 1_000;

/**
 * Limits the checks of credentials that turn out invalid, by address, since each asks the database. A credential that was valid is
 * checked whatever its address did, so that others behind the same router are not locked out.
 */
export class CredentialChecks {
  readonly #clock: Clock;
  /** By address, the time at which its refusals are paid for. */
  readonly #paidAt = new Map<string, number>();
  /** The hashes of credentials that were valid, the one used last at the end. */
  readonly #known = new Set<string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Runs the check of a credential, which throws if it is invalid. Checks count from their start, so that many at once count, too.
   * @throws GatewayError of kind `rate-limited` if the address had too many invalid ones
   */
  async run<Found>(address: string, secret: string | undefined, check: () => Promise<Found>): Promise<Found> {
    const hash = secret === undefined ? undefined : hashSecret(secret);
    const client = partOf(address);
    const isKnown = hash !== undefined && this.#known.delete(hash);
    if (!isKnown) this.#refuseOver(client);
    this.#count(client, 1);
    const found = await check().catch(error => {
      if (!isRefusal(error)) this.#count(client, -1);
      throw error;
    });
    this.#count(client, -1);
    if (hash !== undefined) this.#know(hash);
    return found;
  }

  #refuseOver(client: string): void {
    const owed = (this.#paidAt.get(client) ?? 0) - this.#clock.monotonic();
    const retryAfterMs = owed - (mostRefusals.atOnce - 1) * eachMs;
    if (retryAfterMs <= 0) return;
    throw tooManyRefusals(retryAfterMs);
  }

  #count(client: string, checks: number): void {
    const now = this.#clock.monotonic();
    const paidAt = Math.max(this.#paidAt.get(client) ?? now, now) + checks * eachMs;
    this.#paidAt.delete(client);
    if (paidAt <= now) return;
    this.#paidAt.set(client, paidAt);
    if (this.#paidAt.size > mostAddresses) this.#paidAt.delete(firstOf(this.#paidAt));
  }

  #know(hash: string): void {
    this.#known.add(hash);
    if (this.#known.size > mostKnown) this.#known.delete(firstOf(this.#known));
  }
}

export function tooManyRefusals(retryAfterMs: number): GatewayError {
  const message = 'Too many requests without a valid credential came from this address. Wait, and try again.';
  return new GatewayError('rate-limited', message, { retryAfterMs, code: 'too_many_attempts' });
}

function isRefusal(error: unknown): boolean {
  return error instanceof GatewayError && error.kind === 'unauthenticated';
}

/** Returns the part of an address that is counted: of IPv6 its /64, since clients choose the rest. */
function partOf(address: string): string {
  const parsed = parseAddress(address);
  return parsed ? clientPart(parsed) : address;
}

function firstOf(entries: { keys(): IterableIterator<string> }): string {
  return entries.keys().next().value ?? '';
}
