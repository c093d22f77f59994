import type { Endpoint, ResourceEndpoint } from '@model-gateway/ingress';
import type { ResponseServices } from '../store/response-services.ts';
import { cancel } from './cancel.ts';
import { compact } from './compact.ts';
import { conversations } from './conversations.ts';
import { inputTokens, responses } from './create.ts';
import { inputItems } from './input-items.ts';
import { remove } from './remove.ts';
import { retrieve } from './retrieve.ts';

/** What this ingress asks models. */
export function endpoints(shelf: ResponseServices): Endpoint[] {
  return [responses(shelf), inputTokens(shelf), compact(shelf)];
}

/** What it answers from what is kept. */
export function keptEndpoints(
  shelf: ResponseServices,
  announceCancelled: (key: string) => void,
): ResourceEndpoint[] {
  const { store } = shelf;
  return [
    retrieve(store),
    remove(store, announceCancelled),
    inputItems(store),
    cancel(store, announceCancelled),
    ...conversations(shelf),
  ];
}
