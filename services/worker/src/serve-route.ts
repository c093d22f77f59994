import {
  type Envelope,
  type Form,
  GatewayError,
  type OperationRequest,
  type Route,
  toGatewayError,
} from '@model-gateway/canonical';
import { exactMembers, exactMembersInSteps, jsonStep, parseInSteps, type Turn } from '@model-gateway/json';
import { nextTurn } from '@model-gateway/service';
import type { AnswerDeps, Incoming, TargetCall } from './answer-deps.ts';
import { attempt } from './attempt.ts';
import { batchesOf, runInBatches } from './batches.ts';
import type { EncodeInput, SentForm } from './dialects/dialect.ts';
import { callsOf, fanOut } from './fan-out.ts';
import { checkNestedJson } from './nested-json.ts';
import { completeRequest } from './previous-version.ts';

/**
 * Sends a request over its route and passes the answer on.
 * Resolves to an error if nothing was sent to the client, so that another route can be tried.
 */
export async function serveRoute(
  call: TargetCall,
  route: Route,
  body: Buffer,
  deps: AnswerDeps,
): Promise<GatewayError | undefined> {
  const failure = await run(call, route, body, deps).catch(toGatewayError);
  if (!failure) return undefined;
  const { requestId, model } = call.envelope;
  const { kind, message, cause, details } = failure;
  const { said: _, ...logged } = details;
  const target = { provider: route.provider, model: route.model };
  deps.log.warn({ requestId, model, target, kind, error: message, err: cause, ...logged }, 'attempt failed');
  return failure;
}

async function run(
  call: TargetCall,
  route: Route,
  body: Buffer,
  { upstreams, dispatcher, usage, decoding }: AnswerDeps,
): Promise<GatewayError | undefined> {
  const { envelope } = call;
  const { model, drop, limits } = route;
  const upstream = await upstreams.of(route, envelope.operation);
  const read = await readBody(call, route, body);
  // The caller has left meanwhile.
  if (call.signal.aborted) return undefined;
  const options = {
    call,
    upstream,
    input: { envelope, ...read, original: upstream.original, model, drop, limits },
    timeouts: { ...route.timeouts, total: timeLeft(route, envelope) },
    usage,
    decoding,
    large: body.length > jsonStep,
  };
  const pieces = batchesOf(options);
  if (pieces.length > 1) return runInBatches(dispatcher, options, pieces);
  return callsOf(options) > 1 ? fanOut(dispatcher, options) : attempt(dispatcher, options);
}

/** Returns the time until the upstream must have answered, in milliseconds. */
function timeLeft({ timeouts: { total } }: Route, { endsAt }: Envelope): number {
  return endsAt === undefined ? total : Math.max(1, Math.min(total, endsAt - Date.now()));
}

/**
 * Reads the body as the route says. A large one is read in steps, the first a turn after the call was accepted: if it
 * kills the worker, the caller knows which worker.
 */
async function readBody(
  { envelope, incoming }: TargetCall,
  { body: kind }: Route,
  body: Buffer,
): Promise<Pick<EncodeInput<OperationRequest>, 'text' | 'request' | 'form'>> {
  if (kind === 'form') return { form: await readForm(incoming as Incoming, envelope.textLength) };
  const turn = () => nextTurn(body.length, envelope.token.id);
  await turn();
  if (kind === 'verbatim') return { text: body };
  const request = await readRequest(body, envelope, turn);
  return {
    request: envelope.route || !('messages' in request) ? request : completeRequest(request, envelope.format),
  };
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
