import { createHmac } from 'node:crypto';
import type { Clock } from '@model-gateway/clock';

/** Time in which the receiver must answer, in milliseconds. */
export const webhookMs = 10_000;

/** The receiver of notices, and the secret that it checks their signatures with. */
export interface Webhook {
  url: string;
  secret: string;
}

/**
 * Sends a message as the Standard Webhooks specification says: signed with HMAC-SHA256 over its id, time and body.
 * @throws Error unless the receiver answers with a status of success
 */
export async function sendWebhook(
  { url, secret }: Webhook,
  { id, body }: { id: string; body: string },
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<void> {
  const timestamp = String(Math.floor(clock.now() / 1_000));
  const late = new AbortController();
  const timer = clock.setTimeout(() => late.abort(new Error('the receiver did not answer')), webhookMs);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': `v1,${signatureOf(secret, `${id}.${timestamp}.${body}`)}`,
      },
      body,
      // The signature is for this receiver.
      redirect: 'manual',
      signal: AbortSignal.any([signal, late.signal]),
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`the receiver responded with status ${response.status}`);
  } finally {
    clock.clearTimeout(timer);
  }
}

const prefix = 'whsec_';

/** Returns the signature in base64. A secret of the form `whsec_<base64>` stands for its bytes, any other for its text. */
export function signatureOf(secret: string, text: string): string {
  const key = secret.startsWith(prefix) ? Buffer.from(secret.slice(prefix.length), 'base64') : secret;
  return createHmac('sha256', key).update(text).digest('base64');
}
