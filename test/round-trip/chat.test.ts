import {
  AnswerFold,
  type AssistantPart,
  type FinishReason,
  type GenerateAnswer,
  type GenerateEvent,
  type GenerateRequest,
  noUsage,
} from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import type { ParsedGenerate } from '@model-gateway/ingress';
import { expect, test } from 'vitest';
import { parse } from '../../services/ingress-chat/src/chat/parse.ts';
import { chatRenderer } from '../../services/ingress-chat/src/chat/render.ts';
import { chatDialect } from '../../services/worker/src/dialects/chat/dialect.ts';

/** Random numbers that are the same in every run: the test's title has the seed. */
class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed * 2_654_435_769;
  }

  /** A whole number from 0 up to, but not including, `sides`. */
  roll(sides: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * sides);
  }

  pick<T>(...values: T[]): T {
    return values[this.roll(values.length)] as T;
  }

  /** Between one and `most` values of `make`. */
  some<T>(most: number, make: (i: number) => T): T[] {
    return Array.from({ length: 1 + this.roll(most) }, (_, i) => make(i));
  }

  maybe<T>(make: () => T): T | undefined {
    return this.roll(2) === 0 ? undefined : make();
  }

  text(): string {
    return this.some(4, () => this.pick('a', 'Ž', '\u2028', '"', '\\', '\n', ' ', '😀', '</x>', '{')).join(
      '',
    );
  }
}

const seeds = Array.from({ length: 60 }, (_, i) => i + 1);
const names = ['weather', 'clock', 'search'];

function userPart(dice: Dice): object {
  return dice.pick<() => object>(
    () => ({ type: 'text', text: dice.text() }),
    () => ({ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } }),
    () => ({ type: 'image_url', image_url: { url: 'https://img.example/a.png' } }),
    () => ({ type: 'input_audio', input_audio: { data: 'AA==', format: dice.pick('wav', 'mp3') } }),
    () => ({ type: 'file', file: { file_data: 'data:application/pdf;base64,JVBE', filename: 'a.pdf' } }),
    () => ({ type: 'file', file: { file_id: 'file-1' } }),
  )();
}

function json(dice: Dice): string {
  return dice.pick(
    '{}',
    JSON.stringify({ [dice.text()]: [dice.text(), dice.roll(9), null] }),
    '{ "n": 12345678901234567890 }',
  );
}

/** Tool calls and all of their results, in any order. */
function toolTurn(dice: Dice, turn: number): object[] {
  const calls = dice.some(3, i => ({
    id: `call_${turn}_${i}`,
    type: 'function',
    function: { name: dice.pick(...names), arguments: json(dice) },
  }));
  const results = calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: dice.text() }));
  if (dice.roll(2) === 0) results.reverse();
  return [{ role: 'assistant', content: dice.pick(null, dice.text()), tool_calls: calls }, ...results];
}

function turns(dice: Dice): object[] {
  const some = dice.some<object[]>(6, turn =>
    dice.pick<() => object[]>(
      () => [{ role: 'system', content: dice.text() }],
      () => [
        {
          role: 'user',
          content: dice.pick<unknown>(
            dice.text(),
            dice.some(3, () => userPart(dice)),
          ),
        },
      ],
      () => [{ role: 'assistant', content: dice.text() }],
      () => [{ role: 'assistant', content: dice.text(), reasoning_content: dice.text() }],
      () => [{ role: 'assistant', refusal: dice.text(), content: null }],
      () => toolTurn(dice, turn),
    )(),
  );
  return [...some.flat(), { role: 'user', content: 'Hi' }];
}

