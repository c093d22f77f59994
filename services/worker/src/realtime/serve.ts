import type { Message, ServedCall } from '@model-gateway/bus';
import { GatewayError, overloaded, toErrorEvent, toGatewayError } from '@model-gateway/canonical';
import type { Clock } from '@model-gateway/clock';
import type { AnswerDeps, SessionEnds } from '../answer-deps.ts';
import { serveBridge } from './bridge.ts';
import { RealtimeSession } from './session.ts';

/** Serves a client's session at the upstream of its route until it is over. Must not throw. */
export async function serveRealtime(call: ServedCall, deps: AnswerDeps): Promise<void> {
  const { envelope } = call;
  let session: RealtimeSession | undefined;
  try {
    session = await openSession(call, deps.clock);
    if (deps.sessions) endAfterGrace(session, deps.sessions, deps.clock);
    await serveBridge(session, envelope.route, deps);
    session.finish();
    deps.providerProblems?.answered(envelope.route.provider);
  } catch (thrown) {
    const error = toGatewayError(thrown);
    const { requestId, model, route } = envelope;
    const target = { provider: route.provider, model: route.model };
    const { kind, message, cause, details } = error;
    const problem = deps.providerProblems?.failed(route.provider, error);
    const line = { requestId, model, target, kind, error: message, err: cause, problem, ...details };
    deps.log.warn(line, session?.started ? 'session failed' : 'session not opened');
    if (session) session.fail(error);
    else call.send([toErrorEvent(error)]);
  }
}

async function openSession(call: ServedCall, clock: Clock): Promise<RealtimeSession> {
  const { envelope, incoming } = call;
  if (!incoming) throw new Error('a session without messages');
  const messages = incoming.messages();
  const prepared = envelope.textLength > 0 ? await readPrepared(messages) : undefined;
  return new RealtimeSession({ call, messages, prepared, clock });
}

async function readPrepared(messages: AsyncIterator<Message, void>): Promise<Record<string, unknown>> {
  const first = await messages.next();
  if (first.done) throw new GatewayError('cancelled', 'The client left.');
  return JSON.parse(Buffer.from(first.value.data).toString());
}

function endAfterGrace(session: RealtimeSession, { draining, graceMs }: SessionEnds, clock: Clock): void {
  const message = 'The server is shutting down: open a new session.';
  const end = () => session.fail(overloaded('shutting_down', message, { code: 'server_shutdown' }));
  const wait = () => {
    const timer = clock.setTimeout(end, graceMs);
    session.signal.addEventListener('abort', () => clock.clearTimeout(timer), { once: true });
  };
  if (draining.aborted) return wait();
  draining.addEventListener('abort', wait, { once: true });
  // The option `signal` would remove only the last of many listeners: Node keeps one for each target.
  const forget = () => draining.removeEventListener('abort', wait);
  session.signal.addEventListener('abort', forget, { once: true });
}
