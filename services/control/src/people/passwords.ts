import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { type GatewayError, overloaded } from '@model-gateway/canonical';

/** The cost of a hash: memory in KiB, passes, lanes. */
interface Cost {
  memory: number;
  passes: number;
  parallelism: number;
}

/** The least cost that OWASP's password storage cheat sheet names for Argon2id. */
const leastCost: Cost = { memory: 19_456, passes: 2, parallelism: 1 };
const saltBytes = 16;
const hashBytes = 32;
/** Hashes that are computed at once, of 19 MiB each. */
const atOnce = 2;
/** The most hashes that wait. At 50 ms each, the last one waits for about two seconds. */
export const mostWaiting = 64;

const derive = promisify(argon2);

/** Hashes and checks passwords by Argon2id, a few at once. */
export class Passwords {
  readonly #cost: Cost;
  /** Stands for the hash of a user who does not exist or has no password. */
  readonly #unknown: Parsed;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(cost: Cost = leastCost) {
    this.#cost = cost;
    this.#unknown = { cost: { ...cost, nonce: Buffer.alloc(saltBytes) }, hash: Buffer.alloc(hashBytes) };
  }

  /** Returns the hash as a PHC string. @throws GatewayError of kind `overloaded` if too many hashes are waiting */
  async hash(password: string): Promise<string> {
    const salt = randomBytes(saltBytes);
    const hash = await this.#derive(password, { ...this.#cost, nonce: salt, tagLength: hashBytes });
    return phc(this.#cost, salt, hash);
  }

  /** True if `stored` is the hash of the password. For a user without one it takes the same time. */
  async matches(password: string, stored: string | null): Promise<boolean> {
    const expected = (stored !== null && parse(stored)) || this.#unknown;
    const found = await this.#derive(password, { ...expected.cost, tagLength: expected.hash.length });
    return timingSafeEqual(found, expected.hash) && expected !== this.#unknown;
  }

  async #derive(password: string, parameters: Cost & { nonce: Buffer; tagLength: number }): Promise<Buffer> {
    if (this.#running >= atOnce) {
      if (this.#waiting.length >= mostWaiting) throw tooManySignIns();
      await new Promise<void>(resolve => this.#waiting.push(resolve));
    } else this.#running++;
    try {
      // A password has one spelling, whatever keyboard it was typed on.
      return await derive('argon2id', { ...parameters, message: password.normalize('NFKC') });
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}

/** Returns a password of 120 random bits. */
export function randomPassword(): string {
  return randomBytes(15).toString('base64url');
}

interface Parsed {
  cost: Cost & { nonce: Buffer };
  hash: Buffer;
}

function phc({ memory, passes, parallelism }: Cost, salt: Buffer, hash: Buffer): string {
  const encode = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${encode(salt)}$${encode(hash)}`;
}

function parse(text: string): Parsed | undefined {
  const [, memory, passes, parallelism, salt, hash] =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(text) ?? [];
  if (!salt || !hash) return undefined;
  return {
    cost: {
      memory: Number(memory),
      passes: Number(passes),
      parallelism: Number(parallelism),
      nonce: Buffer.from(salt, 'base64'),
    },
    hash: Buffer.from(hash, 'base64'),
  };
}

export function tooManySignIns(): GatewayError {
  const message = `Too many users are signing in: ${mostWaiting} wait at this control, which is the most. Retry later.`;
  return overloaded('sign_ins_full', message, { retryAfterMs: 2_000 });
}
