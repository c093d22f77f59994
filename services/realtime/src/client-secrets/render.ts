import { randomBytes } from 'node:crypto';
import type { SecretRequest } from './parse.ts';

/** Renders a client secret; `expiresAt` is in seconds since 1970. */
export function renderSecret(secret: string, expiresAt: number, { session, model }: SecretRequest): unknown {
  return {
    value: secret,
    expires_at: expiresAt,
    session: {
      id: `sess_${randomBytes(16).toString('hex')}`,
      object: 'realtime.session',
      output_modalities: ['audio'],
      instructions: '',
      tools: [],
      tool_choice: 'auto',
      max_output_tokens: 'inf',
      audio: {},
      ...session,
      model,
      expires_at: 0,
    },
  };
}
