import type { ServedCall } from '@model-gateway/bus';
import {
  asNotRepresentable,
  type Envelope,
  type Form,
  GatewayError,
  type Message,
  type OperationRequest,
  type Route,
  toErrorEvent,
  toGatewayError,
} from '@model-gateway/canonical';
import type { InputBody, SentForm } from '@model-gateway/formats/upstream';
import {
  exactMembers,
  exactMembersInSteps,
  jsonStep,
  parseInSteps,
  requestBounds,
  scanJson,
  type Turn,
} from '@model-gateway/json';
import { nextTurn } from '@model-gateway/service';
import type { Dispatcher } from 'undici';
import type { AnswerDeps } from './answer-deps.ts';
import { attempt } from './attempt.ts';
import { recordUnsent } from './attempt-record.ts';
import { batchesOf, runInBatches } from './batches.ts';
import { CallTrace, traceFields } from './call-trace.ts';
import { type AttemptOptions, refusesStream } from './exchange.ts';
import { fanOut } from './fan-out.ts';
import { serveRealtime } from './realtime/serve.ts';
import type { Upstream } from './upstreams.ts';

/** The most bytes of a request written for its upstream, beyond twice those that arrived: of longer names of fields. */
export const writtenBytes = 32 * 1024 * 1024;

/** The bytes of a form. */
type Incoming = Pick<NonNullable<ServedCall['incoming']>, 'bytes'>;

/** Answers a call or serves a realtime session. */
export async function answer(call: ServedCall, deps: AnswerDeps): Promise<void> {
  const { operation, route, trace: headers } = call.envelope;
  if (operation === 'realtime') return serveRealtime(call, deps);
  const trace = headers && deps.traces && new CallTrace(deps.traces, headers, operation);
  const failure = await serveRoute(call, route, call.body, deps, trace);
  recordUnsent(call, route, deps);
  if (failure) call.send([toErrorEvent(failure)]);
  trace?.end(call.signal.aborted ? 'cancelled' : failure?.kind);
}

/**
 * Sends a request over its route and passes the answer on.
 * Resolves to an error if nothing was sent to the client, so that another route can be tried.
 */
async function serveRoute(
  call: ServedCall,
  route: Route,
  body: Buffer,
  deps: AnswerDeps,
  trace?: CallTrace,
): Promise<GatewayError | undefined> {
  const failure = await run(call, route, body, deps, trace).catch(toGatewayError);
  if (!failure) {
    if (deps.providerProblems?.any && !call.signal.aborted) deps.providerProblems.answered(route.provider);
    return undefined;
  }
  const problem = deps.providerProblems?.failed(route.provider, failure);
  const { requestId, model } = call.envelope;
  const { kind, cause, details } = failure;
  const { said: _, attempted: __, ...logged } = details;
  // It names the field, where the failure has a placeholder.
  const { message } = toErrorEvent(failure);
  const target = { provider: route.provider, model: route.model };
  const line = { requestId, ...traceFields(call.envelope), model, target, kind, error: message };
  deps.log.warn({ ...line, err: cause, problem, ...logged }, 'attempt failed');
  return failure;
}

async function run(
  call: ServedCall,
  route: Route,
  body: Buffer,
  {
    upstreams,
    catalog,
    dispatcher: usual,
    usage,
    decoding,
    wholeAnswers,
    streams,
    reasons,
    clock,
    faults,
    answers,
  }: AnswerDeps,
  trace: CallTrace | undefined,
): Promise<GatewayError | undefined> {
  const { envelope } = call;
  const { model, limits } = route;
  const upstream = await upstreams.of(route, envelope.operation);
  const dispatcher = upstream.via?.dispatcher ?? usual;
  const read = await readBody(call, route, body);
  // The caller has left meanwhile.
  if (call.signal.aborted) return undefined;
  const { original, prefill = false, differences } = upstream;
  const omitted = differences?.omits ? [...route.drop, ...differences.omits] : route.drop;
  const facts = { original, prefill, differences };
  const storesErrors = catalog.storesErrors(envelope.token.project);
  const send = (mayStream: boolean) => {
    const drop = mayStream ? omitted : [...omitted, ...streamFields];
    return sendRequest(dispatcher, {
      call,
      upstream,
      input: { envelope, ...read, ...facts, model, drop, limits },
      timeouts: { ...route.timeouts, total: timeLeft(route, envelope, clock.now()) },
      clock,
      usage,
      decoding,
      faults,
      answers,
      streams,
      reasons,
      trace,
      large: body.length > jsonStep ? 2 * body.length + writtenBytes : undefined,
      storesErrors,
      sendsAgain: mayStream && read.body === 'canonical' ? refusesStream : undefined,
    });
  };
  if (read.body !== 'canonical') return send(true);
  const mayStream = asksStream(upstream, envelope) && !wholeAnswers?.has(route);
  const failure = await send(mayStream);
  if (!mayStream || !failure || !refusesStream(failure)) return failure;
  wholeAnswers?.add(route);
  return send(false);
}

