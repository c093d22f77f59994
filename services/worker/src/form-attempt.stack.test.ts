import type { ServerResponse } from 'node:http';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { ManualClock } from '@model-gateway/clock/testing';
import { transcriptionsDialect } from '@model-gateway/formats/testing/dialects';
import { describe, expect, test } from 'vitest';
import { attempt } from './attempt.ts';
import { startUpstream } from './testing/attempts.ts';

let respond: (response: ServerResponse) => void | Promise<void>;
const { dispatcher, attemptOf } = await startUpstream((request, response) => {
  request.on('error', () => {});
  request.resume().on('end', () => respond(response));
});
const clock = new ManualClock();

/** Sends a form whose file comes in pieces, one every `paceMs` milliseconds. */
async function ask(
  answer: typeof respond,
  { paceMs = 0, stream = false, timeouts = {}, audio = {} as { seconds?: number } } = {},
) {
  respond = answer;
  dispatcher.restart();
  const envelope = testEnvelope({
    operation: 'transcribe',
    format: 'transcriptions',
    stream,
    ...audio,
  });
  async function* bytes() {
    for (let i = 0; i < 5; i++) {
      yield Buffer.alloc(1_000);
      await clock.advance(paceMs);
    }
  }
  const files = [{ name: 'file', filename: 'a.wav', mediaType: 'audio/wav', size: 5_000 }];
  const { options, ...seen } = attemptOf(envelope, {
    upstream: { dialect: transcriptionsDialect },
    input: { body: 'form', form: { fields: [], files, bytes: bytes() } },
    timeouts: { firstToken: 5_000, idle: 5_000, total: 30_000, ...timeouts },
    clock,
  });
  return { ...seen, error: await attempt(dispatcher, options) };
}

const json = (body: object) => (response: ServerResponse) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));

describe('usage records of forms', () => {
  test('a form without reported usage is not estimated from the size of its file', async () => {
    const { records } = await ask(json({ text: 'Hi' }));
    expect(records).toMatchObject([{ outcome: 'answered', usage: null }]);
    expect(records[0]).not.toHaveProperty('estimated');
  });

  test('a form without reported usage is estimated by the seconds of its audio, if known', async () => {
    const audio = { seconds: 1.5 };
    const { records } = await ask(json({ text: 'Hi' }), { audio });
    expect(records).toMatchObject([{ usage: { input: 0, units: { seconds: 1.5 } }, estimated: true }]);
    const better = await ask(json({ text: 'Hi', usage: { type: 'duration', seconds: 2 } }), { audio });
    expect(better.records).toMatchObject([{ usage: { units: { seconds: 2 } } }]);
    expect(better.records[0]).not.toHaveProperty('estimated');
  });

  test('a form whose answer is cut off is recorded without usage', async () => {
    const { records, events } = await ask(
      async response => {
        const delta = 'data: {"type":"transcript.text.delta","delta":"Hi"}\n\n';
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(delta);
        await dispatcher.hasRead(delta.length);
        response.destroy();
      },
      { stream: true },
    );
    expect(events.at(-1)).toMatchObject({ type: 'error', kind: 'upstream' });
    expect(records).toMatchObject([{ outcome: 'failed', charged: true, usage: null }]);
  });
});

test('the first-token timeout begins once the body is sent', async () => {
  const done = 'data: {"type":"transcript.text.done","text":"Hi"}\n\n';
  const slow = await ask(
    response => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(done),
    { stream: true, paceMs: 2_000 },
  );
  expect(slow.events.at(-1)?.type).toBe('finish');
  const silent = await ask(() => clock.advance(5_000), { stream: true });
  expect(silent.error).toMatchObject({ kind: 'timeout' });
});
