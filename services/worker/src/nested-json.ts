import {
  asUnsayable,
  GatewayError,
  type Message,
  type OperationRequest,
  requestBounds,
  scanJson,
  type WireFormat,
} from '@model-gateway/canonical';
import { inClientTerms } from './dialects/client-terms.ts';

/** An array within a string may be as long as all of it may be. */
const bounds = { ...requestBounds, items: Number.POSITIVE_INFINITY };

/**
 * Bounds the JSON within strings, which some dialects read: arguments of tool calls, and results that are JSON.
 * @throws GatewayError for a request that holds more of it in all than one body may hold
 */
export function checkNestedJson(request: OperationRequest, format: WireFormat): void {
  if (!('messages' in request)) return;
  let values = 0;
  for (const message of [request.messages, ...(request.others ?? [])].flat())
    for (const text of nestedJson(message)) {
      const scanned = scanJson(text, bounds);
      values += scanned.values;
      if (scanned.exceeded || values > requestBounds.values)
        throw asUnsayable(inClientTerms(tooMany(), format));
    }
}

function* nestedJson({ content }: Message): Generator<string> {
  for (const part of content) {
    if (part.type === 'tool-call' && !part.custom) yield part.arguments;
    if (part.type !== 'tool-result') continue;
    for (const shown of part.content)
      if (shown.type === 'text' && /^\s*[{[]/.test(shown.text)) yield shown.text;
  }
}

function tooMany(): GatewayError {
  const message = `Invalid 'messages': the arguments and results of tool calls hold more than ${requestBounds.values} JSON values in all.`;
  return new GatewayError('invalid-request', message, { param: 'messages' });
}