/** Sends a request in as many calls of the upstream as it needs. */
function sendRequest(dispatcher: Dispatcher, options: AttemptOptions): Promise<GatewayError | undefined> {
  const { input, upstream } = options;
  if (input.body !== 'canonical' || fitsOneCall(input.request, upstream)) return attempt(dispatcher, options);
  if ('messages' in input.request) return fanOut(dispatcher, options);
  return runInBatches(dispatcher, options, batchesOf(options));
}

/** Fields that ask an upstream for a stream. */
const streamFields = ['stream', 'stream_options'];

/** True if a translated request may ask the upstream for a stream. A whole answer becomes a stream for the client. */
function asksStream({ streams = 'always' }: Upstream, { stream }: Envelope): boolean {
  return streams === 'always' || (streams === 'as-asked' && stream);
}

/** True if the upstream answers the request in one call. */
function fitsOneCall(request: OperationRequest, { batch, dialect }: Upstream): boolean {
  if ('inputs' in request) return request.inputs.length <= batch;
  if ('documents' in request) return request.documents.length <= batch;
  const choices = dialect.choices === 'one' && 'n' in request ? (request.n ?? 1) : 1;
  return choices <= 1 && !('others' in request && request.others?.length);
}

/** Returns the time until the upstream must have answered, in milliseconds. */
function timeLeft({ timeouts: { total } }: Route, { endsAt }: Envelope, now: number): number {
  return endsAt === undefined ? total : Math.max(1, Math.min(total, endsAt - now));
}

/**
 * Reads the body as the route says. A large one is read in steps, the first a turn after the call was accepted: if it
 * kills the worker, the caller knows which worker.
 */
async function readBody(
  { envelope, incoming }: ServedCall,
  { body: kind }: Route,
  body: Buffer,
): Promise<InputBody> {
  if (kind === 'form') return { body: kind, form: await readForm(incoming as Incoming, envelope.textLength) };
  const turn = () => nextTurn(body.length, envelope.token.id);
  await turn();
  if (kind === 'verbatim') return { body: kind, text: body };
  return { body: kind, request: await readRequest(body, turn) };
}

/** Parses a request; schemas keep integers that a JavaScript number cannot hold. */
async function readRequest(body: Buffer, turn: Turn): Promise<OperationRequest> {
  const text = body.toString('utf8');
  const large = text.length > jsonStep;
  if (large) await turn();
  const request = (await parseInSteps(text, turn)) as OperationRequest;
  await turn();
  checkNestedJson(request);
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

/** An array within a string is limited only by the number of values. */
const nestedBounds = { ...requestBounds, items: Number.POSITIVE_INFINITY };

/**
 * Limits the JSON within strings that some dialects parse: arguments and JSON results of tool calls.
 * @throws GatewayError if the strings hold more values in total than one body may
 */
export function checkNestedJson(request: OperationRequest): void {
  if (!('messages' in request)) return;
  let values = 0;
  for (const message of [request.messages, ...(request.others ?? [])].flat())
    for (const text of nestedJson(message)) {
      const scanned = scanJson(text, nestedBounds);
      values += scanned.values;
      if (scanned.exceeded || values > requestBounds.values) throw asNotRepresentable(tooMany());
    }
}

function* nestedJson({ content }: Message): Generator<string> {
  for (const part of content) {
    if (part.type === 'tool-call' && !part.custom) yield part.arguments;
    if (part.type !== 'tool-result') continue;
    for (const result of part.content)
      if (result.type === 'text' && /^\s*[{[]/.test(result.text)) yield result.text;
  }
}

function tooMany(): GatewayError {
  const message = `Invalid '{path}': the arguments and results of tool calls hold more than ${requestBounds.values} JSON values in all.`;
  return new GatewayError('invalid-request', message, { path: 'messages' });
}
