import { responsesEvents, writeResponses } from '@model-gateway/formats/browser';
import type { AnswerPart } from '../conversation/part.ts';
import { efforts } from '../conversation/settings.ts';
import { AnswerReader } from './answer-reader.ts';
import { canonicalRequest, type OwnParts } from './canonical-request.ts';
import { dataUrl, refusesSounds, type WireFormat, wireRequest } from './format.ts';

/** `POST /v1/responses`, with the whole history in each request and nothing stored. */
export const responses: WireFormat = {
  name: 'responses',
  label: 'Responses',
  build: ask => {
    const request = canonicalRequest(responses, ask, ownParts);
    const { output, reasoning } = request;
    if (output?.type === 'schema') output.strict = false;
    // Without storage, reasoning can only be sent back encrypted.
    const include = reasoning?.show && { include: ['reasoning.encrypted_content'] };
    const body = { model: ask.model, ...writeResponses(request), stream: true, store: false, ...include };
    return wireRequest('/v1/responses', 'authorization', body);
  },
  reader: () => new ResponsesReader('responses', responsesEvents()),
  parameters: {
    temperature: { min: 0, max: 2, step: 0.1 },
    topP: { min: 0, max: 1, step: 0.05 },
    maxTokens: { min: 16 },
    effort: { values: efforts },
    parallelToolCalls: {},
  },
  refuses: refusesSounds('responses'),
};

/** Files are sent as they are, and none that a model made. */
const ownParts: OwnParts = (part, { role }) => {
  if (part.type === 'media' && role === 'assistant') return [];
  if (part.type !== 'media' || part.kind !== 'document') return undefined;
  const value = { type: 'input_file', filename: part.name, file_data: dataUrl(part) };
  return [{ type: 'opaque', format: 'responses', value }];
};

class ResponsesReader extends AnswerReader {
  /** An item of reasoning goes back as it came. */
  protected override sealOf(_: unknown, __: AnswerPart, data: string): unknown {
    const { type, id, summary, encrypted_content } = JSON.parse(data).item ?? {};
    return encrypted_content && { type, id, summary: summary ?? [], encrypted_content };
  }
}
