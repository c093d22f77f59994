import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '@model-gateway/canonical';

const formType = 'multipart/form-data';

/** Whether a request brings a form. */
export function isForm({ 'content-type': type = '' }: IncomingHttpHeaders): boolean {
  return mediaType(type) === formType;
}

/** Before anything is read: what is no form may be the file itself. @throws GatewayError for what is no form */
export function requireForm(headers: IncomingHttpHeaders): void {
  if (!isForm(headers)) throw unsupportedType(headers, formType);
}

/** Where there is only the form, no other body is parsed. */
export function parseNone(_body: unknown, headers: IncomingHttpHeaders): never {
  throw unsupportedType(headers, formType);
}

/** @throws GatewayError for what can only be a form, where JSON is taken */
export function requireJson(headers: IncomingHttpHeaders): void {
  if (mediaType(headers['content-type'] ?? '').startsWith('multipart/'))
    throw unsupportedType(headers, 'application/json');
}

/** @throws GatewayError for what is in parts, but no form, where a form or JSON is taken */
export function requireFormOrJson(headers: IncomingHttpHeaders): void {
  if (!isForm(headers)) requireJson(headers);
}

function mediaType(contentType: string): string {
  return (contentType.split(';', 1)[0] as string).trim().toLowerCase();
}

function unsupportedType({ 'content-type': type }: IncomingHttpHeaders, expected: string): GatewayError {
  const got = type ? `'${mediaType(type).slice(0, 100)}'` : 'none';
  const message = `Unsupported content type: expected '${expected}', but got ${got}.`;
  return new GatewayError('invalid-request', message, { code: 'unsupported_content_type' });
}
