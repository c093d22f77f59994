import type { ServedCall, UsageWriter } from '@model-gateway/bus';
import {
  anotherMayHelp,
  exactMembers,
  GatewayError,
  type GenerateRequest,
  toErrorEvent,
  toGatewayError,
} from '@model-gateway/canonical';
import type { Catalog } from '@model-gateway/catalog';
import type { Log } from '@model-gateway/service';
import type { Dispatcher } from 'undici';
import { attempt } from './attempt.ts';
import { callsOf, fanOut } from './fan-out.ts';
import type { Upstreams } from './upstreams.ts';

/** What answering a call takes. */
export interface AnswerParts {
  catalog: Catalog;
  upstreams: Upstreams;
  dispatcher: Dispatcher;
  log: Log;
  usage: Pick<UsageWriter, 'add'>;
}

/** Answers a call from the first of its targets that gives an answer. */
export async function answer(call: ServedCall, parts: AnswerParts): Promise<void> {
  let error: GatewayError | undefined;
  let retryAfterMs: number | undefined;
  for (const target of call.envelope.targets) {
    const failure = await tryTarget(call, target, parts).catch(toGatewayError);
    if (!failure) return;
    // A request that one format cannot carry is at fault only if no other could, either.
    if (!error || !failure.unsayable) error = failure;
    const { requestId, model } = call.envelope;
    const { kind, message, cause, details } = failure;
    parts.log.warn(
      { requestId, model, target, kind, error: message, err: cause, ...details },
      'attempt failed',
    );
    if (!anotherMayHelp(failure)) break;
    retryAfterMs = sooner(retryAfterMs, details.retryAfterMs);
  }
  const told = error ?? new GatewayError('upstream', 'The model has no upstream.');
  // Whichever upstream is back first will do; a request that is at fault need not be sent again at all.
  const wait = anotherMayHelp(told) && !told.unsayable && retryAfterMs !== undefined ? { retryAfterMs } : {};
  call.send([{ ...toErrorEvent(told), ...wait }]);
}

function sooner(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}

function tryTarget(
  call: ServedCall,
  target: ServedCall['envelope']['targets'][number],
  { catalog, upstreams, dispatcher, usage }: AnswerParts,
): Promise<GatewayError | undefined> {
  return new Promise(resolve => {
    const { envelope, body } = call;
    const model = catalog.model(envelope.model)?.model;
    if (!model) throw new GatewayError('not-found', `The model '${envelope.model}' is not in the catalogue.`);
    const upstream = upstreams.get(target.provider, envelope.format, Date.now());
    const { format, operations = ['generate'] } = upstream.dialect;
    if (!operations.includes(envelope.operation))
      throw new GatewayError('not-found', `This model's upstream cannot be asked to ${envelope.operation}.`);
    const language =
      format === envelope.format && envelope.textLength > 0
        ? { text: body.subarray(0, envelope.textLength) }
        : { request: readRequest(body.subarray(envelope.textLength)) };
    const { original } = upstream;
    const { drop, limits } = model;
    const input = { envelope, ...language, original, model: target.model, drop, limits };
    const options = { call, upstream, input, timeouts: model.timeouts, usage };
    resolve(callsOf(options) > 1 ? fanOut(dispatcher, options) : attempt(dispatcher, options));
  });
}

/** Schemas may hold integers that are lost where they become numbers. */
function readRequest(body: Buffer): GenerateRequest {
  const text = body.toString('utf8');
  const request: GenerateRequest = JSON.parse(text);
  return request.tools || request.output
    ? { ...request, ...exactMembers(text, ['tools', 'output']) }
    : request;
}
