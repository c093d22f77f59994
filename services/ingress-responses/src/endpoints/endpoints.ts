import type { Endpoint, ResourceEndpoint } from '@model-gateway/ingress';
import type { ResponseServices } from '../store/response-services.ts';
import { cancel } from './cancel.ts';
import { compact } from './compact.ts';
import { conversations } from './conversations.ts';
import { inputTokens, responses } from './create.ts';
import { inputItems } from './input-items.ts';
import { remove } from './remove.ts';
import { retrieve } from './retrieve.ts';

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
