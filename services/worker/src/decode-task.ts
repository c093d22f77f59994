import { type Envelope, type GenerateEvent, packVector } from '@model-gateway/canonical';
import { findDialect } from '@model-gateway/formats/dialects';
import type { EncodeInput, InputFacts, SentForm } from '@model-gateway/formats/upstream';
import { onlyCalls } from '@model-gateway/formats/upstream';
import { withoutByteOrderMark } from '@model-gateway/json';

/** A request's body in a form that can be posted to a thread, as far as a decoder reads it. */
type PostedBody =
  | { body: 'verbatim'; text: Uint8Array }
  /** JSON with only the calls of the conversation: decoders read nothing else of it. */
  | { body: 'canonical'; request: string }
  | { body: 'form'; fields: SentForm['fields'] };

/** A whole answer to decode, in a form that can be posted to a thread. */
export interface DecodeTask {
  format: Envelope['format'];
  input: InputFacts & PostedBody;
  /** Set for an answer in the requested form; absent if a stream was requested. */
  response?: { mediaType: string; length: number | undefined };
  bytes: Uint8Array<ArrayBuffer>;
}

/** Creates a task. `bytes` are transferred with it; a buffer is copied, since its memory may be shared. */
export function decodeTask(
  format: DecodeTask['format'],
  input: EncodeInput,
  bytes: Buffer | Uint8Array<ArrayBuffer>,
  response?: DecodeTask['response'],
): DecodeTask {
  return {
    format,
    input: posted(input),
    bytes: Buffer.isBuffer(bytes) ? new Uint8Array(bytes) : bytes,
    ...(response && { response }),
  };
}

function posted(input: EncodeInput): DecodeTask['input'] {
  switch (input.body) {
    case 'verbatim':
      return input;
    case 'canonical': {
      const { request } = input;
      const read = 'messages' in request ? { ...request, messages: onlyCalls(request), others: [] } : request;
      return { ...input, request: JSON.stringify(read) };
    }
    case 'form': {
      const { form, ...rest } = input;
      return { ...rest, fields: form.fields };
    }
  }
}

/** Returns the input of a task that was posted. */
function received(input: DecodeTask['input']): EncodeInput {
  switch (input.body) {
    case 'verbatim': {
      // Structured cloning turns a buffer into plain bytes.
      const { buffer, byteOffset, length } = input.text;
      return { ...input, text: Buffer.from(buffer, byteOffset, length) };
    }
    case 'canonical':
      return { ...input, request: JSON.parse(input.request) };
    case 'form': {
      const { fields, ...rest } = input;
      return { ...rest, form: { fields, files: [], bytes: noBytes() } };
    }
  }
}

/** Returns the events; undefined if a stream was requested and the body is not an answer. */
export function runTask({ format, input, response, bytes }: DecodeTask): GenerateEvent[] | undefined {
  const dialect = findDialect(input.envelope.operation, format, input.body);
  const whole = received(input);
  const body = withoutByteOrderMark(Buffer.from(bytes.buffer));
  if (!response) return dialect?.decodeBody(body, whole)?.map(packed);
  const decoder = dialect?.decodeWhole(whole, response.mediaType, response.length);
  return [...(decoder?.read(body) ?? []), ...(decoder?.end() ?? [])].map(packed);
}

function packed(event: GenerateEvent): GenerateEvent {
  if (event.type !== 'result' || event.result.type !== 'embeddings') return event;
  return { ...event, result: { ...event.result, vectors: event.result.vectors.map(packVector) } };
}

async function* noBytes(): AsyncGenerator<Uint8Array, void> {}
