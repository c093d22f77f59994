import type { ServedCall } from '@model-gateway/bus';
import { anotherMayHelp, GatewayError, toErrorEvent, toGatewayError } from '@model-gateway/canonical';
import type { Catalog } from '@model-gateway/catalog';
import type { Log } from '@model-gateway/service';
import type { Dispatcher } from 'undici';
import { attempt } from './attempt.ts';
import type { Upstreams } from './upstreams.ts';

/** What answering a call takes. */
export interface AnswerParts {
  catalog: Catalog;
  upstreams: Upstreams;
  dispatcher: Dispatcher;
  log: Log;
}

/** Answers a call from the first of its targets that gives an answer. */
export async function answer(call: ServedCall, parts: AnswerParts): Promise<void> {
  let error: GatewayError | undefined;
  for (const target of call.envelope.targets) {
    const failure = await tryTarget(call, target, parts).catch(toGatewayError);
    if (!failure) return;
    error = failure;
    const { requestId, model } = call.envelope;
    const { kind, message, cause, details } = failure;
    parts.log.warn(
      { requestId, model, target, kind, error: message, err: cause, ...details },
      'attempt failed',
    );
    if (!anotherMayHelp(error)) break;
  }
  call.send([toErrorEvent(error ?? new GatewayError('upstream', 'The model has no upstream.'))]);
}

function tryTarget(
  call: ServedCall,
  target: ServedCall['envelope']['targets'][number],
  { catalog, upstreams, dispatcher }: AnswerParts,
): Promise<GatewayError | undefined> {
  return new Promise(resolve => {
    const { envelope, body } = call;
    const model = catalog.model(envelope.model)?.model;
    if (!model) throw new GatewayError('not-found', `The model '${envelope.model}' is not in the catalogue.`);
    const upstream = upstreams.get(target.provider, Date.now());
    const input = { envelope, body, model: target.model, drop: model.drop };
    resolve(attempt(dispatcher, { call, upstream, input, timeouts: model.timeouts }));
  });
}
