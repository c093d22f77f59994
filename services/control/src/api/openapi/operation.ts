import {
  asksForRole,
  type Endpoint,
  type EndpointName,
  endpoints,
  permissions,
  projectRoles,
  type Scope,
} from '@model-gateway/admin-api';
import type { z } from 'zod/mini';
import { conventionalHeaders, conventionalParameters, conventionalResponses } from './conventions.ts';
import { errorResponses } from './errors.ts';
import { examples } from './examples.ts';
import { reference, schemaOf } from './schemas.ts';
import { tagOf } from './tags.ts';

const security: Record<Endpoint['bearer'], object[]> = {
  admin: [{ admin: [] }, { session: [] }],
  self: [{ admin: [] }, { session: [] }],
  client: [{ client: [] }],
  none: [],
};

/** Returns an endpoint of the admin API as an operation of the document. */
export function operation(name: EndpointName): object {
  const endpoint: Endpoint = endpoints[name];
  const { summary, bearer, path, query, body, status } = endpoint;
  const parameters = [...inPath(path), ...(query ? inQuery(query) : []), ...conventionalParameters(endpoint)];
  return {
    operationId: name,
    tags: [tagOf(path)],
    summary,
    ...(asksForRole(name) && { description: rolesOf(permissions[name]) }),
    security: security[bearer],
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: !mayBeAbsent(name), content: inJson(body, examples[name]) } }),
    responses: { [status]: success(endpoint), ...conventionalResponses(endpoint), ...errorResponses(name) },
  };
}

/** True if an absent body counts as an empty object: nothing is replaced or changed by mistake. */
function mayBeAbsent(name: EndpointName): boolean {
  const { method, body }: Endpoint = endpoints[name];
  return method === 'post' && body?.safeParse({}).success === true;
}

const words: Record<Scope, string> = {
  project: 'in the projects in which the caller has the role',
  own: 'for tokens that the caller owns',
};

/** Returns the roles that may call an endpoint, as a sentence. */
function rolesOf(permission: (typeof permissions)[keyof typeof permissions]): string {
  const roles = projectRoles.flatMap(role => {
    const scope = permission[role];
    return scope ? [`\`${role}\` ${words[scope]}`] : [];
  });
  return `Roles: ${['`admin`', ...roles].join(', ')}.`;
}

function inPath(path: string): object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', minLength: 1 },
  }));
}

function inQuery(query: z.ZodMiniObject): object[] {
  const { properties = {}, required = [] } = schemaOf(query);
  return Object.entries(properties).map(([name, schema]) => {
    const { description, ...rest } = Object(schema) as { description?: string };
    return {
      name,
      in: 'query',
      required: required.includes(name),
      ...(description && { description }),
      schema: rest,
    };
  });
}

function success(endpoint: Endpoint): object {
  const { status, response, mediaTypes = [] } = endpoint;
  const texts = mediaTypes.map(type => [type, { schema: { type: 'string' } }]);
  const content = response ? inJson(response) : Object.fromEntries(texts);
  return {
    description: status === 302 ? 'The browser goes on to another page.' : 'The request succeeded.',
    headers: {
      'x-request-id': { $ref: '#/components/headers/RequestId' },
      ...conventionalHeaders(endpoint),
      ...(status === 302 && { location: { $ref: '#/components/headers/Location' } }),
    },
    ...((response || mediaTypes.length > 0) && { content }),
  };
}

function inJson(shape: z.ZodMiniType, example?: object): object {
  return { 'application/json': { schema: reference(shape), ...(example && { example }) } };
}
