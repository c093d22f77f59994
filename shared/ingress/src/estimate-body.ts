import { estimateInput, mediaPlacesIn } from '@model-gateway/canonical';
import { jsonStep, parseInSteps } from '@model-gateway/json';
import type { Endpoint } from './endpoint.ts';
import type { ClientBody } from './gateway-request.ts';

/** Returns an estimate of the tokens of a request's input, from its parsed body; 0 for a form, whose files say nothing of their tokens. */
export async function estimateBody(body: ClientBody, { format }: Pick<Endpoint, 'format'>): Promise<number> {
  if (body.type === 'form') return 0;
  const text = body.text.toString('utf8');
  const value = text.length > jsonStep ? await parseInSteps(text, body.turn) : JSON.parse(text);
  return estimateInput(value, mediaPlacesIn(format));
}
