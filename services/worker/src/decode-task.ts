import {
  type Envelope,
  type GenerateEvent,
  type OperationRequest,
  packVector,
} from '@model-gateway/canonical';
import type { EncodeInput } from './dialects/dialect.ts';
import { findDialect } from './dialects/index.ts';

/** A whole answer to decode, in a form that can be posted to a thread. */
export interface DecodeTask {
  format: Envelope['format'];
  input: Omit<EncodeInput<OperationRequest>, 'request' | 'form'> & {
    /** JSON without the conversation, which no decoder reads. */
    request?: string | undefined;
    fields?: [name: string, value: string][] | undefined;
  };
  /** Set for an answer in the requested form; absent if a stream was requested. */
  response?: { mediaType: string; length: number | undefined };
  bytes: Uint8Array<ArrayBuffer>;
}

/** Creates a task. `bytes` are transferred with it; a buffer is copied, since its memory may be shared. */
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

/** Returns the events; undefined if a stream was requested and the body is not an answer. */
export function runTask({ format, input, response, bytes }: DecodeTask): GenerateEvent[] | undefined {
  const { request, fields, ...rest } = input;
  const { text } = rest;
  const whole: EncodeInput<OperationRequest> = {
    ...rest,
    // Structured cloning turns a buffer into plain bytes.
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
