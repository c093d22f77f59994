import { type Endpoint, type EndpointName, endpoints, problem, problemType } from '@model-gateway/admin-api';
import { reference } from './schemas.ts';

const descriptions = {
  400: 'The request is invalid. The error names the field.',
  401: 'The credential is missing, wrong or expired.',
  403: 'The caller may not do this.',
  404: 'It does not exist, or the caller has no role in its project.',
  409: 'The present state does not allow this.',
  412: 'The resource has changed, or exists already.',
  413: 'The body is too large.',
  415: 'The content type is not supported.',
  422: 'The idempotency key was used for another request.',
  429: 'There were too many attempts, or there is no room for more.',
  503: 'The database or another part cannot be reached. Try again.',
  default: 'The request failed.',
} as const;
type Status = keyof typeof descriptions;

/** The statuses of errors that do not follow from the other fields of an endpoint. */
const others: Partial<Record<EndpointName, Status[]>> = {
  signIn: [401, 429],
  startOidc: [404, 429],
  finishOidc: [404, 429],
  showCommandSignIn: [401],
  confirmCommandSignIn: [401, 403],
  finishCommandSignIn: [401, 429],
  changePassword: [429],
  createToken: [404, 429],
  changeToken: [429],
  rotateToken: [429],
  setProject: [409],
  deleteProject: [409],
  setUser: [409],
  deleteUser: [409],
  setProvider: [409],
  deleteProvider: [409],
  setModel: [409],
  deleteModel: [409],
  applyCatalog: [409],
  adoptEntry: [404],
};

/** Returns the error responses of an endpoint, which refer to components. */
export function errorResponses(name: EndpointName): Record<string, object> {
  const endpoint: Endpoint = endpoints[name];
  const { bearer, path, query, body, conditional, idempotencyKey } = endpoint;
  const inPath = path.includes('{');
  const statuses: Status[] = [
    ...(query || body || inPath || idempotencyKey ? [400 as const] : []),
    ...(bearer === 'none' ? [] : [401 as const, 403 as const]),
    ...(inPath ? [404 as const] : []),
    ...(conditional && endpoint.method !== 'get' ? [412 as const] : []),
    ...(idempotencyKey ? [409 as const, 422 as const] : []),
    ...(body ? [413 as const, 415 as const] : []),
    ...(others[name] ?? []),
    503,
    'default',
  ];
  return Object.fromEntries(
    [...new Set(statuses)].map(status => [status, { $ref: `#/components/responses/Error_${status}` }]),
  );
}

/** Returns the components that {@link errorResponses} refers to. */
export function errorComponents(): Record<string, object> {
  return Object.fromEntries(
    Object.entries(descriptions).map(([status, description]) => [
      `Error_${status}`,
      {
        description,
        headers: {
          'x-request-id': { $ref: '#/components/headers/RequestId' },
          ...((status === '429' || status === '503') && {
            'retry-after': { $ref: '#/components/headers/RetryAfter' },
          }),
        },
        content: { [problemType]: { schema: reference(problem) } },
      },
    ]),
  );
}
