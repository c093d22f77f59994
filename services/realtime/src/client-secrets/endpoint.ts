import { findModel, type IngressDeps, type ResourceEndpoint, sendJson } from '@model-gateway/ingress';
import { renderError } from '../socket/render-error.ts';
import { parseSecretRequest } from './parse.ts';
import { renderSecret } from './render.ts';
import type { Secrets } from './secrets.ts';

/** `POST /v1/realtime/client_secrets`: creates a short-lived secret for sessions of one model. */
export function clientSecrets(secrets: Secrets, parts: () => Pick<IngressDeps, 'catalog'>): ResourceEndpoint {
  return {
    method: 'POST',
    format: 'realtime',
    path: '/v1/realtime/client_secrets',
    renderError,
    async answer({ token, tokenHash, body }, sink) {
      const request = await parseSecretRequest(await body());
      findModel(parts().catalog, request.model, token, 'session.model');
      const { secret, expiresAt } = await secrets.make(token.project, tokenHash, request);
      sendJson(sink, 200, renderSecret(secret, expiresAt / 1_000, request));
    },
  };
}
