import { digest } from '#bytes';

const allowed = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/;

/** Returns a name that this format allows. An invalid name gets its characters replaced and a hash added. */
export function functionName(name: string): string {
  if (allowed.test(name)) return name;
  const kept = name.replace(/[^a-zA-Z0-9_.:-]/g, '_').replace(/^(?![a-zA-Z_])/, '_');
  return `${kept.slice(0, 51)}_${digest(name, 12)}`;
}

const generatedId = /^call_gg[0-9a-f]{24}$/;

/** Generates an id for a call without one. It is unique within the response that `seed` identifies. */
export function generateCallId(seed: string, number: number): string {
  return `call_gg${digest(`${seed}:${number}`, 24)}`;
}

/** Returns the `id` field of a call, empty if the gateway generated the id. */
export function idField(id: string): { id?: string } {
  return id === '' || generatedId.test(id) ? {} : { id };
}
