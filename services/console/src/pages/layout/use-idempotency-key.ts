import { useRef } from 'react';

/**
 * Returns a function that gives the idempotency key of a request by its body: the same one while the body is the same, so that a
 * request whose answer was lost can be sent again without making a second secret. `forget` begins anew after a success.
 */
export function useIdempotencyKey(): { keyFor(body: object): string; forget(): void } {
  const last = useRef<{ text: string; key: string }>(undefined);
  return {
    keyFor(body) {
      const text = JSON.stringify(body);
      if (last.current?.text !== text) last.current = { text, key: randomKey() };
      return last.current.key;
    },
    forget() {
      last.current = undefined;
    },
  };
}

/** Returns 128 random bits in hex. Unlike `crypto.randomUUID`, it works on plain HTTP from another machine, too. */
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), part =>
    part.toString(16).padStart(8, '0'),
  ).join('');
}
