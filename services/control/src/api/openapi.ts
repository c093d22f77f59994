import { type Endpoint, endpoints } from '@model-gateway/admin-api';
import { z } from 'zod/mini';
import {
  conventionalHeaders,
  conventionalParameters,
  conventionalResponses,
  problemResponse,
} from './openapi-conventions.ts';
import { csrfHeader } from './same-origin.ts';
import { sessionCookie } from './session-cookie.ts';

/** Returns the OpenAPI 3.1 document of the admin API. */
export function openApi(): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [id, endpoint] of Object.entries<Endpoint>(endpoints)) {
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method]: operation(id, endpoint) };
  }
  return {
    openapi: '3.1.1',
    info: { title: 'Model Gateway: admin API', version: 'v1' },
    paths,
    components: {
      securitySchemes: {
        admin: {
          type: 'http',
          scheme: 'bearer',
          description: 'The admin token, or the token of a service account.',
        },
        session: { type: 'apiKey', in: 'cookie', name: sessionCookie.plainName, description: sessionScheme },
        client: { type: 'http', scheme: 'bearer', description: "A client's token." },
      },
      responses: { error: problemResponse() },
    },
  };
}

const sessionScheme = `The session of a user who has signed in. A request that changes something also needs the header ${csrfHeader}, with any value. Over https the cookie is named ${sessionCookie.secureName}.`;

const security: Record<Endpoint['bearer'], object[]> = {
  admin: [{ admin: [] }, { session: [] }],
  self: [{ admin: [] }, { session: [] }],
  client: [{ client: [] }],
  none: [],
};

function operation(id: string, endpoint: Endpoint): object {
  const { summary, bearer, path, query, body, status, ...answer } = endpoint;
  const parameters = [...inPath(path), ...(query ? inQuery(query) : []), ...conventionalParameters(endpoint)];
  return {
    operationId: id,
    summary,
    security: security[bearer],
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, ...content(body) } }),
    responses: {
      [status]: {
        description: 'The request succeeded.',
        ...conventionalHeaders(endpoint),
        ...contentOf(answer),
      },
      ...conventionalResponses(endpoint),
      default: { $ref: '#/components/responses/error' },
    },
  };
}

function inPath(path: string): object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function inQuery(query: z.ZodMiniObject): object[] {
  const { properties = {}, required = [] } = schemaOf(query);
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

function contentOf({ response, mediaTypes }: Pick<Endpoint, 'response' | 'mediaTypes'>): object {
  if (response) return content(response);
  if (!mediaTypes) return {};
  return { content: Object.fromEntries(mediaTypes.map(type => [type, { schema: { type: 'string' } }])) };
}

function content(shape: z.ZodMiniType): object {
  return { content: { 'application/json': { schema: schemaOf(shape) } } };
}

/** Returns the JSON Schema of what is sent. Responses may gain fields, so they are open. */
function schemaOf(shape: z.ZodMiniType): z.core.JSONSchema.BaseSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, { io: 'input' });
  return schema;
}
