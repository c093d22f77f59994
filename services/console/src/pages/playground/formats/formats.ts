import {
  chatEvents,
  generateContentEvents,
  messagesEvents,
  responsesEvents,
  type SseEvent,
  textOfBase64,
  writeChat,
  writeGenerateContent,
  writeMessages,
  writeResponses,
} from '@model-gateway/formats/browser';
import type { AnswerEvent } from '../conversation/answer-event.ts';
import { type AnswerPart, callsOf, dataUrl, type FormatName } from '../conversation/part.ts';
import { efforts } from '../conversation/settings.ts';
import { AnswerReader } from './answer-reader.ts';
import { canonicalRequest, type OwnParts } from './canonical-request.ts';
import { type WireFormat, wireRequest } from './format.ts';

const ratio = { min: 0, max: 1, step: 0.05 };
const temperature = { min: 0, max: 2, step: 0.1 };
const penalty = { min: -2, max: 2, step: 0.1 };
const atLeastOne = { min: 1 };

/** `POST /v1/chat/completions`. */
export const chat: WireFormat = {
  ...{ name: 'chat', label: 'Chat completions' },
  build: ask => {
    const fields = writeChat(canonicalRequest(chat, ask, chatParts));
    const streaming = { stream: true, stream_options: { include_usage: true } };
    return wireRequest('/v1/chat/completions', 'authorization', {
      model: ask.model,
      ...fields,
      ...streaming,
    });
  },
  reader: () => new ChatReader('chat', chatEvents()),
  parameters: {
    ...{ temperature, topP: ratio, maxTokens: atLeastOne, stop: { most: 4 }, seed: {} },
    ...{ presencePenalty: penalty, frequencyPenalty: penalty },
    ...{ effort: { values: efforts }, parallelToolCalls: {} },
  },
  sounds: 'WAV and MP3',
};

/** Reasoning goes back as signed blocks, or as text where calls follow it and the chat format brought it: some models demand that. */
const chatParts: OwnParts = (part, { role, parts }) => {
  if (part.type === 'media' && role === 'assistant') return [];
  if (part.type === 'media' && part.kind === 'document') {
    const file = { filename: part.name, file_data: dataUrl(part) };
    return [{ type: 'opaque', format: 'chat', value: { type: 'file', file } }];
  }
  const seal = 'seal' in part && part.seal?.format === 'chat' ? part.seal : undefined;
  if (part.type === 'reasoning' && seal?.value === null)
    return callsOf(parts as AnswerPart[]).length > 0 ? [{ type: 'reasoning', text: part.text }] : [];
  const value = Object(seal?.value).google?.thought_signature;
  if (part.type !== 'tool-call' || !value) return undefined;
  const { type, id, name, arguments: text } = part;
  return [{ type, id, name, arguments: text, signature: { format: 'generate-content', value } }];
};

class ChatReader extends AnswerReader {
  override read(event: SseEvent): AnswerEvent[] {
    const events = super.read(event);
    if (!/"(?:thinking_blocks|extra_content)"/.test(event.data)) return events;
    const { thinking_blocks, tool_calls } = JSON.parse(event.data).choices?.[0]?.delta ?? {};
    for (const block of thinking_blocks ?? []) events.push(...this.#block(block));
    const calls = this.parts.flatMap((part, at) => (part.type === 'tool-call' ? at : []));
    for (const { index, extra_content: extra } of tool_calls ?? [])
      events.push(...this.seal(calls[index] ?? -1, extra ?? undefined));
    return events;
  }

  /** The mark of the format says that the text of reasoning may be sent back in it. */
  protected override open(part: AnswerPart): AnswerEvent {
    const mark = part.type === 'reasoning' && { seal: { format: 'chat' as const, value: null } };
    return super.open({ ...mark, ...part });
  }

  /** A block with a signature comes after the text of its reasoning; one that is redacted comes alone. */
  #block(value: string): AnswerEvent[] {
    const last = this.parts.at(-1);
    if (last?.type === 'reasoning' && last.seal?.value === null)
      return this.seal(this.parts.length - 1, value);
    return [this.open({ type: 'reasoning', text: '', seal: { format: 'chat', value } })];
  }
}

/** The limit that is sent if none is set, because the messages format requires one. */
const defaultMaxTokens = 4_096;

