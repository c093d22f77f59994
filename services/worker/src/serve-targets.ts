import {
  Failures,
  GatewayError,
  type Route,
  type TargetRef,
  toErrorEvent,
  toGatewayError,
} from '@model-gateway/canonical';
import { routeTo } from '@model-gateway/catalog';
import type { AnswerDeps, TargetCall } from './answer-deps.ts';
import { serveRoute } from './serve-route.ts';
import { unable, unknownProvider } from './upstreams.ts';

/**
 * Answers a call that has targets and no route, from the first target that succeeds: a call of the gateway's previous
 * version, or of an emulated session.
 */
export async function serveTargets(call: TargetCall, deps: AnswerDeps): Promise<void> {
  const failures = new Failures();
  for (const target of call.envelope.targets) {
    const failure = await serveTarget(call, target, deps).catch(toGatewayError);
    if (!failure) return;
    if (!failures.add(failure)) break;
  }
  call.send([toErrorEvent(failures.error)]);
}

async function serveTarget(
  call: TargetCall,
  target: TargetRef,
  deps: AnswerDeps,
): Promise<GatewayError | undefined> {
  const { textLength } = call.envelope;
  const route = routeOf(call, target, deps);
  const body = route.body === 'verbatim' ? call.body.subarray(0, textLength) : call.body.subarray(textLength);
  return serveRoute(call, route, body, deps);
}

/** @throws GatewayError if the target is not in the catalog, or does not support the operation */
function routeOf({ envelope, incoming }: TargetCall, target: TargetRef, { catalog }: AnswerDeps): Route {
  const { operation, textLength } = envelope;
  const model = catalog.model(envelope.model)?.model;
  if (!model) throw new GatewayError('not-found', `The model '${envelope.model}' is not in the catalog.`);
  const provider = catalog.provider(target.provider);
  if (!provider) throw unknownProvider(target.provider);
  const route = routeTo(provider, target, model, { ...envelope, form: incoming !== undefined });
  if (!route) throw unable(operation);
  // The previous version sends only one form of the request, if no target of its catalog needs the other.
  return textLength === 0 ? { ...route, body: 'canonical' } : route;
}
