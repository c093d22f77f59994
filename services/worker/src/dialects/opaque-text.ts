import type { OpaquePart } from '@model-gateway/canonical';

/** What is the vendor's own: proofs for itself, and marks of its cache. */
const ownFields = /^(encrypted_|cache_control$|signature$)/;

/** A block that only another format has, as text that a model can read. */
export function opaqueText({ value }: OpaquePart): string {
  return JSON.stringify(value, (key, inner) => (ownFields.test(key) ? undefined : inner));
}
