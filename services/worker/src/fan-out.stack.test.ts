import type { ServerResponse } from 'node:http';
import type { GenerateEvent, Message } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { chatDialect, messagesDialect } from '@model-gateway/formats/testing/dialects';
import { expect, test, vi } from 'vitest';
import { fanOut } from './fan-out.ts';
import { startUpstream } from './testing/attempts.ts';

const event = (value: { type: string } & Record<string, unknown>) =>
  `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
const usage = { input_tokens: 10, output_tokens: 2 };
const start = event({ type: 'message_start', message: { id: 'm', model: 'm', usage } });
const text =
  event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }) +
  event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } });
const end =
  event({ type: 'content_block_stop', index: 0 }) +
  event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage }) +
  event({ type: 'message_stop' });
const overloaded = event({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } });

/** Answers each upstream call, numbered in order of arrival. */
let respond: (response: ServerResponse, call: number) => void | Promise<void>;
let calls = 0;
let left = 0;
/** The events of the last request so far. */
let delivered: GenerateEvent[] = [];
const { dispatcher, attemptOf } = await startUpstream(
  (request, response) => {
    const call = calls++;
    response.on('close', () => {
      if (!response.writableFinished) left++;
    });
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      void respond(response, call);
    });
  },
  { connections: null },
);

async function ask(
  answer: typeof respond,
  {
    n = 3,
    others = [] as Message[][],
    dialect = messagesDialect,
    signal = new AbortController().signal,
    credit = true,
    stream = true,
  } = {},
) {
  respond = answer;
  calls = 0;
  left = 0;
  dispatcher.restart();
  const { options, ...seen } = attemptOf(testEnvelope({ stream }), {
    signal,
    upstream: { dialect },
    input: {
      body: 'canonical',
      request: { n, others, messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] },
    },
  });
  delivered = seen.events;
  let drains = 0;
  const call = {
    ...options.call,
    get drained() {
      drains++;
      return Promise.resolve();
    },
    send: (sent: readonly GenerateEvent[]) => options.call.send(sent) && credit,
  };
  const error = await fanOut(dispatcher, { ...options, call });
  return { ...seen, error, drains };
}

test('each call becomes a choice; the first ends with the answer, whose usage is the sum', async () => {
  const { events, announced, records } = await ask(async (response, call) => {
    await dispatcher.hasEnded(call);
    response.end(start + text + end);
  });
  expect(records.map(({ id }) => id).sort()).toEqual(['1', '2', '3']);
  expect(announced).toHaveLength(3);
  expect(records).toMatchObject(Array(3).fill({ outcome: 'answered', usage: { input: 10, output: 2 } }));
  expect(events.filter(({ type }) => type === 'start')).toHaveLength(1);
  expect(events[0]?.type).toBe('start');
  for (const choice of [undefined, 1, 2]) {
    const partEvents = events.filter(event => 'index' in event && event.choice === choice);
    expect(partEvents.map(({ type }) => type)).toEqual(['part-start', 'part-delta', 'part-end']);
  }
  const ends = events.filter(({ type }) => type === 'choice-end');
  expect(ends).toEqual(
    [1, 2].map(choice => ({ type: 'choice-end', choice, reason: 'stop', raw: 'end_turn' })),
  );
  expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop', usage: { input: 30, output: 6 } });
});

test('choices of further conversations follow those of the first, however many a call returns', async () => {
  const others: Message[][] = [[{ role: 'user', content: [{ type: 'text', text: 'Bye' }] }]];
  const chunk = (choices: object[]) => `data: ${JSON.stringify({ id: 'c', model: 'm', choices })}\n\n`;
  const two = (text: string) =>
    chunk([0, 1].map(index => ({ index, delta: { content: `${text}${index}` }, finish_reason: 'stop' })));
  const { events } = await ask(
    (response, call) => void response.end(`${two('ab'[call] as string)}data: [DONE]\n\n`),
    {
      n: 2,
      others,
      dialect: chatDialect,
    },
  );
  const texts = events.flatMap(event =>
    event.type === 'part-delta' ? [[event.choice ?? 0, event.text]] : [],
  );
  expect(texts.sort()).toEqual([
    [0, 'a0'],
    [1, 'a1'],
    [2, 'b0'],
    [3, 'b1'],
  ]);
  const ends = events.flatMap(event => (event.type === 'choice-end' ? [event.choice] : []));
  expect(ends.sort()).toEqual([1, 2, 3]);
  expect(events.at(-1)?.type).toBe('finish');
  const each = await ask(response => void response.end(start + text + end), { n: 2, others });
  expect(each.announced).toHaveLength(4);
});

test('a call that fails before anything was sent fails the whole request', async () => {
  const { events, error } = await ask((response, call) => {
    if (call === 1) response.end(start + overloaded);
    else response.write(start);
  });
  expect(error).toMatchObject({ kind: 'overloaded' });
  expect(events).toEqual([]);
  await expect.poll(() => left).toBe(2);
});

test('a call that fails after output was sent ends the answer in an error', async () => {
  const { events, error } = await ask(async (response, call) => {
    if (call !== 1) return void response.write(start + text);
    await vi.waitFor(() => expect(delivered).not.toEqual([]));
    response.end(overloaded);
  });
  expect(error).toBeUndefined();
  expect(events.at(-1)).toMatchObject({ type: 'error', kind: 'overloaded' });
  expect(events.filter(({ type }) => type === 'error')).toHaveLength(1);
  await expect.poll(() => left).toBe(2);
});

test('a whole answer is sent only once all calls have succeeded', async () => {
  const broken = await ask(
    async (response, call) => {
      if (call !== 1) return void response.end(start + text + end);
      await dispatcher.hasEnded(2);
      response.end(overloaded);
    },
    { stream: false },
  );
  expect(broken.error).toMatchObject({ kind: 'overloaded' });
  expect(broken.events).toEqual([]);
  expect(broken.records.map(({ outcome }) => outcome).sort()).toEqual(['answered', 'answered', 'failed']);
  expect(broken.records.map(({ charged }) => charged)).toEqual([false, false, false]);
  const { events, error, records } = await ask(response => void response.end(start + text + end), {
    stream: false,
  });
  expect(error).toBeUndefined();
  expect(records).toMatchObject(Array(3).fill({ outcome: 'answered', charged: true }));
  expect(events.filter(({ type }) => type === 'choice-end')).toHaveLength(2);
  expect(events.at(-1)).toMatchObject({ type: 'finish', usage: { input: 30 } });
});

test('a client that leaves closes every call', async () => {
  const abort = new AbortController();
  const { error, records } = await ask(
    async (response, call) => {
      response.write(start + text);
      if (call !== 2) return;
      await dispatcher.hasRead(3 * (start + text).length);
      abort.abort();
    },
    { signal: abort.signal },
  );
  expect(error).toBeUndefined();
  await expect.poll(() => left).toBe(3);
  expect(records).toMatchObject(Array(3).fill({ outcome: 'cancelled', charged: true }));
});

test('each call waits for credit', async () => {
  const { events, drains } = await ask(
    async response => {
      response.write(start + text);
      await dispatcher.hasRead(3 * (start + text).length);
      response.end(end);
    },
    { credit: false },
  );
  expect(events.at(-1)).toMatchObject({ type: 'finish' });
  expect(drains).toBeGreaterThanOrEqual(3);
});

test('a request for more than eight choices is refused without a call', async () => {
  const { error } = await ask(() => {}, { n: 9 });
  expect(error).toMatchObject({ kind: 'invalid-request', details: { path: 'n', notRepresentable: true } });
  expect(calls).toBe(0);
});
