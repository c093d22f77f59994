import type { ServerResponse } from 'node:http';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { ManualClock } from '@model-gateway/clock/testing';
import { messagesDialect } from '@model-gateway/formats/testing/dialects';
import { EventSplitter } from '@model-gateway/sse';
import { afterAll, expect, test, vi } from 'vitest';
import { AnswerBudget } from './answer-budget.ts';
import { attempt } from './attempt.ts';
import { Decoding } from './decoding.ts';
import { maxFailure } from './exchange.ts';
import { startUpstream } from './testing/attempts.ts';

let answer: (response: ServerResponse) => void;
const { dispatcher, attemptOf } = await startUpstream((request, response) => {
  request.resume().on('end', () => answer(response));
});
const clock = new ManualClock();
const decoding = new Decoding(clock);
afterAll(() => decoding.stop());

/** Makes one attempt of a client of another format. Counts the bytes of failures that the dialect reads. */
function ask(respond: typeof answer, { token = 't', provider = 'p', answers = new AnswerBudget(1e9) } = {}) {
  answer = respond;
  const read: number[] = [];
  const dialect = {
    ...messagesDialect,
    decodeFailure: (failure: Parameters<typeof messagesDialect.decodeFailure>[0]) => {
      read.push(failure.body.length);
      return messagesDialect.decodeFailure(failure);
    },
  };
  const faults: unknown[] = [];
  const { options } = attemptOf(
    testEnvelope({ requestId: 'r', stream: true, token: { id: token, project: 'p' } }),
    {
      upstream: { dialect, provider },
      input: { body: 'canonical', request: { messages: [] } },
      clock,
    },
  );
  const report = (_: unknown, thrown: unknown) => void faults.push(thrown);
  const ended = attempt(dispatcher, { ...options, decoding, answers, faults: { report } });
  return { ended, read, faults };
}

/** Writes without end, until the connection is closed. */
function pour(response: ServerResponse, piece: Buffer): Promise<number> {
  let written = 0;
  const write = () => {
    while (!response.destroyed) {
      written += piece.length;
      if (!response.write(piece)) break;
    }
  };
  response.on('drain', write);
  write();
  return new Promise(resolve => response.on('close', () => resolve(written)));
}

test.each([400, 429, 500, 529])(
  'of an error with status %i that does not end, 64 KB are read',
  async status => {
    const closed = Promise.withResolvers<number>();
    const { ended, read } = ask(response => {
      response.writeHead(status, { 'content-type': 'application/json' });
      closed.resolve(pour(response, Buffer.alloc(16 * 1024, 'x')));
    });
    expect(await ended).toMatchObject({ details: { upstream: { status } } });
    expect(read).toEqual([maxFailure]);
    // The upstream is left, however much it would send.
    expect(await closed.promise).toBeGreaterThan(maxFailure);
  },
);

test.each([
  ['arrays', '[],'],
  ['objects', '{},'],
  ['keys', '"key":1,'],
  ['text', 'word '],
])('a whole body of millions of %s in place of a stream is read as a failure of 64 KB', async (_, piece) => {
  const { ended, read } = ask(response => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(`${piece.startsWith('"') ? '{' : '['}${piece.repeat(8_000_000 / piece.length)}`);
  });
  expect(await ended).toMatchObject({ kind: 'upstream', message: 'The upstream sent a malformed answer.' });
  expect(read.every(bytes => bytes <= maxFailure)).toBe(true);
});

test('answers that do not end hold half of the budget at most, whatever their form', async () => {
  const answers = new AnswerBudget(8_000_000);
  const piece = Buffer.alloc(1_500_000, 'x');
  const held: ServerResponse[] = [];
  const holding = [];
  for (const [type, start] of [
    ['application/json', '{"a":"'],
    ['text/event-stream', 'data: {"a":"'],
  ] as const) {
    const before = answers.held;
    holding.push(
      ask(
        response => {
          held.push(response);
          response.writeHead(200, { 'content-type': type });
          response.write(start);
          response.write(piece);
        },
        { answers, token: type },
      ),
    );
    await vi.waitFor(() => expect(answers.held).toBeGreaterThan(before + piece.length));
  }
  const send = (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(piece);
  };
  expect(await ask(send, { answers }).ended).toMatchObject({
    kind: 'overloaded',
    message: "The gateway holds 4 MB of this upstream's answers, which is the most. Retry later.",
    details: { upstream: { provider: 'p' } },
  });
  // Another provider's answer is read, though it is none.
  expect(await ask(send, { answers, provider: 'q' }).ended).toMatchObject({ kind: 'upstream' });
  for (const response of held) response.destroy();
  await Promise.all(holding.map(({ ended }) => ended));
  expect(answers.held).toBe(0);
});

test('an exception while an answer is read is the failure of this attempt', async () => {
  const boom = new TypeError('boom');
  vi.spyOn(EventSplitter.prototype, 'push').mockImplementation(() => {
    throw boom;
  });
  const { ended, faults } = ask(response => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: {}\n\n');
  });
  expect(await ended).toMatchObject({
    kind: 'upstream',
    message: 'The upstream sent a malformed answer.',
  });
  expect(faults.length).toBeLessThanOrEqual(1);
  vi.restoreAllMocks();
});
