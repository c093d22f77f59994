import type { GenerateEvent } from '@model-gateway/canonical';
import { memberText } from '@model-gateway/json';
import {
  decodeBody as decodeChatBody,
  decodeEvents as decodeChatEvents,
  decodeStream as decodeChatStream,
} from '../chat/decode.ts';
import { requestedChoices, requestsUsage } from '../chat/encode.ts';
import type { Decoder, GenerateInput } from '../dialect.ts';
import { eventObject, objectIn, parseObject } from '../read-json.ts';

/** Decodes a stream, which differs from chat only in the field of the text. */
export function decodeStream(input: GenerateInput): Decoder {
  const target = input.body === 'verbatim' ? passing(input.text) : optionsOf(input);
  return decodeChatStream(target, event => chatFields(eventObject(event), 'delta'));
}

function passing(text: Buffer) {
  // Each prompt of a list has choices of its own.
  const wantsOne = () => requestedChoices(text) === 1 && memberText(text, 'prompt')?.[0] !== '[';
  return { showUsage: requestsUsage(text), wantsOne };
}

export function decodeEvents(input: GenerateInput): Decoder {
  return decodeChatEvents(optionsOf(input), event => chatFields(eventObject(event), 'delta'));
}

export function decodeBody(body: Buffer, input: GenerateInput): GenerateEvent[] | undefined {
  return decodeChatBody(body, optionsOf(input), text => chatFields(parseObject(text), 'message'));
}

function optionsOf(input: GenerateInput) {
  const request = input.body === 'canonical' ? input.request : undefined;
  return {
    toolName: (name: string) => name,
    seed: input.envelope.requestId,
    stop: request?.stop ?? [],
    // A client's own request has as many choices as its text requests.
    choices: request ? (request.n ?? 1) : Number.POSITIVE_INFINITY,
  };
}

type Fields = Record<string, unknown>;

/** Converts a chunk or a response to chat's shape, which some servers send. */
function chatFields(fields: Fields | undefined, content: 'delta' | 'message'): Fields | undefined {
  if (!fields || !Array.isArray(fields.choices)) return fields && { ...fields, choices: undefined };
  const choices = fields.choices.map(choice => {
    const { text, ...rest } = objectIn(choice) ?? {};
    const isOwn = text !== undefined && text !== null;
    return isOwn ? { ...rest, [content]: { content: text } } : choice;
  });
  return { ...fields, choices };
}
