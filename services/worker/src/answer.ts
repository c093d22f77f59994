import type { ServedCall } from '@model-gateway/bus';
import { toErrorEvent } from '@model-gateway/canonical';
import type { AnswerDeps } from './answer-deps.ts';
import { serveRealtime } from './realtime/serve.ts';
import { serveRoute } from './serve-route.ts';
import { serveTargets } from './serve-targets.ts';

/** Answers a call or serves a realtime session. */
export async function answer(call: ServedCall, deps: AnswerDeps): Promise<void> {
  const { operation, route } = call.envelope;
  if (operation === 'realtime') return serveRealtime(call, deps);
  if (!route) return serveTargets(call, deps);
  const failure = await serveRoute(call, route, call.body, deps);
  if (failure) call.send([toErrorEvent(failure)]);
}
