import { messagesEvents, textOfBase64, writeMessages } from '@model-gateway/formats/browser';
import type { AnswerPart } from '../conversation/part.ts';
import { AnswerReader, type Signature } from './answer-reader.ts';
import { canonicalRequest, type OwnParts } from './canonical-request.ts';
import { type WireFormat, wireRequest } from './format.ts';

/** The limit that is sent if none is set, because the format requires one. */
const defaultMaxTokens = 4_096;

/** `POST /v1/messages`. */
export const messages: WireFormat = {
  name: 'messages',
  label: 'Messages',
  build: ask => {
    const request = canonicalRequest(messages, ask, ownParts);
    request.maxTokens ??= defaultMaxTokens + (request.reasoning?.budget ?? 0);
    const body = { model: ask.model, ...writeMessages(request), stream: true };
    return wireRequest('/v1/messages', 'x-api-key', body, { 'anthropic-version': '2023-06-01' });
  },
  reader: () => new MessagesReader('messages', messagesEvents()),
  parameters: {
    temperature: { min: 0, max: 1, step: 0.1 },
    topP: { min: 0, max: 1, step: 0.05 },
    topK: { min: 1 },
    maxTokens: { min: 1 },
    stop: {},
    effort: { values: ['none', 'low', 'medium', 'high', 'xhigh', 'max'] },
    reasoningBudget: { min: 1_024 },
    parallelToolCalls: {},
  },
  refuses: ({ kind }) => (kind === 'audio' ? 'The messages format takes no audio.' : undefined),
};

/** A document other than a PDF is sent as its text. */
const ownParts: OwnParts = part => {
  if (part.type !== 'media' || part.kind === 'image' || part.mediaType === 'application/pdf')
    return undefined;
  const source = { type: 'text' as const, text: textOfBase64(part.data) };
  return [{ type: 'media', kind: 'document', name: part.name, mediaType: 'text/plain', source }];
};

class MessagesReader extends AnswerReader {
  /** A block of reasoning goes back as it came. */
  protected override sealOf(signature: Signature, part: AnswerPart, data: string): unknown {
    if (part.type !== 'reasoning' || !signature) return undefined;
    const { content_block: block } = JSON.parse(data);
    if (block?.type === 'redacted_thinking') return { type: block.type, data: signature.value };
    return { type: 'thinking', thinking: part.text, signature: signature.value };
  }
}
