import type { GenerateEvent } from '@model-gateway/canonical';
import type { ChatChunk, CompletionUpstreamAnswer } from '@model-gateway/wire';
import { decodeBody as decodeChatBody, StreamDecoder, type WholeAnswer } from '../chat/decode.ts';
import { requestsUsage } from '../chat/encode.ts';
import type { Decoder, EncodeInput } from '../dialect.ts';
import { parseObject } from '../read-json.ts';
import { eventObject, type StreamEvent } from '../stream-events.ts';

/** Decodes a stream, which differs from chat only in the field of the text. */
export function decodeStream(input: EncodeInput): Decoder {
  const { text } = input;
  const target = text ? { showUsage: requestsUsage(text) } : optionsOf(input);
  return new StreamDecoder(target, readChunk);
}

export function decodeBody(body: Buffer, input: EncodeInput): GenerateEvent[] | undefined {
  return decodeChatBody(body, optionsOf(input), readAnswer);
}

function optionsOf({ request, envelope }: EncodeInput) {
  return {
    toolName: (name: string) => name,
    seed: envelope.requestId,
    stop: request?.stop ?? [],
    choices: request?.n ?? 1,
  };
}

/** Parses a chunk and converts it to chat's shape. */
function readChunk(event: StreamEvent): ChatChunk | undefined {
  const chunk = eventObject(event);
  return chunk && ({ ...chunk, choices: mapChoices(chunk, 'delta') } as ChatChunk);
}

function readAnswer(data: string): WholeAnswer | undefined {
  const answer = parseObject(data);
  return answer && ({ ...answer, choices: mapChoices(answer, 'message') } as WholeAnswer);
}

function mapChoices({ choices }: CompletionUpstreamAnswer, field: 'delta' | 'message'): unknown {
  if (!Array.isArray(choices)) return undefined;
  return choices.map(({ text, ...choice }) => ({ ...choice, [field]: { content: text } }));
}
