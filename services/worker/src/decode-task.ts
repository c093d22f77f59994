import {
  type Envelope,
  type GenerateEvent,
  type OperationRequest,
  packVector,
} from '@model-gateway/canonical';
import type { EncodeInput } from './dialects/dialect.ts';
import { findDialect } from './dialects/index.ts';

/** A whole answer that is to be decoded, in a form that a thread can be given. */
export interface DecodeTask {
  format: Envelope['format'];
  input: Omit<EncodeInput<OperationRequest>, 'request' | 'form'> & {
    /** JSON without the conversation, which no decoder reads. */
    request?: string | undefined;
    fields?: [name: string, value: string][] | undefined;
  };
  /** Set for an answer that came as it was asked for; absent where a stream was asked for. */
  response?: { mediaType: string; length: number | undefined };
  bytes: Uint8Array<ArrayBuffer>;
}

/** A task for the answer to a request. `bytes` are given away with it; those of a buffer are copied, since others may use its memory. */
export function decodeTask(
  format: DecodeTask['format'],
  { request, form, ...input }: EncodeInput<OperationRequest>,
  bytes: Buffer | Uint8Array<ArrayBuffer>,
  response?: DecodeTask['response'],
): DecodeTask {
  const slim = request && 'messages' in request ? { ...request, messages: [], others: [] } : request;
  return {
    format,
    input: { ...input, request: slim && JSON.stringify(slim), fields: form?.fields },
    bytes: Buffer.isBuffer(bytes) ? new Uint8Array(bytes) : bytes,
    ...(response && { response }),
  };
}

/** The events of the answer; undefined for what is no answer where a stream was asked for. */
export function runTask({ format, input, response, bytes }: DecodeTask): GenerateEvent[] | undefined {
  const { request, fields, ...given } = input;
  const { text } = given;
  const whole: EncodeInput<OperationRequest> = {
    ...given,
    // A buffer comes out of a thread's message as plain bytes.
    ...(text && { text: Buffer.from(text.buffer, text.byteOffset, text.length) }),
    ...(request !== undefined && { request: JSON.parse(request) }),
    ...(fields && { form: { fields, files: [], bytes: noBytes() } }),
  };
  const dialect = findDialect(input.envelope.operation, format);
  const body = Buffer.from(bytes.buffer);
  if (!response) return dialect?.decodeBody(body, whole)?.map(packed);
  const decoder = dialect?.decodeWhole(whole, response.mediaType, response.length);
  return [...(decoder?.read(body) ?? []), ...(decoder?.end() ?? [])].map(packed);
}

function packed(event: GenerateEvent): GenerateEvent {
  if (event.type !== 'result' || event.result.type !== 'embeddings') return event;
  return { ...event, result: { ...event.result, vectors: event.result.vectors.map(packVector) } };
}

async function* noBytes(): AsyncGenerator<Uint8Array, void> {}
