import type { OpaquePart } from '@model-gateway/canonical';

/** Fields that only the vendor uses: signatures, encrypted data and cache breakpoints. */
const vendorFields = /^(encrypted_|cache_control$|signature$)/;

/** Returns a block that only another format has as JSON text, without fields that only its vendor uses. */
export function opaqueText({ value }: OpaquePart): string {
  return JSON.stringify(value, (key, inner) => (vendorFields.test(key) ? undefined : inner));
}