function chatBody(dice: Dice): Record<string, unknown> {
  const tools = names.map(name => ({
    type: 'function',
    function: { name, parameters: { type: 'object' }, strict: dice.pick(true, false) },
  }));
  const set = {
    messages: turns(dice),
    tools: dice.maybe(() => tools),
    temperature: dice.maybe(() => dice.roll(20) / 10),
    top_p: dice.maybe(() => dice.roll(10) / 10),
    max_tokens: dice.maybe(() => dice.roll(1000)),
    stop: dice.maybe(() => dice.pick<unknown>('END', ['a', 'b'])),
    seed: dice.maybe(() => dice.roll(1000)),
    presence_penalty: dice.maybe(() => 1),
    reasoning_effort: dice.maybe(() => dice.pick('none', 'low', 'max')),
    response_format: dice.maybe(() =>
      dice.pick<object>(
        { type: 'json_object' },
        { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' }, strict: true } },
      ),
    ),
    logit_bias: dice.maybe(() => ({ 5: 1 })),
    user: dice.maybe(() => 'u1'),
    store: dice.maybe(() => false),
  };
  const choice = dice.maybe(() =>
    dice.pick<unknown>('auto', 'none', 'required', { type: 'function', function: { name: 'clock' } }),
  );
  const given = {
    ...set,
    ...(set.tools && { tool_choice: choice, parallel_tool_calls: dice.maybe(() => false) }),
  };
  return {
    model: 'm',
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  };
}

const envelope = testEnvelope({ format: 'responses' });

/** A request after its way over the bus. */
function understood(body: Record<string, unknown>): GenerateRequest {
  return JSON.parse(JSON.stringify((parse(body) as ParsedGenerate).canonical()));
}

test.each(seeds)('request %i of a chat client means the same at a chat upstream', seed => {
  const request = understood(chatBody(new Dice(seed)));
  const { body } = chatDialect.encode({
    envelope,
    body: 'canonical',
    request,
    model: 'm',
    drop: [],
    limits: {},
  });
  expect(understood(JSON.parse(body.toString()))).toEqual(request);
});

/** Joins neighbouring parts of one type, for a format that does not separate them. */
function answerParts(dice: Dice): AssistantPart[] {
  const said: AssistantPart[] = [];
  if (dice.roll(2) === 0) said.push({ type: 'reasoning', text: dice.text() });
  if (dice.roll(2) === 0) said.push({ type: 'text', text: dice.text() });
  if (dice.roll(2) === 0)
    said.push(
      ...dice.some(
        3,
        (i): AssistantPart => ({
          type: 'tool-call',
          id: `call_${i}`,
          name: dice.pick(...names),
          arguments: json(dice),
        }),
      ),
    );
  return said;
}

function eventsOf({ start, parts, finish }: GenerateAnswer, dice: Dice): GenerateEvent[] {
  const events = parts.map((part, index): GenerateEvent[] => {
    const text = part.type === 'tool-call' ? part.arguments : 'text' in part ? part.text : '';
    const cut = dice.roll(text.length + 1);
    const texts = [text.slice(0, cut), text.slice(cut)].filter(piece => piece !== '');
    const { type } = part;
    const begun = type === 'tool-call' ? { type, id: part.id, name: part.name } : { type: type as 'text' };
    return [
      { type: 'part-start', index, part: begun },
      ...texts.map((piece): GenerateEvent => ({ type: 'part-delta', index, text: piece })),
      { type: 'part-end', index },
    ];
  });
  return [start, ...events.flat(), finish];
}

test.each(seeds)('response %i is the same once rendered and decoded, whole or streamed', seed => {
  const dice = new Dice(seed);
  const parts = answerParts(dice);
  const reason = dice.pick<FinishReason>(
    parts.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop',
    'length',
    'content-filter',
  );
  const usage = {
    ...noUsage,
    input: dice.roll(1000),
    cachedInput: dice.roll(9),
    cacheWrite5m: dice.roll(9),
    output: dice.roll(1000),
    reasoning: dice.roll(9),
  };
  const answer: GenerateAnswer = {
    start: { type: 'start', id: 'chatcmpl-1', model: 'up-1' },
    parts,
    finish: { type: 'finish', reason, raw: null, usage },
  };
  const render = chatRenderer({ model: 'm', usage: true, legacy: false });
  const context = { requestId: 'req_1', created: 1 };
  const text = eventsOf(answer, dice).map(render.stream(context).add).join('');
  const decoder = chatDialect.decodeStream({
    envelope,
    body: 'canonical',
    request: { messages: [] },
    model: 'm',
    drop: [],
    limits: {},
  });
  const fold = new AnswerFold();
  const again = decoder
    .read(Buffer.from(text))
    .map(event => fold.add(event))
    .at(-1);
  expect(again).toMatchObject({ start: answer.start, parts, finish: { reason, usage } });
  expect(again && withoutRaw(render.whole(again, context))).toEqual(
    withoutRaw(render.whole(answer, context)),
  );
});

function withoutRaw(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer));
}
