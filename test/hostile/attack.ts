import type { AttackedGateway } from './gateway.ts';
import { type Answered, post, type Sent } from './send.ts';

/** An attempt of one token or address to slow the gateway for all others. */
export interface Attack {
  name: string;
  /** Rejects if the attacker gets an unexpected answer. */
  run(gateway: AttackedGateway, attacker: Sent): Promise<void>;
}

export const chat = '/v1/chat/completions';
export const generate = '/v1beta/models/gemini:generateContent';
export const list = (count: number, item: string) => Array(count).fill(item).join(',');
export const asking = (model: string, more = '') =>
  `{"model":"${model}"${more},"messages":[{"role":"user","content":"x"}]}`;

export function must(name: string, { status, text }: Answered, ...wanted: number[]): void {
  if (!wanted.includes(status)) throw new Error(`${name}: got ${status} ${text.slice(0, 300)}`);
}

/** One body in one request, and its expected statuses. */
export function body(name: string, path: string, make: () => string, ...wanted: number[]): Attack {
  return {
    name,
    run: async (_gateway, attacker) => must(name, await post(attacker, path, make()), ...wanted),
  };
}
