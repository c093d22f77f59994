import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '@model-gateway/canonical';

/** A type of body that an endpoint can take. */
export type BodyType = 'application/json' | 'multipart/form-data';

const jsonType = 'application/json';
const formType = 'multipart/form-data';
/** The most characters of a refused type that its error repeats. */
const shownCharacters = 100;

/** True if a request brings a form. */
export function isForm({ 'content-type': type = '' }: IncomingHttpHeaders): boolean {
  return mediaType(type) === formType;
}

/** A body without a type is taken as JSON. @throws GatewayError for a body of a type that is not among `taken` */
export function checkContentType(headers: IncomingHttpHeaders, taken: readonly BodyType[]): void {
  const type = mediaType(headers['content-type'] ?? '');
  if (type === formType && taken.includes(formType)) return;
  if (isJson(type) && taken.includes(jsonType)) return;
  throw unsupportedType(type, taken);
}

/** Refuses a body that is no form, for an endpoint that takes forms alone. */
export function parseNone(_body: unknown, headers: IncomingHttpHeaders): never {
  throw unsupportedType(mediaType(headers['content-type'] ?? ''), [formType]);
}

/** `application/json`, one of its kin such as `application/vnd.api+json`, or nothing. */
function isJson(type: string): boolean {
  return type === '' || type === jsonType || /^application\/[^/]+\+json$/.test(type);
}

function mediaType(contentType: string): string {
  return (contentType.split(';', 1)[0] as string).trim().toLowerCase();
}

function unsupportedType(type: string, taken: readonly BodyType[]): GatewayError {
  const got = type ? `'${type.slice(0, shownCharacters)}'` : 'none';
  const expected = taken.map(one => `'${one}'`).join(' or ');
  const message = `Unsupported content type: expected ${expected}, but got ${got}. ${remedy(taken)}`;
  return new GatewayError('invalid-request', message, { code: 'unsupported_content_type' });
}

function remedy(taken: readonly BodyType[]): string {
  return taken.includes(jsonType)
    ? `Set the header Content-Type: ${jsonType}.`
    : `Send the body as a form, with the header Content-Type: ${formType}.`;
}
