import type { Endpoint, KeptEndpoint } from '@model-gateway/ingress';
import { cancel } from './cancel/endpoint.ts';
import { compact } from './compact/endpoint.ts';
import { conversations } from './conversations/endpoint.ts';
import { inputItems } from './input-items/endpoint.ts';
import { inputTokens } from './input-tokens/endpoint.ts';
import { remove } from './remove/endpoint.ts';
import { responses } from './responses/endpoint.ts';
import { retrieve } from './retrieve/endpoint.ts';
import type { Shelf } from './stored/shelf.ts';

/** What this ingress asks models. */
export function endpoints(shelf: Shelf): Endpoint[] {
  return [responses(shelf), inputTokens(shelf), compact(shelf)];
}

/** What it answers from what is kept. */
export function keptEndpoints(shelf: Shelf, announceCancelled: (key: string) => void): KeptEndpoint[] {
  const { store } = shelf;
  return [
    retrieve(store),
    remove(store, announceCancelled),
    inputItems(store),
    cancel(store, announceCancelled),
    ...conversations(shelf),
  ];
}
