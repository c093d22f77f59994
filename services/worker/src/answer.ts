import type { ServedCall, UsageWriter } from '@model-gateway/bus';
import { anotherMayHelp, GatewayError, toErrorEvent, toGatewayError } from '@model-gateway/canonical';
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
  }
  call.send([toErrorEvent(error ?? new GatewayError('upstream', 'The model has no upstream.'))]);
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
    const upstream = upstreams.get(target.provider, Date.now());
    const { format, operations = ['generate'] } = upstream.dialect;
    if (!operations.includes(envelope.operation))
      throw new GatewayError('not-found', `This model's upstream cannot be asked to ${envelope.operation}.`);
    // An ingress leaves its client's text out where an upstream of its own format would refuse it.
    const language =
      format === envelope.format && envelope.textLength > 0
        ? { text: body.subarray(0, envelope.textLength) }
        : { request: JSON.parse(body.toString('utf8', envelope.textLength)) };
    const { original } = upstream;
    const { drop, limits } = model;
    const input = { envelope, ...language, original, model: target.model, drop, limits };
    const options = { call, upstream, input, timeouts: model.timeouts, usage };
    resolve(callsOf(options) > 1 ? fanOut(dispatcher, options) : attempt(dispatcher, options));
  });
}
