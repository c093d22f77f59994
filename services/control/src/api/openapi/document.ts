import { type EndpointName, endpoints } from '@model-gateway/admin-api';
import { csrfHeader } from '../same-origin.ts';
import { sessionCookie } from '../session-cookie.ts';
import dataPlane from './data-plane.json' with { type: 'json' };
import { errorComponents } from './errors.ts';
import { operation } from './operation.ts';
import { namedSchemas } from './schemas.ts';
import { tags } from './tags.ts';

/**
 * Returns the OpenAPI 3.1 document of the gateway: of the admin API from its contract, and of the data plane from the file that
 * `npm run docs` writes. Control knows no wire format, and the document must not make it load all of them.
 */
export function openApi(): object {
  const errors = errorComponents();
  return {
    openapi: '3.1.1',
    info: {
      title: 'Model Gateway',
      version: 'v1',
      description:
        'The data plane, to which clients send requests for models, and the admin API under `/api/v1`. Response bodies may gain fields.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The gateway that serves this document.' }],
    tags: [...dataPlane.tags, ...Object.entries(tags).map(([name, description]) => ({ name, description }))],
    paths: { ...dataPlane.paths, ...adminPaths() },
    components: {
      ...dataPlane.components,
      schemas: { ...dataPlane.components.schemas, ...namedSchemas() },
      responses: { ...dataPlane.components.responses, ...errors },
      securitySchemes: {
        ...dataPlane.components.securitySchemes,
        admin: {
          type: 'http',
          scheme: 'bearer',
          description: 'The admin token, or the token of a service account.',
        },
        session: { type: 'apiKey', in: 'cookie', name: sessionCookie.plainName, description: sessionScheme },
      },
    },
  };
}

const sessionScheme = `The session of a user who has signed in. A request that changes something also needs the header ${csrfHeader}, with any value. Over https the cookie is named ${sessionCookie.secureName}.`;

function adminPaths(): Record<string, Record<string, object>> {
  const paths: Record<string, Record<string, object>> = {};
  for (const name of Object.keys(endpoints) as EndpointName[]) {
    const { path, method } = endpoints[name];
    paths[path] = { ...paths[path], [method]: operation(name) };
  }
  return paths;
}
