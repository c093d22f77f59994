import {
  type Edit,
  GatewayError,
  type GenerateRequest,
  memberText,
  parseExact,
  spliceTopLevel,
} from '@model-gateway/canonical';
import type { EncodeInput, UpstreamRequest } from '../dialect.ts';
import { JsonBody } from '../json-body.ts';
import { mayReason } from './models.ts';
import { ownHistory } from './own-history.ts';
import { encodeRequest } from './request/encode.ts';

/** Asks for reasoning in a form that can be sent back, since the upstream keeps none. */
const reasoningProof = 'reasoning.encrypted_content';

/** What speaks of state that the upstream is not to keep. */
const stateful = ['previous_response_id', 'conversation', 'background'];

/** Sends the client's own text on, or says in this format what it asked for in another. */
export function encode(input: EncodeInput): UpstreamRequest {
  const { envelope, text, request } = input;
  if (text && envelope.operation === 'count-tokens')
    return { path: '/responses/input_tokens', body: spliceTopLevel(text, commonEdits(input, text)) };
  if (text) return { path: '/responses', body: splice(input, text) };
  if (request && envelope.operation === 'count-tokens')
    return { path: '/responses/input_tokens', body: count(input, request) };
  if (request) return { path: '/responses', body: translate(input, request) };
  throw new GatewayError('internal', 'The call holds no request.');
}

function splice(input: EncodeInput, text: Buffer): Buffer {
  const { envelope, drop, original = false, model } = input;
  const edits = new Map<string, Edit>([
    ['store', 'false'],
    ['stream', streamAs(envelope.stream)],
  ]);
  // A client that counts on what is stored sends its history back without what it did not ask for.
  if (original && mayReason(model) && memberText(text, 'store') !== 'false') edits.set('include', withProof);
  for (const field of drop) edits.set(field, null);
  for (const [field, edit] of commonEdits(input, text)) edits.set(field, edit);
  return spliceTopLevel(text, edits);
}

/** What changes in every text of a client's own. */
function commonEdits({ envelope, model }: EncodeInput, text: Buffer): Map<string, Edit> {
  const edits = new Map<string, Edit>(stateful.map(field => [field, null]));
  edits.set('model', JSON.stringify(model));
  if (envelope.foreign) edits.set('input', ownInput(text));
  return edits;
}

/** The client's own history, without what another vendor made; a text is no history. */
function ownInput(text: Buffer): string {
  const input = parseExact(memberText(text, 'input') ?? '[]');
  return JSON.stringify(Array.isArray(input) ? ownHistory(input) : input);
}

/** As it was asked, which the text may say elsewhere, or not at all. */
function streamAs(stream: boolean): Edit {
  return current => ((current === 'true') === stream ? (current ?? null) : String(stream));
}

function withProof(current = '[]'): string {
  const asked: unknown = JSON.parse(current);
  const include = Array.isArray(asked) ? asked : [];
  return include.includes(reasoningProof) ? current : JSON.stringify([...include, reasoningProof]);
}

/** The fields of which the vendor counts tokens. */
const counted = ['model', 'input', 'tools', 'tool_choice', 'parallel_tool_calls', 'reasoning', 'text'];

function count(input: EncodeInput, request: GenerateRequest): JsonBody {
  const fields = Object.entries({ ...encodeRequest(request, input), model: input.model });
  const kept = fields.filter(([field]) => counted.includes(field) && !input.drop.includes(field));
  return new JsonBody(Object.fromEntries(kept));
}

function translate(input: EncodeInput, request: GenerateRequest): JsonBody {
  const body: Record<string, unknown> = {
    ...encodeRequest(request, input),
    model: input.model,
    ...(mayReason(input.model) && { include: [reasoningProof] }),
    store: false,
    stream: true,
  };
  for (const field of [...stateful, ...input.drop]) delete body[field];
  return new JsonBody(body);
}