/** `POST /v1/messages`. */
export const messages: WireFormat = {
  ...{ name: 'messages', label: 'Messages' },
  build: ask => {
    const request = canonicalRequest(messages, ask, messagesParts);
    request.maxTokens ??= defaultMaxTokens + (request.reasoning?.budget ?? 0);
    const body = { model: ask.model, ...writeMessages(request), stream: true };
    return wireRequest('/v1/messages', 'x-api-key', body, { 'anthropic-version': '2023-06-01' });
  },
  // A block of reasoning goes back as it came.
  reader: () =>
    new AnswerReader('messages', messagesEvents(), (part, data, signature) => {
      if (part.type !== 'reasoning' || signature === undefined) return undefined;
      const { content_block: block } = JSON.parse(data);
      if (block?.type === 'redacted_thinking') return { type: block.type, data: signature };
      return { type: 'thinking', thinking: part.text, signature };
    }),
  parameters: {
    ...{ temperature: { ...temperature, max: 1 }, topP: ratio, topK: atLeastOne, maxTokens: atLeastOne },
    ...{ stop: {}, effort: { values: ['none', 'low', 'medium', 'high', 'xhigh', 'max'] } },
    ...{ reasoningBudget: { min: 1_024 }, parallelToolCalls: {} },
  },
  sounds: 'none',
};

/** A document other than a PDF is sent as its text. */
const messagesParts: OwnParts = part => {
  if (part.type !== 'media' || part.kind === 'image' || part.mediaType === 'application/pdf')
    return undefined;
  const source = { type: 'text' as const, text: textOfBase64(part.data) };
  return [{ type: 'media', kind: 'document', name: part.name, mediaType: 'text/plain', source }];
};

/** `POST /v1beta/models/<model>:streamGenerateContent`. */
export const generateContent: WireFormat = {
  ...{ name: 'generate-content', label: 'Generate content' },
  build: ask => {
    const model = ask.model.split('/').map(encodeURIComponent).join('/');
    const path = `/v1beta/models/${model}:streamGenerateContent?alt=sse`;
    const fields = writeGenerateContent(canonicalRequest(generateContent, ask, generateContentParts, sentId));
    return wireRequest(path, 'x-goog-api-key', fields);
  },
  reader: () =>
    new AnswerReader(
      'generate-content',
      generateContentEvents((_, number) => `${unnamed}${number}`),
      (_, __, signature) => signature,
    ),
  parameters: {
    ...{ temperature, topP: ratio, topK: atLeastOne, maxTokens: atLeastOne, stop: { most: 5 }, seed: {} },
    ...{ presencePenalty: penalty, frequencyPenalty: penalty },
    ...{ effort: { values: ['none', 'minimal', 'low', 'medium', 'high'] }, reasoningBudget: { min: 0 } },
  },
  sounds: 'all',
};

/** Begins the id of a call that came without one, so that its result can name it. It is not sent. */
const unnamed = 'unnamed_';

/** Returns an id that the format leaves out if the call came without one. */
function sentId(id: string): string {
  return id.startsWith(unnamed) ? `call_gg${id.slice(unnamed.length).padStart(24, '0')}` : id;
}

/** Files are sent as they are. A summary of reasoning is not sent back, but its signature is. */
const generateContentParts: OwnParts = part => {
  if (part.type === 'media') {
    const inlineData = { mimeType: part.mediaType, data: part.data };
    return [{ type: 'opaque', format: 'generate-content', value: { inlineData } }];
  }
  if (part.type !== 'reasoning') return undefined;
  return part.seal?.format === 'generate-content'
    ? [{ type: 'reasoning', text: '', signature: { ...part.seal, value: String(part.seal.value) } }]
    : [];
};

/** `POST /v1/responses`, with the whole history in each request and nothing stored. */
export const responses: WireFormat = {
  ...{ name: 'responses', label: 'Responses' },
  build: ask => {
    const request = canonicalRequest(responses, ask, responsesParts);
    const { output, reasoning } = request;
    if (output?.type === 'schema') output.strict = false;
    // Without storage, reasoning can only be sent back encrypted.
    const include = reasoning?.show && { include: ['reasoning.encrypted_content'] };
    const body = { model: ask.model, ...writeResponses(request), stream: true, store: false, ...include };
    return wireRequest('/v1/responses', 'authorization', body);
  },
  // An item of reasoning goes back as it came.
  reader: () =>
    new AnswerReader('responses', responsesEvents(), (_, data) => {
      const { type, id, summary, encrypted_content } = JSON.parse(data).item ?? {};
      return encrypted_content && { type, id, summary: summary ?? [], encrypted_content };
    }),
  parameters: {
    ...{
      temperature,
      topP: ratio,
      maxTokens: { min: 16 },
      effort: { values: efforts },
      parallelToolCalls: {},
    },
  },
  sounds: 'WAV and MP3',
};

/** Files are sent as they are, and none that a model made. */
const responsesParts: OwnParts = (part, { role }) => {
  if (part.type === 'media' && role === 'assistant') return [];
  if (part.type !== 'media' || part.kind !== 'document') return undefined;
  const value = { type: 'input_file', filename: part.name, file_data: dataUrl(part) };
  return [{ type: 'opaque', format: 'responses', value }];
};

/** The wire formats of conversations, by name. */
export const formats: Record<FormatName, WireFormat> = {
  ...{ chat, messages, 'generate-content': generateContent, responses },
};
