import { GatewayError } from '@model-gateway/canonical';
import type { ResultRenderer } from '@model-gateway/ingress';

/** Rejects translated results: speech is only forwarded unchanged. */
export const speechRenderer: ResultRenderer = {
  type: 'result',
  result() {
    throw new GatewayError('internal', 'Speech cannot be rendered: it is only forwarded unchanged.');
  },
};
