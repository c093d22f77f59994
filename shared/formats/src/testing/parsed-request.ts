import type { GenerateRequest } from '@model-gateway/canonical';
import { refusal } from '@model-gateway/canonical/testing/events';
import { parseWhole } from '../generate-content/parse.ts';

export const path = '/v1beta/models/m:generateContent';
export const hi = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] };

/** A request that is to be translated. */
export function parsed(body: unknown, url = path) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const request = parseWhole(JSON.parse(text), {}, Buffer.from(text), url);
  if (!('canonical' in request)) throw new Error('not to be translated');
  return request;
}

/** The canonical request, serialized as for the bus. */
export const canonical = (fields: object | string): GenerateRequest =>
  JSON.parse(JSON.stringify(parsed(typeof fields === 'string' ? fields : { ...hi, ...fields }).canonical()));
/** The messages of contents. */
export const turns = (...contents: unknown[]) => canonical({ contents }).messages;
export const user = (...parts: unknown[]) => ({ role: 'user', parts });
export const model = (...parts: unknown[]) => ({ role: 'model', parts });
/** The error of a request that cannot be translated; undefined if it can. */
export const failure = (fields: object) => refusal(() => parsed({ ...hi, ...fields }).canonical());
