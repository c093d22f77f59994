import { randomBytes } from 'node:crypto';
import type { AnswerDeps, RunTargets } from '../../answer-deps.ts';
import type { RealtimeSession } from '../session.ts';
import { Emulation } from './emulation.ts';
import { helpersOf, modelsOf } from './model-calls.ts';

/** Emulates a session with models that have no realtime API. Resolves when it is over. */
export async function serveEmulation(
  session: RealtimeSession,
  parts: AnswerDeps,
  runTargets: RunTargets,
): Promise<void> {
  const { model, envelope, expiresAt, prepared, signal } = session;
  const helpers = helpersOf(session, parts.catalog);
  let room = true;
  const emulation = new Emulation({
    model: envelope.model,
    expiresAt: Math.floor(expiresAt / 1_000),
    transcription: helpers.transcription?.model,
    speech: helpers.speech !== undefined,
    voice: typeof model.realtime === 'object' ? model.realtime.voice : undefined,
    context: model.limits.context,
    prepared,
    models: modelsOf({ session, parts, runTargets, hasRoom: () => room }, helpers),
    newId: idMaker(),
    emit: event => {
      room = session.offer({ data: Buffer.from(JSON.stringify(event)), text: true });
    },
  });
  const end = () => emulation.end();
  signal.addEventListener('abort', end, { once: true });
  session.start();
  emulation.begin();
  for await (const { data } of session.messages()) {
    emulation.receive(data);
    // A client that does not read is not read from, either.
    if (!room) await session.drained;
  }
  end();
}

/** Returns a generator of ids: random per session, numbered within it. */
function idMaker(): (prefix: string) => string {
  const sessionPart = randomBytes(9).toString('base64url').replace(/[-_]/g, 'x');
  let count = 0;
  return prefix => `${prefix}_${sessionPart}${(++count).toString(36).padStart(4, '0')}`;
}
