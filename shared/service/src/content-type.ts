import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '@model-gateway/canonical';

/** A content type that an endpoint may accept. */
export type BodyType = 'application/json' | 'multipart/form-data';

const jsonType = 'application/json';
const formType = 'multipart/form-data';
/** The most characters of a refused type that its error repeats. */
const shownCharacters = 100;

/** True if a request's body is a form. */
export function isForm({ 'content-type': type = '' }: IncomingHttpHeaders): boolean {
  return mediaType(type) === formType;
}

/** Checks a body's type; a missing one counts as JSON. @throws GatewayError if it is not in `accepted` */
export function checkContentType(headers: IncomingHttpHeaders, accepted: readonly BodyType[]): void {
  const type = mediaType(headers['content-type'] ?? '');
  if (type === formType && accepted.includes(formType)) return;
  if (isJson(type) && accepted.includes(jsonType)) return;
  throw unsupportedType(type, accepted);
}

/** Rejects a body that is not a form, for an endpoint that accepts only forms. */
export function parseNone(_body: unknown, headers: IncomingHttpHeaders): never {
  throw unsupportedType(mediaType(headers['content-type'] ?? ''), [formType]);
}

/** True for `application/json`, a related type such as `application/vnd.api+json`, or no type. */
function isJson(type: string): boolean {
  return type === '' || type === jsonType || /^application\/[^/]+\+json$/.test(type);
}

function mediaType(contentType: string): string {
  return (contentType.split(';', 1)[0] as string).trim().toLowerCase();
}

function unsupportedType(type: string, accepted: readonly BodyType[]): GatewayError {
  const got = type ? `'${type.slice(0, shownCharacters)}'` : 'none';
  const expected = accepted.map(one => `'${one}'`).join(' or ');
  const message = `Unsupported content type: expected ${expected}, but got ${got}. ${remedy(accepted)}`;
  return new GatewayError('invalid-request', message, { code: 'unsupported_content_type' });
}

function remedy(accepted: readonly BodyType[]): string {
  return accepted.includes(jsonType)
    ? `Set the header Content-Type: ${jsonType}.`
    : `Send the body as a form, with the header Content-Type: ${formType}.`;
}
