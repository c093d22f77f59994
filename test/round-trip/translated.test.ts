import type { AssistantPart, GenerateAnswer, GenerateRequest, Message } from '@model-gateway/canonical';
import { Random } from '@model-gateway/canonical/testing';
import { folded } from '@model-gateway/canonical/testing/events';
import { expect, test } from 'vitest';
import { parse } from '../../shared/formats/src/chat/parse.ts';
import { eventsOf, randomAnswer } from './answer.ts';
import { context, eventsOver, type Hop, renderers, requestOver } from './hops.ts';
import { asSent, randomRequest } from './request.ts';

const seeds = Array.from({ length: 60 }, (_, i) => i + 1);
const ways: Hop[][] = [
  ['chat'],
  ['messages'],
  ['chat', 'messages'],
  ['messages', 'chat'],
  ['chat', 'messages', 'chat'],
  ['messages', 'chat', 'messages'],
];

/** The losses that docs/translation.md lists for a format. */
const lost: Record<Hop, (request: GenerateRequest) => GenerateRequest> = {
  chat: ({ messages, ...rest }) => ({ messages: messages.map(unmarked), ...rest }),
  messages: ({ messages, ...rest }) => ({ messages: messages.map(withoutUnsigned), ...rest }),
};

/** Cache breakpoints and signatures. */
function unmarked(message: Message): Message {
  const content = (message.content as { cache?: unknown; signature?: unknown }[]).map(
    ({ cache: _, signature: __, ...part }) => part,
  );
  return { ...message, content } as Message;
}

/** A vendor gets only reasoning that it signed. */
function withoutUnsigned(message: Message): Message {
  if (message.role !== 'assistant') return message;
  const isUnsigned = (part: AssistantPart) => part.type === 'reasoning' && !part.signature;
  return { ...message, content: message.content.filter(part => !isUnsigned(part)) };
}

/** The vendor takes no error without content. */
function withTexts(message: Message): Message {
  if (message.role !== 'tool') return message;
  const empty = [{ type: 'text' as const, text: '(empty)' }];
  const content = message.content.map(result =>
    result.error && result.content.length === 0 ? { ...result, content: empty } : result,
  );
  return { ...message, content };
}

/** Only one format names schemas, and only one has adaptive reasoning. */
function meaning({ output, reasoning, ...rest }: GenerateRequest): object {
  const { adaptive: _, ...wish } = reasoning ?? {};
  const { name: __, ...form } = (output ?? {}) as { name?: string };
  return { ...rest, reasoning: wish, output: form };
}

test.each(seeds)('request %i means the same in the other format, and back', seed => {
  const request = randomRequest(new Random(seed));
  for (const way of ways) {
    const expected = way.reduce((given, hop) => lost[hop](given), request);
    const got = way.reduce(requestOver, request);
    expect(meaning(got), way.join(' → ')).toEqual(asSent(meaning(expected)));
  }
});

test.each(seeds)('request %i of a messages client means the same at a messages upstream', seed => {
  const { reasoning, ...request } = randomRequest(new Random(seed), { rich: true });
  const sent = { ...request, ...(reasoning && { reasoning }) };
  const { reasoning: asked, ...again } = requestOver(sent, 'messages');
  expect(again).toEqual({ ...request, messages: request.messages.map(withTexts) });
  expect(asked).toEqual(reasoning && { ...reasoning, adaptive: true });
});

const told = ({ parts, finish: { reason, usage } }: GenerateAnswer) => {
  const { raw: _, ...counts } = usage ?? {};
  return { parts, reason, counts };
};

test.each(seeds)('response %i of a chat upstream is the same for a messages client, and back', seed => {
  const random = new Random(seed);
  const answer = randomAnswer(random, { signed: false });
  for (const way of ways) {
    const events = way.reduce(eventsOver, eventsOf(answer, random));
    expect(told(folded(events)), way.join(' → ')).toEqual(told(answer));
  }
});

test.each(seeds)('response %i of a messages upstream is sent back to it unchanged by a chat client', seed => {
  const random = new Random(seed);
  const answer = randomAnswer(random, { signed: true });
  const events = eventsOver(eventsOf(answer, random), 'messages');
  expect(told(folded(events))).toEqual(told(answer));
  const message = renderers.chat.whole(folded(events), context) as { choices: { message: object }[] };
  const calls = answer.parts.flatMap(part => (part.type === 'tool-call' ? [part.id] : []));
  const results = calls.map(tool_call_id => ({ role: 'tool', tool_call_id, content: 'x' }));
  const user = { role: 'user', content: 'Hi' };
  const history = [user, message.choices[0]?.message, ...results, user];
  const again = asSent(parse(asSent({ model: 'm', messages: history })).canonical());
  expect(again.messages[1]?.content).toEqual(answer.parts);
});
