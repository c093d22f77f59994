import { KnownFields } from '@model-gateway/canonical';

/** The top-level fields of object schemas, which together are what an endpoint reads of a body. */
export function knownFields(...schemas: readonly { shape: Record<string, unknown> }[]): KnownFields {
  return new KnownFields(schemas.flatMap(({ shape }) => Object.keys(shape)));
}
