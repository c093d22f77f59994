import type { AssistantPart, FinishReason } from '@model-gateway/canonical';
import { Random } from '@model-gateway/canonical/testing';
import { finish, folded } from '@model-gateway/canonical/testing/events';
import { interleaved } from '@model-gateway/canonical/testing/interleave';
import { call, png, redacted, signed, text, thought } from '@model-gateway/canonical/testing/parts';
import { readResponse } from '@model-gateway/formats/testing/response-reader';
import { expect, test } from 'vitest';
import { parse } from './parse.ts';
import { rendererOf } from './render.ts';

const context = { requestId: `req_${'0'.repeat(24)}`, created: 0 };
const words = (random: Random) => random.pick(['a', 'Hällo 🌍', 'x'.repeat(30), '\n\u2028"\\', ' ']);
const input = (random: Random) =>
  random.pick(['{}', '{"a":1}', '{"a":{"b":["c",null,true]}}', '{"a":1e400}']);
const tools = [
  { type: 'function', name: 'f', parameters: { type: 'object' } },
  { type: 'custom', name: 'patch' },
  { type: 'namespace', name: 'ns', tools: [{ type: 'function', name: 'read' }] },
  { type: 'tool_search', execution: 'client' },
];
const reasons: FinishReason[] = ['stop', 'length', 'tool-calls', 'content-filter'];

const makers: ((random: Random, id: string) => AssistantPart)[] = [
  random => text(words(random)),
  random => ({ type: 'refusal', text: words(random) }),
  random => thought(words(random)),
  random => thought(words(random), signed('EqQB')),
  () => thought('', signed('EqQB')),
  () => redacted('Em'),
  (random, id) => call(id, input(random)),
  (random, id) => call(id, input(random), { name: 'ns__read', ...signed('s', 'generate-content') }),
  (random, id) => call(id, words(random), { name: 'patch', custom: true }),
  (_, id) => call(id, '{"query":"x"}', { name: 'tool_search' }),
  () => png,
];

test('a streamed response equals the complete response and survives a round trip', () => {
  for (let seed = 0; seed < 300; seed++) {
    const random = new Random(seed);
    let id = 0;
    const parts = random.list(0, 7, () => random.pick(makers)(random, `c${id++}`));
    const end = finish(random.pick(reasons));
    const events = [
      { type: 'start', id: 'x', model: 'm' } as const,
      ...interleaved(parts, random, true),
      end,
    ];
    const parsed = parse({ model: 'm', input: 'x', tools });
    parsed.canonical();
    const render = rendererOf(parsed.rendering);
    const whole = JSON.parse(JSON.stringify(render.whole(folded(events), context)));
    expect(readResponse(events.map(render.stream(context).add).join('')), `seed ${seed}`).toEqual(whole);

    const results = parts.flatMap(part => (part.type === 'tool-call' ? [resultOf(part)] : []));
    const history = [{ role: 'user', content: 'x' }, ...whole.output, ...results];
    const [, message] = parse({ model: 'm', input: history, tools }).canonical().messages;
    expect(message?.role === 'assistant' ? message.content : [], `seed ${seed}`).toEqual(parts);
  }
});

function resultOf({ id, name, custom }: Extract<AssistantPart, { type: 'tool-call' }>): object {
  if (name === 'tool_search')
    return { type: 'tool_search_output', call_id: id, execution: 'client', tools: [] };
  return { type: custom ? 'custom_tool_call_output' : 'function_call_output', call_id: id, output: 'x' };
}
