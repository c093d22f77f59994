import { useRef } from 'react';
import { randomKey } from './random-key.ts';

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
