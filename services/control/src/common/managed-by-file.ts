import type { FileLocation } from '@model-gateway/admin-api';
import { GatewayError } from '@model-gateway/canonical';
import type { RecordKind } from '@model-gateway/catalog';

/** Returns the place where gateway.yaml states an entry. */
export type PlaceOf = (kind: RecordKind, name: string) => FileLocation;

/** The error for a change of an entry that gateway.yaml states. */
export function managedByFile(
  kind: RecordKind,
  name: string,
  placeOf: PlaceOf,
  param?: string,
): GatewayError {
  const { file, line } = placeOf(kind, name);
  const [named, at] = [JSON.stringify(name), line === null ? '' : `, line ${line}`];
  const message = `The ${kind} ${named} is managed by ${file}${at}. Change it there, or move it to the database by: gateway adopt ${kind} ${named}`;
  return new GatewayError('invalid-request', message, { ...(param && { param }), code: 'managed_by_file' });
}
