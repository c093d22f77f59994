import type { ServedCall } from '@model-gateway/bus';
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
import { timeoutsFor } from '@model-gateway/catalog';
import { nextTurn } from '@model-gateway/service';
import type { AnswerDeps, Incoming, TargetCall } from './answer-deps.ts';
import { attempt } from './attempt.ts';
import { batchesOf, runInBatches } from './batches.ts';
import type { EncodeInput, SentForm } from './dialects/dialect.ts';
import { callsOf, fanOut } from './fan-out.ts';
import { checkNestedJson } from './nested-json.ts';
import { serveRealtime } from './realtime/serve.ts';
import { unable } from './upstreams.ts';

/** Answers a call or serves a realtime session. */
export async function answer(call: ServedCall, parts: AnswerDeps): Promise<void> {
  await (call.envelope.operation === 'realtime'
    ? serveRealtime(call, parts, runTargets)
    : runTargets(call, parts));
}

async function runTargets(call: TargetCall, parts: AnswerDeps): Promise<void> {
  let error: GatewayError | undefined;
  let retryAfterMs: number | undefined;
  for (const target of call.envelope.targets) {
    const failure = await tryTarget(call, target, parts).catch(toGatewayError);
    if (!failure) return;
    // `notRepresentable` is returned only if every target fails that way.
    if (!error || !failure.notRepresentable) error = failure;
    const { requestId, model } = call.envelope;
    const { kind, message, cause, details } = failure;
    const { said: _, ...logged } = details;
    parts.log.warn(
      { requestId, model, target, kind, error: message, err: cause, ...logged },
      'attempt failed',
    );
    if (!anotherMayHelp(failure)) break;
    retryAfterMs = shorter(retryAfterMs, details.retryAfterMs);
  }
  const finalError = error ?? new GatewayError('upstream', 'The model has no upstream.');
  // The shortest wait, since any upstream that recovers will do. An invalid request gets none.
  const wait =
    anotherMayHelp(finalError) && !finalError.notRepresentable && retryAfterMs !== undefined
      ? { retryAfterMs }
      : {};
  call.send([{ ...toErrorEvent(finalError), ...wait }]);
}

function shorter(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}

async function tryTarget(
  call: TargetCall,
  target: TargetCall['envelope']['targets'][number],
  { catalog, upstreams, dispatcher, usage, decoding }: AnswerDeps,
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
  const pieces = batchesOf(options);
  if (pieces.length > 1) return runInBatches(dispatcher, options, pieces);
  return callsOf(options) > 1 ? fanOut(dispatcher, options) : attempt(dispatcher, options);
}

/**
 * Reads the client's own text if the target takes it, else the canonical request. A large one is read in
 * steps, the first a turn after the call was accepted: if it kills the worker, the caller knows which worker.
 */
async function readLanguage(
  call: TargetCall,
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

/** Parses a request; schemas keep integers that a JavaScript number cannot hold. */
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

/** Reads a form's JSON from the beginning of a call's body; the files' bytes follow on demand. */
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
