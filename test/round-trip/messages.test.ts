import { Random } from '@model-gateway/canonical/testing';
import { folded } from '@model-gateway/canonical/testing/events';
import { expect, test } from 'vitest';
import { eventsOf, randomAnswer } from './answer.ts';
import { context, eventsOver, renderers, requestOver } from './hops.ts';
import { asSent, randomRequest } from './request.ts';

const seeds = Array.from({ length: 60 }, (_, i) => i + 1);

test.each(seeds)('request %i of a messages client means the same at a messages upstream', seed => {
  const { reasoning, ...request } = randomRequest(new Random(seed), { rich: true });
  const { reasoning: asked, ...again } = requestOver(
    { ...request, ...(reasoning && { reasoning }) },
    'messages',
  );
  expect(again).toEqual(request);
  expect(asked).toEqual(reasoning && { ...reasoning, adaptive: true });
});

test.each(seeds)('response %i of messages is the same once rendered and decoded, whole or streamed', seed => {
  const random = new Random(seed);
  const answer = randomAnswer(random, { signed: true });
  const again = folded(eventsOver(eventsOf(answer, random), 'messages'));
  const { raw: _, ...usage } = again.finish.usage ?? {};
  const { reason } = answer.finish;
  expect({ ...again, finish: { reason: again.finish.reason, usage } }).toEqual({
    start: { ...answer.start, id: expect.stringMatching(/^msg_/), usage: expect.anything() },
    parts: answer.parts,
    finish: { reason, usage: withoutRaw(answer.finish.usage) },
  });
  expect(asSent(renderers.messages.whole(again, context))).toMatchObject({
    content: (asSent(renderers.messages.whole(answer, context)) as { content: unknown }).content,
  });
});

function withoutRaw(usage: object | null): object {
  const { raw: _, ...counts } = (usage ?? {}) as { raw?: unknown };
  return counts;
}
