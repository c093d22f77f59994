import type { Endpoint, ResourceEndpoint } from '@model-gateway/ingress';
import type { ResponseServices } from '../store/response-services.ts';
import { conversations } from './conversations.ts';
import { compact, inputTokens, responses } from './create.ts';
import { cancel, inputItems, remove, retrieve } from './stored-responses.ts';

/** The endpoints that call models. */
export function endpoints(services: ResponseServices): Endpoint[] {
  return [responses(services), inputTokens(services), compact(services)];
}

/** The endpoints that read and change stored responses. */
export function storedEndpoints(
  services: ResponseServices,
  announceCancelled: (key: string) => void,
): ResourceEndpoint[] {
  return [
    retrieve(services),
    remove(services, announceCancelled),
    inputItems(services),
    cancel(services, announceCancelled),
    ...conversations(services),
  ];
}
