import type { GenerateEvent } from '@model-gateway/canonical';
import { decodeBody as decodeChatBody, decodeStream as decodeChatStream } from '../chat/decode.ts';
import { requestsUsage } from '../chat/encode.ts';
import type { Decoder, GenerateInput } from '../dialect.ts';
import { eventObject, objectIn, parseObject } from '../read-json.ts';

/** Decodes a stream, which differs from chat only in the field of the text. */
export function decodeStream(input: GenerateInput): Decoder {
  const target = input.body === 'verbatim' ? { showUsage: requestsUsage(input.text) } : optionsOf(input);
  return decodeChatStream(target, event => chatFields(eventObject(event), 'delta'));
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
    choices: request?.n ?? 1,
  };
}

type Fields = Record<string, unknown>;

/** Converts a chunk or a response to chat's shape. */
function chatFields(fields: Fields | undefined, content: 'delta' | 'message'): Fields | undefined {
  if (!fields || !Array.isArray(fields.choices)) return fields && { ...fields, choices: undefined };
  const choices = fields.choices.map(choice => {
    const { text, ...rest } = objectIn(choice) ?? {};
    return objectIn(choice) ? { ...rest, [content]: { content: text } } : choice;
  });
  return { ...fields, choices };
}
