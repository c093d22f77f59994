import type { ServedCall, UsageWriter } from '@model-gateway/bus';
import {
  anotherMayHelp,
  type Envelope,
  exactMembers,
  exactMembersInSteps,
  type Form,
  GatewayError,
  jsonStep,
  type OperationRequest,
  parseInSteps,
  type Turn,
  toErrorEvent,
  toGatewayError,
} from '@model-gateway/canonical';
import { type Catalog, timeoutsFor } from '@model-gateway/catalog';
import { type Log, nextTurn } from '@model-gateway/service';
import type { Dispatcher } from 'undici';
import { attempt } from './attempt.ts';
import type { Decoding } from './decoding.ts';
import type { EncodeInput, SentForm } from './dialects/dialect.ts';
import { callsOf, fanOut } from './fan-out.ts';
import { checkNestedJson } from './nested-json.ts';
import { askInPieces, piecesOf } from './pieces.ts';
import { type SessionEnds, serveRealtime } from './realtime/serve.ts';
import { type Upstreams, unable } from './upstreams.ts';

/** What answering a call takes. */
export interface AnswerParts {
  catalog: Catalog;
  upstreams: Upstreams;
  dispatcher: Dispatcher;
  log: Log;
  usage: Pick<UsageWriter, 'add'>;
  /** Reads large whole answers; where absent, they are read like small ones. */
  decoding?: Decoding;
  /** Where absent, sessions last as long as the worker. */
  sessions?: SessionEnds;
}

/** A call as far as its targets are asked; a form comes in pieces, again for each target. */
export type AskedCall = Pick<ServedCall, 'envelope' | 'body' | 'signal' | 'send' | 'drained' | 'announce'> &
  Partial<Pick<ServedCall, 'sendWritten'>> & {
    incoming?: Parameters<typeof readForm>[0] | undefined;
  };

/** Answers a call from the first of its targets that gives an answer. */
export type RunTargets = (call: AskedCall, parts: AnswerParts) => Promise<void>;

/** Answers a call, or holds a session. */
export async function answer(call: ServedCall, parts: AnswerParts): Promise<void> {
  await (call.envelope.operation === 'realtime'
    ? serveRealtime(call, parts, runTargets)
    : runTargets(call, parts));
}

async function runTargets(call: AskedCall, parts: AnswerParts): Promise<void> {
  let error: GatewayError | undefined;
  let retryAfterMs: number | undefined;
  for (const target of call.envelope.targets) {
    const failure = await tryTarget(call, target, parts).catch(toGatewayError);
    if (!failure) return;
    // A request that one format cannot carry is at fault only if no other could, either.
    if (!error || !failure.notRepresentable) error = failure;
    const { requestId, model } = call.envelope;
    const { kind, message, cause, details } = failure;
    const { said: _, ...logged } = details;
    parts.log.warn(
      { requestId, model, target, kind, error: message, err: cause, ...logged },
      'attempt failed',
    );
    if (!anotherMayHelp(failure)) break;
    retryAfterMs = sooner(retryAfterMs, details.retryAfterMs);
  }
  const told = error ?? new GatewayError('upstream', 'The model has no upstream.');
  // Whichever upstream is back first will do; a request that is at fault need not be sent again at all.
  const wait =
    anotherMayHelp(told) && !told.notRepresentable && retryAfterMs !== undefined ? { retryAfterMs } : {};
  call.send([{ ...toErrorEvent(told), ...wait }]);
}

function sooner(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}

async function tryTarget(
  call: AskedCall,
  target: AskedCall['envelope']['targets'][number],
  { catalog, upstreams, dispatcher, usage, decoding }: AnswerParts,
): Promise<GatewayError | undefined> {
  const { envelope } = call;
  const model = catalog.model(envelope.model)?.model;
  if (!model) throw new GatewayError('not-found', `The model '${envelope.model}' is not in the catalog.`);
  const upstream = upstreams.get(target.provider, envelope, Date.now());
  const { operations = ['generate'] } = upstream.dialect;
  if (!operations.includes(envelope.operation)) throw unable(envelope.operation);
  const language = call.incoming
    ? { form: await readForm(call.incoming, envelope.textLength) }
    : await readLanguage(call, upstreams.takesText(target.provider, envelope));
  const { original } = upstream;
  const { drop, limits } = model;
  const input = { envelope, ...language, original, model: target.model, drop, limits };
  const options = {
    call,
    upstream,
    input,
    timeouts: timeoutsFor(model, envelope.operation),
    usage,
    decoding,
    large: call.body.length > jsonStep,
  };
  const pieces = piecesOf(options);
  if (pieces.length > 1) return askInPieces(dispatcher, options, pieces);
  return callsOf(options) > 1 ? fanOut(dispatcher, options) : attempt(dispatcher, options);
}

/**
 * The client's own text where it is there and wanted, else the request in no format. A large one is read in steps, the first of them
 * in the turn after the call was accepted: by then its caller knows which worker would be lost of it.
 */
async function readLanguage(
  call: AskedCall,
  takesText: boolean,
): Promise<Pick<EncodeInput<OperationRequest>, 'text' | 'request'>> {
  const { textLength } = call.envelope;
  const { body } = call;
  const turn = () => nextTurn(body.length, call.envelope.token.id);
  await turn();
  return takesText && textLength > 0
    ? { text: body.subarray(0, textLength) }
    : { request: await readRequest(body.subarray(textLength), call.envelope, turn) };
}

/** Schemas may hold integers that are lost where they become numbers. */
async function readRequest(body: Buffer, { format }: Envelope, turn: Turn): Promise<OperationRequest> {
  const text = body.toString('utf8');
  const large = text.length > jsonStep;
  if (large) await turn();
  const request = (await parseInSteps(text, turn)) as OperationRequest;
  await turn();
  checkNestedJson(request, format);
  await turn();
  if (!('tools' in request || 'output' in request)) return request;
  const keys = ['tools', 'output'];
  const exact = large ? await exactMembersInSteps(text, keys, turn) : exactMembers(text, keys);
  await turn();
  return { ...request, ...exact };
}

type Incoming = Pick<NonNullable<ServedCall['incoming']>, 'bytes'>;

/** Reads a form off a call's body, whose first bytes are its text; those of its files follow as they are asked for. */
export async function readForm(incoming: Incoming, textLength: number): Promise<SentForm> {
  const pieces = incoming.bytes();
  const text: Uint8Array[] = [];
  let rest: Uint8Array | undefined;
  for (let missing = textLength; missing > 0; ) {
    const { value, done } = await pieces.next();
    if (done || !value) throw new GatewayError('cancelled', 'The client left.');
    text.push(value.subarray(0, missing));
    if (value.length > missing) rest = value.subarray(missing);
    missing -= value.length;
  }
  const form: Form = JSON.parse(Buffer.concat(text).toString('utf8'));
  return { ...form, bytes: after(rest, pieces) };
}

async function* after(first: Uint8Array | undefined, rest: AsyncIterable<Uint8Array>) {
  if (first) yield first;
  yield* rest;
}
