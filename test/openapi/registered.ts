import type { Endpoint, ResourceEndpoint } from '@model-gateway/ingress';
import type { KnownFields } from '@model-gateway/json';
import { endpoints as audio } from '../../services/ingress-audio/src/service.ts';
import { endpoints as chat } from '../../services/ingress-chat/src/service.ts';
import { endpoints as embeddings } from '../../services/ingress-embeddings/src/service.ts';
import { endpoints as generateContent } from '../../services/ingress-generate-content/src/service.ts';
import { endpoints as images } from '../../services/ingress-images/src/service.ts';
import { endpoints as messages } from '../../services/ingress-messages/src/service.ts';
import { paths as modelPaths } from '../../services/ingress-models/src/service.ts';
import {
  endpoints as responses,
  storedEndpoints,
} from '../../services/ingress-responses/src/endpoints/endpoints.ts';
import type { ResponseServices } from '../../services/ingress-responses/src/store/response-services.ts';
import { clientSecrets } from '../../services/realtime/src/client-secrets/endpoint.ts';
import type { Secrets } from '../../services/realtime/src/client-secrets/secrets.ts';
import { withoutUpgrade } from '../../services/realtime/src/socket/endpoint.ts';

/** An endpoint that a service of the data plane registers. */
export interface Registered {
  method: string;
  path: string;
  /** Absent for an endpoint of stored data. */
  fields?: KnownFields;
  contentTypes: readonly string[];
}

/** Their handlers are not called, so they need no parts. */
const services = {} as ResponseServices;
const secrets = {} as Secrets;

const asking: readonly Endpoint[] = [
  ...chat,
  ...messages,
  ...generateContent,
  ...embeddings,
  ...images,
  ...audio,
  ...responses(services),
];
const stored: readonly ResourceEndpoint[] = [
  ...storedEndpoints(services, () => {}),
  withoutUpgrade,
  clientSecrets(secrets, () => {
    throw new Error('not called');
  }),
];

/** Every endpoint that the services of the data plane register. */
export const registered: readonly Registered[] = [
  ...asking.map(({ method, path, fields, contentTypes = ['application/json'] }) => ({
    method,
    path,
    fields,
    contentTypes,
  })),
  ...stored.map(({ method, path }) => ({ method, path, contentTypes: [] })),
  ...modelPaths.map(path => ({ method: 'GET', path: path.replace('*name', '{model}'), contentTypes: [] })),
];
