import { GatewayError } from '@model-gateway/canonical';
import type { ResultRenderer } from '@model-gateway/ingress';

/** Speech is only ever passed on as it came. */
export const speechRenderer: ResultRenderer = {
  result() {
    throw new GatewayError('internal', 'Speech came in no format.');
  },
};
