import { createHash } from 'node:crypto';

const allowed = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/;

/** A function's name as this format allows it: as much of it as can be kept, and what sets it apart from its like. */
export function functionName(name: string): string {
  if (allowed.test(name)) return name;
  const kept = name.replace(/[^a-zA-Z0-9_.:-]/g, '_').replace(/^(?![a-zA-Z_])/, '_');
  return `${kept.slice(0, 51)}_${hash(name, 12)}`;
}

const made = /^call_gg[0-9a-f]{24}$/;

/** An id for a call that the upstream gave none, unique within the answer that `seed` names. */
export function madeCallId(seed: string, number: number): string {
  return `call_gg${hash(`${seed}:${number}`, 24)}`;
}

/** A call's id to be spread into it; an upstream that gave none is told none. */
export function givenId(id: string): { id?: string } {
  return id === '' || made.test(id) ? {} : { id };
}

function hash(text: string, length: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}
