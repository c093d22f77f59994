import type { AssistantPart } from '@model-gateway/canonical';
import { Random } from '@model-gateway/canonical/testing';
import { finish, folded } from '@model-gateway/canonical/testing/events';
import { interleaved } from '@model-gateway/canonical/testing/interleave';
import { call, opaque, redacted, signed, text, thought } from '@model-gateway/canonical/testing/parts';
import { readMessage } from '@model-gateway/formats/testing/message-reader';
import { expect, test } from 'vitest';
import { parse } from './parse.ts';
import { messagesRenderer } from './render.ts';

const context = { requestId: 'req_1', created: 0 };
const words = ['a', ' "b"', '\n', 'ü', '数', '🚀', '\u2028', '\\', '{}'] as const;
const randomText = (random: Random) => random.list(1, 6, () => random.pick(words)).join('');
const input = (random: Random) =>
  Object.fromEntries(
    random.list(0, 3, () => [randomText(random), random.pick([1, null, [true], { deep: ['x'] }])]),
  );
const formats = ['messages', 'generate-content', 'responses'] as const;

const makers: ((random: Random, id: number) => AssistantPart)[] = [
  random => text(randomText(random)),
  random => thought(randomText(random), signed('Q2lR+/=', random.pick(formats))),
  () => thought('', signed('EqQB')),
  () => redacted('Em'),
  (random, id) => call(`c${id}`, JSON.stringify(input(random))),
  () => opaque({ type: 'server_tool_use', id: 's', input: {} }),
];

test('a streamed response equals the complete response and survives a round trip', () => {
  for (let seed = 0; seed < 200; seed++) {
    const random = new Random(seed);
    let id = 0;
    const parts = random.list(0, 7, () => random.pick(makers)(random, id++));
    const end = finish(random.pick(['stop', 'length', 'tool-calls']));
    const events = [
      { type: 'start', id: 'x', model: 'm' } as const,
      ...interleaved(parts, random, true),
      end,
    ];
    const render = messagesRenderer({ model: 'm' });
    const whole = JSON.parse(JSON.stringify(render.whole(folded(events), context)));
    const streamed = events.map(render.stream(context).add).join('');
    expect(readMessage(streamed), `seed ${seed}`).toEqual(whole);

    const history = [{ role: 'assistant', content: whole.content }];
    const [message] = parse({ model: 'm', max_tokens: 1, messages: history }, {}).canonical().messages;
    expect(message?.content, `seed ${seed}`).toEqual(parts);
  }
});
