import { GatewayError } from '@model-gateway/canonical';
import type { KeptEndpoint } from '@model-gateway/ingress';
import { renderError, upgradeRequired } from '../render-error.ts';
import { credential } from './asker.ts';

/** `GET /v1/realtime` of a client that does not ask for a WebSocket. */
export const withoutUpgrade: KeptEndpoint = {
  method: 'GET',
  path: '/v1/realtime',
  credential,
  renderError,
  async answer(_asked, outlet) {
    outlet.setHeader('upgrade', 'websocket');
    throw new GatewayError(
      'invalid-request',
      'Sessions are held over a WebSocket: ask for an upgrade to one.',
      {
        code: upgradeRequired,
      },
    );
  },
};
