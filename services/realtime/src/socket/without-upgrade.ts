import { GatewayError } from '@model-gateway/canonical';
import type { ResourceEndpoint } from '@model-gateway/ingress';
import { renderError, upgradeRequired } from '../render-error.ts';
import { credential } from './caller-identity.ts';

/** `GET /v1/realtime` of a client that does not ask for a WebSocket. */
export const withoutUpgrade: ResourceEndpoint = {
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
