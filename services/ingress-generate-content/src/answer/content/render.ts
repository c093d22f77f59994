import type { GoogleCandidate } from '@model-gateway/wire';
import type { Finish } from '../../finish/render.ts';
import type { Piece } from '../../pieces/render.ts';

/** The content that ends a candidate: clients take one without a part for broken, but not where the answer was refused. */
export function contentOf(parts: Piece[], { finishReason }: Finish): Pick<GoogleCandidate, 'content'> {
  const refused = parts.length === 0 && finishReason !== 'STOP' && finishReason !== 'MAX_TOKENS';
  return refused ? {} : { content: { role: 'model', parts: parts.length > 0 ? parts : [{ text: '' }] } };
}
