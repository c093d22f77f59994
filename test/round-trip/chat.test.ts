import type { GenerateRequest } from '@model-gateway/canonical';
import { Random } from '@model-gateway/canonical/testing';
import { expect, test } from 'vitest';
import { encoded, parsedAs } from './hops.ts';
import { asSent, randomArguments, randomText } from './request.ts';

const seeds = Array.from({ length: 60 }, (_, i) => i + 1);
const names = ['weather', 'clock', 'search'];

function userPart(random: Random): object {
  const format = random.pick(['wav', 'mp3']);
  return random.pick([
    { type: 'text', text: randomText(random) },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } },
    { type: 'image_url', image_url: { url: 'https://img.example/a.png' } },
    { type: 'input_audio', input_audio: { data: 'AA==', format } },
    { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBE', filename: 'a.pdf' } },
    { type: 'file', file: { file_id: 'file-1' } },
  ]);
}

/** Tool calls and all of their results, in any order. */
function toolTurn(random: Random): object[] {
  const json = () => random.pick([randomArguments(random), '{ "n": 12345678901234567890 }']);
  const calls = random.list(1, 3, () => ({
    ...{ id: `call_${random.below(1e9)}`, type: 'function' },
    function: { name: random.pick(names), arguments: json() },
  }));
  const results = calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: randomText(random) }));
  if (random.below(2) === 0) results.reverse();
  const content = random.pick([null, randomText(random)]);
  return [{ role: 'assistant', content, tool_calls: calls }, ...results];
}

function turn(random: Random): object[] {
  const said = () => randomText(random);
  const parts = random.list(1, 3, () => userPart(random));
  return random.pick<object[]>([
    [{ role: 'system', content: said() }],
    [{ role: 'user', content: random.pick<unknown>([said(), parts]) }],
    [{ role: 'assistant', content: said() }],
    [{ role: 'assistant', content: said(), reasoning_content: said() }],
    [{ role: 'assistant', refusal: said(), content: null }],
    toolTurn(random),
  ]);
}

function chatBody(random: Random): Record<string, unknown> {
  const maybe = <T>(...values: T[]) => random.maybe(() => random.pick(values));
  const tools = names.map(name => ({
    type: 'function',
    function: { name, parameters: { type: 'object' }, strict: random.pick([true, false]) },
  }));
  const schema = { name: 'n', schema: { type: 'object' }, strict: true };
  const choice = maybe<unknown>('auto', 'none', 'required', {
    type: 'function',
    function: { name: 'clock' },
  });
  return asSent({
    model: 'm',
    messages: [...random.list(1, 6, () => turn(random)).flat(), { role: 'user', content: 'Hi' }],
    ...random.maybe(() => ({ tools, tool_choice: choice, parallel_tool_calls: maybe(false) })),
    ...{ temperature: maybe(0, 0.7, 1.9), top_p: maybe(0, 0.9), max_tokens: maybe(1, 1_000) },
    ...{ stop: maybe<unknown>('END', ['a', 'b']), seed: maybe(0, 7), presence_penalty: maybe(1) },
    ...{ reasoning_effort: maybe('none', 'low', 'max'), logit_bias: maybe({ 5: 1 }), user: maybe('u1') },
    response_format: maybe<object>({ type: 'json_object' }, { type: 'json_schema', json_schema: schema }),
    store: maybe(false),
  });
}

test.each(seeds)('request %i of a chat client means the same at a chat upstream', seed => {
  const request: GenerateRequest = parsedAs('chat', chatBody(new Random(seed)));
  expect(parsedAs('chat', encoded(request, 'chat'))).toEqual(request);
});
