import { type Edit, memberText, spliceTopLevel } from '@model-gateway/canonical';
import type { EncodeInput, UpstreamRequest } from '../dialect.ts';

/** Sends the client's own text on, with the upstream's model and without what the model does not take. */
export function encode({ envelope, body, model, drop }: EncodeInput): UpstreamRequest {
  const edits = new Map<string, Edit>(drop.map(field => [field, null]));
  edits.set('model', JSON.stringify(model));
  // Without it a stream tells no usage, and nobody could be billed for it.
  if (envelope.stream && !edits.has('stream_options')) edits.set('stream_options', withUsage);
  return { path: '/chat/completions', body: spliceTopLevel(body, edits) };
}

/** Whether the client itself wants to see the usage at a stream's end. */
export function asksForUsage(body: Buffer): boolean {
  const options = memberText(body, 'stream_options');
  return options !== undefined && JSON.parse(options)?.include_usage === true;
}

function withUsage(current: string | undefined): string {
  return JSON.stringify({ ...(current && JSON.parse(current)), include_usage: true });
}
