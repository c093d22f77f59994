import { chatEvents, type SseEvent, writeChat } from '@model-gateway/formats/browser';
import type { AnswerEvent } from '../conversation/answer-event.ts';
import { type AnswerPart, callsOf } from '../conversation/part.ts';
import { efforts } from '../conversation/settings.ts';
import { AnswerReader } from './answer-reader.ts';
import { canonicalRequest, type OwnParts } from './canonical-request.ts';
import { dataUrl, refusesSounds, type WireFormat, wireRequest } from './format.ts';

/** `POST /v1/chat/completions`. */
export const chat: WireFormat = {
  name: 'chat',
  label: 'Chat completions',
  build: ask => {
    const { model } = ask;
    const fields = writeChat(canonicalRequest(chat, ask, ownParts));
    const streaming = { stream: true, stream_options: { include_usage: true } };
    return wireRequest('/v1/chat/completions', 'authorization', { model, ...fields, ...streaming });
  },
  reader: () => new ChatReader('chat', chatEvents()),
  parameters: {
    temperature: { min: 0, max: 2, step: 0.1 },
    topP: { min: 0, max: 1, step: 0.05 },
    maxTokens: { min: 1 },
    stop: { most: 4 },
    seed: {},
    presencePenalty: { min: -2, max: 2, step: 0.1 },
    frequencyPenalty: { min: -2, max: 2, step: 0.1 },
    effort: { values: efforts },
    parallelToolCalls: {},
  },
  refuses: refusesSounds('chat'),
};

/** Reasoning goes back as signed blocks, or as text where calls follow it and the chat format brought it: some models demand that. */
const ownParts: OwnParts = (part, { role, parts }) => {
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

  protected override sealOf(): undefined {
    return undefined;
  }

  /** A block with a signature comes after the text of its reasoning; one that is redacted comes alone. */
  #block(value: string): AnswerEvent[] {
    const last = this.parts.at(-1);
    if (last?.type === 'reasoning' && last.seal?.value === null)
      return this.seal(this.parts.length - 1, value);
    return [this.open({ type: 'reasoning', text: '', seal: { format: 'chat', value } })];
  }
}
