import {
  asNotRepresentable,
  GatewayError,
  type Message,
  type OperationRequest,
  type WireFormat,
} from '@model-gateway/canonical';
import { requestBounds, scanJson } from '@model-gateway/json';
import { inClientTerms } from './dialects/client-terms.ts';

/** An array within a string is limited only by the number of values. */
const bounds = { ...requestBounds, items: Number.POSITIVE_INFINITY };

/**
 * Limits the JSON within strings that some dialects parse: arguments and JSON results of tool calls.
 * @throws GatewayError if the strings hold more values in total than one body may
 */
export function checkNestedJson(request: OperationRequest, format: WireFormat): void {
  if (!('messages' in request)) return;
  let values = 0;
  for (const message of [request.messages, ...(request.others ?? [])].flat())
    for (const text of nestedJson(message)) {
      const scanned = scanJson(text, bounds);
      values += scanned.values;
      if (scanned.exceeded || values > requestBounds.values)
        throw asNotRepresentable(inClientTerms(tooMany(), format));
    }
}

function* nestedJson({ content }: Message): Generator<string> {
  for (const part of content) {
    if (part.type === 'tool-call' && !part.custom) yield part.arguments;
    if (part.type !== 'tool-result') continue;
    for (const result of part.content)
      if (result.type === 'text' && /^\s*[{[]/.test(result.text)) yield result.text;
  }
}

function tooMany(): GatewayError {
  const message = `Invalid 'messages': the arguments and results of tool calls hold more than ${requestBounds.values} JSON values in all.`;
  return new GatewayError('invalid-request', message, { param: 'messages' });
}
