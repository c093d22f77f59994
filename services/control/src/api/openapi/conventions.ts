import type { Endpoint } from '@model-gateway/admin-api';
import { keyHeader, mostKeyCharacters, replayedHeader } from '../idempotency.ts';

const text = { type: 'string' };

const etag = {
  description: 'The version of the resource, in quotes. It changes with every change of the resource.',
  schema: text,
};

const ifMatch = {
  name: 'If-Match',
  in: 'header',
  description: 'The ETag of the resource as it was read. If it has changed since, nothing is changed: 412.',
  schema: text,
};

const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header',
  schema: text,
};

const idempotencyKey = {
  name: keyHeader,
  in: 'header',
  description:
    'A text of the client. The same request with the same key has an effect once: for 24 hours it gets the same answer.',
  schema: { type: 'string', minLength: 1, maxLength: mostKeyCharacters },
};

/** Returns the headers that an endpoint takes by the conventions of the API, as parameters of OpenAPI. */
export function conventionalParameters({
  method,
  conditional,
  idempotencyKey: takesKey,
}: Endpoint): object[] {
  const forRead = { ...ifNoneMatch, description: 'ETags that the client has: 304 if it is one of them.' };
  const forPut = { ...ifNoneMatch, description: '`*` to create only: 412 if the resource exists.' };
  return [
    ...(conditional && method === 'get' ? [forRead] : []),
    ...(conditional && method !== 'get' ? [ifMatch] : []),
    ...(conditional && method === 'put' ? [forPut] : []),
    ...(takesKey ? [idempotencyKey] : []),
  ];
}

/** Returns the headers of an endpoint's successful response, for OpenAPI. */
export function conventionalHeaders({ method, conditional, tagged, idempotencyKey }: Endpoint): object {
  const hasTag = tagged || (conditional && (method === 'get' || method === 'put' || method === 'patch'));
  const replayed = { description: '`true` if this is the kept answer of an earlier request.', schema: text };
  return {
    ...(hasTag && { etag }),
    ...(idempotencyKey && { [replayedHeader]: replayed }),
  };
}

/** Returns the responses of an endpoint beside that of success and the errors, for OpenAPI. */
export function conventionalResponses({ method, conditional }: Endpoint): object {
  if (!conditional || method !== 'get') return {};
  return { 304: { description: 'The client has the resource as it is.', headers: { etag } } };
}
