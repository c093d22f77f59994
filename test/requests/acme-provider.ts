import { createHmac } from 'node:crypto';
import { GatewayError } from '@model-gateway/canonical';
import type { Clock } from '@model-gateway/clock';
import type { ProviderProfile } from '@model-gateway/providers';

/** The signature of a request: of its path and body, with the secret of the API key. */
export function signatureOf(secret: string, path: string, body: Uint8Array): string {
  return createHmac('sha256', secret).update(path).update(body).digest('hex');
}

/**
 * A made-up vendor: its paths name a deployment, each request is signed with its body, and a token of a few moments is
 * bought with the key. All that the gateway needs to know about it is here.
 */
export const acme = (clock: Clock): ProviderProfile => ({
  baseUrl: undefined,
  formats: { generate: ['chat'] },
  connect({ baseUrl, apiKey = '' }) {
    let token = { value: '', expiresAt: 0 };
    const current = async () => {
      if (clock.now() >= token.expiresAt) token = await buyToken(baseUrl, apiKey, clock);
      return token.value;
    };
    return {
      url: (path, model) => `${baseUrl}/deployments/${encodeURIComponent(model)}${path}?api-version=2026-11`,
      async sign({ url, body }) {
        if (!body) throw new GatewayError('upstream', 'Acme signs no streamed bodies.');
        const signature = signatureOf(apiKey, url.slice(baseUrl.length), body);
        return { authorization: `Acme ${await current()}`, 'acme-signature': signature };
      },
    };
  },
});

async function buyToken(baseUrl: string, apiKey: string, clock: Clock) {
  const response = await fetch(`${baseUrl}/token`, { method: 'POST', headers: { 'x-key': apiKey } });
  if (!response.ok) throw new GatewayError('upstream', 'Acme refused the API key.');
  const { token, ms } = (await response.json()) as { token: string; ms: number };
  return { value: token, expiresAt: clock.now() + ms };
}
