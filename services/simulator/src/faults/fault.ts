import { delayOf } from '../mind/pace.ts';
import { Refusal } from '../refusal.ts';
import { type Spoil, spoils } from './spoils.ts';

/** How an answer goes wrong: with an error instead of it, or with its bytes spoilt. */
export type Fault =
  | {
      kind: 'error';
      status: number;
      /** Whether the error comes with status 200. */
      disguised: boolean;
      retryAfterS: number | null;
    }
  | { kind: 'spoil'; spoil: Spoil };

const retryAfterS = 7;
const disguised = '200-error';

/**
 * Reads the fault from the part of a model's name after its last `/`: `fault-429`, `fault-stall`; null is a good answer.
 * What else the name says, as in `fault-429-2s` or `fault-stall-t50-i10ms`, is a delay or the pace.
 * @throws Refusal where there is no such fault
 */
export function faultOf(model: string): Fault | null {
  const [, said] = /^fault-(.*)$/s.exec(model.slice(model.lastIndexOf('/') + 1)) ?? [];
  if (said === undefined) return null;
  const is = (name: string) => said === name || said.startsWith(`${name}-`);
  if (is(disguised)) return { kind: 'error', status: 500, disguised: true, retryAfterS: null };
  const [, status] = /^([45]\d\d)(?:-|$)/.exec(said) ?? [];
  if (status)
    return { kind: 'error', status: Number(status), disguised: false, retryAfterS: waitOf(status, said) };
  const [, spoil] = Object.entries(spoils).find(([name]) => is(name)) ?? [];
  if (!spoil) throw new Refusal(404, `The model '${model}' does not exist.`, 'model_not_found', 'model');
  return { kind: 'spoil', spoil };
}

function waitOf(status: string, said: string): number | null {
  if (status !== '429') return null;
  const ms = said
    .split('-')
    .map(delayOf)
    .find(delay => delay !== null);
  return ms === undefined ? retryAfterS : Math.ceil((ms ?? 0) / 1_000);
}
