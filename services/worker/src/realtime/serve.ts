import type { Message, ServedCall } from '@model-gateway/bus';
import { GatewayError, type TargetRef, toErrorEvent, toGatewayError } from '@model-gateway/canonical';
import type { Catalog, Model } from '@model-gateway/catalog';
import { parseJsonObject } from '@model-gateway/json';
import { profileOf } from '@model-gateway/providers';
import type { AnswerDeps, SessionEnds } from '../answer-deps.ts';
import { serveTargets } from '../serve-targets.ts';
import { fromBeta, toBeta } from './beta.ts';
import { serveBridge } from './bridge.ts';
import { serveEmulation } from './emulation/serve.ts';
import { RealtimeSession, type SessionOptions } from './session.ts';

/** Serves a client's session until it is over. Must not throw. */
export async function serveRealtime(call: ServedCall, parts: AnswerDeps): Promise<void> {
  let session: RealtimeSession | undefined;
  try {
    session = await openSession(call, parts.catalog);
    if (parts.sessions) endAfterGrace(session, parts.sessions);
    const targets = bridged(session, parts.catalog);
    if (targets.length > 0) await serveBridge(session, targets, parts);
    else await serveEmulation(session, parts, serveTargets);
    session.finish();
  } catch (thrown) {
    const error = toGatewayError(thrown);
    const { requestId, model } = call.envelope;
    const { kind, message, cause } = error;
    parts.log.warn({ requestId, model, kind, error: message, err: cause }, 'session failed');
    if (session) session.fail(error);
    else call.send([toErrorEvent(error)]);
  }
}

async function openSession(call: ServedCall, catalog: Catalog): Promise<RealtimeSession> {
  const { envelope, incoming } = call;
  const model = catalog.model(envelope.model)?.model;
  if (!model)
    throw new GatewayError('not-found', `The model '${envelope.model}' is not in the catalog.`, {
      code: 'model_not_found',
    });
  if (!incoming) throw new Error('a session without messages');
  const messages = incoming.messages();
  const prepared = envelope.textLength > 0 ? await readPrepared(messages) : undefined;
  const line = { call, messages };
  return new RealtimeSession({ ...(envelope.variant === 'beta' ? inBeta(line) : line), model, prepared });
}

async function readPrepared(messages: AsyncIterator<Message, void>): Promise<Record<string, unknown>> {
  const first = await messages.next();
  if (first.done) throw new GatewayError('cancelled', 'The client left.');
  return JSON.parse(Buffer.from(first.value.data).toString());
}

/** Returns the targets with a realtime API to bridge to; empty if the session is emulated. */
function bridged(
  { model, envelope }: { model: Pick<Model, 'realtime'>; envelope: { targets: TargetRef[] } },
  catalog: Pick<Catalog, 'provider'>,
): TargetRef[] {
  if (model.realtime === 'upstream') return envelope.targets;
  if (model.realtime) return [];
  return envelope.targets.filter(target =>
    hasRealtime(catalog.provider(target.provider)?.kind, target.model),
  );
}

function hasRealtime(kind: string | undefined, model: string): boolean {
  return kind !== undefined && profileOf(kind).hasRealtime?.(model) === true;
}

function endAfterGrace(session: RealtimeSession, { draining, graceMs }: SessionEnds): void {
  const message = 'The server is shutting down: open a new session.';
  const end = () => session.fail(new GatewayError('overloaded', message, { code: 'server_shutdown' }));
  const wait = () => {
    const timer = setTimeout(end, graceMs);
    session.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  };
  if (draining.aborted) return wait();
  draining.addEventListener('abort', wait, { once: true, signal: session.signal });
}

type Line = Pick<SessionOptions, 'call' | 'messages'>;

/** Wraps the line to a beta client, translating events both ways. */
function inBeta({ call, messages }: Line): Line {
  return {
    call: {
      envelope: call.envelope,
      signal: call.signal,
      get drained() {
        return call.drained;
      },
      send: events => call.send(events),
      announce: attempt => call.announce(attempt),
      sendMessage(data, text) {
        const event = text ? parseJsonObject(data) : undefined;
        if (!event) return call.sendMessage(data, text);
        let more = true;
        for (const each of toBeta(event)) more = call.sendMessage(Buffer.from(JSON.stringify(each)), true);
        return more;
      },
    },
    messages: translated(messages),
  };
}

/** Translates messages; an invalid one is passed on, and refused by its reader. */
async function* translated(messages: AsyncIterable<Message>): AsyncGenerator<Message, void> {
  for await (const message of messages) {
    const event = parseJsonObject(message.data);
    yield event ? { data: Buffer.from(JSON.stringify(fromBeta(event))), text: message.text } : message;
  }
}
