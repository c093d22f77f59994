import { generateContentEvents, writeGenerateContent } from '@model-gateway/formats/browser';
import { AnswerReader } from './answer-reader.ts';
import { canonicalRequest, type OwnParts } from './canonical-request.ts';
import { type WireFormat, wireRequest } from './format.ts';

/** `POST /v1beta/models/<model>:streamGenerateContent`. */
export const generateContent: WireFormat = {
  name: 'generate-content',
  label: 'Generate content',
  build: ask => {
    const model = ask.model.split('/').map(encodeURIComponent).join('/');
    const path = `/v1beta/models/${model}:streamGenerateContent?alt=sse`;
    const fields = writeGenerateContent(canonicalRequest(generateContent, ask, ownParts, sentId));
    return wireRequest(path, 'x-goog-api-key', fields);
  },
  reader: () => new AnswerReader('generate-content', generateContentEvents(readId)),
  parameters: {
    temperature: { min: 0, max: 2, step: 0.1 },
    topP: { min: 0, max: 1, step: 0.05 },
    topK: { min: 1 },
    maxTokens: { min: 1 },
    stop: { most: 5 },
    seed: {},
    presencePenalty: { min: -2, max: 2, step: 0.1 },
    frequencyPenalty: { min: -2, max: 2, step: 0.1 },
    effort: { values: ['none', 'minimal', 'low', 'medium', 'high'] },
    reasoningBudget: { min: 0 },
  },
  refuses: () => undefined,
};

/** Begins the id of a call that came without one, so that its result can name it. It is not sent. */
const unnamed = 'unnamed_';

function readId(_: string, number: number): string {
  return `${unnamed}${number}`;
}

/** Returns an id that the format leaves out if the call came without one. */
function sentId(id: string): string {
  return id.startsWith(unnamed) ? `call_gg${id.slice(unnamed.length).padStart(24, '0')}` : id;
}

/** Files are sent as they are. A summary of reasoning is not sent back, but its signature is. */
const ownParts: OwnParts = part => {
  if (part.type === 'media') {
    const inlineData = { mimeType: part.mediaType, data: part.data };
    return [{ type: 'opaque', format: 'generate-content', value: { inlineData } }];
  }
  if (part.type !== 'reasoning') return undefined;
  return part.seal?.format === 'generate-content'
    ? [{ type: 'reasoning', text: '', signature: { ...part.seal, value: String(part.seal.value) } }]
    : [];
};
