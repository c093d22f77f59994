import { bearer } from '../bearer.ts';
import type { Delivering } from '../delivery.ts';

const types: Record<number, string> = {
  400: 'Empty',
  413: 'Validation',
  422: 'Tokenizer',
  424: 'Backend',
  429: 'Overloaded',
  503: 'Unhealthy',
};

/** Text Embeddings Inference: a server of one model, whose requests name none. */
export const tei: Delivering = {
  overloaded: 429,
  headers: requestId => ({ 'x-request-id': requestId }),
  key: bearer,
  refuse: ({ status, message }) => ({
    error: message,
    error_type: types[status] ?? (status < 500 ? 'Validation' : 'Backend'),
  }),
};
