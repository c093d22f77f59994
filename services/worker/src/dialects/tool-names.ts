import { createHash } from 'node:crypto';

const allowed = /^[a-zA-Z0-9_-]{1,64}$/;

/** A tool's name as the format can hold it: other characters, and what is too long, give way to a hash. */
export function toolName(name: string): string {
  if (allowed.test(name)) return name;
  return `${name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 50)}_${hash(name, 8)}`;
}

/** Ids longer than this are refused by some upstreams. */
const maxId = 40;

/** A call's id as every upstream takes it: the same for the call and its result, in every request. */
export function callId(id: string): string {
  return id.length <= maxId ? id : `call_${hash(id, 24)}`;
}

/** An id for a call that the upstream gave none: unique within the request that `seed` names. */
export function inventedCallId(seed: string, number: number): string {
  return `call_${hash(`${seed}:${number}`, 24)}`;
}

function hash(text: string, length: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}
