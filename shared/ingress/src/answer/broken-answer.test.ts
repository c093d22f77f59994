import type { GenerateEvent } from '@model-gateway/canonical';
import type { Renderer } from '@model-gateway/formats/client';
import { expect, test, vi } from 'vitest';
import { deliverOver, route, startHealth } from '../testing/deliver-over.ts';

const boom = new Error('boom');
const broken = (): never => {
  throw boom;
};
const events: GenerateEvent[] = [
  { type: 'start', id: 'x', model: 'up' },
  { type: 'part-start', index: 0, part: { type: 'text' } },
  { type: 'finish', reason: 'stop', raw: null, usage: null },
];
const message = 'The gateway failed to handle this request.';

function deliverBroken(
  renderer: Partial<Extract<Renderer, { type: 'answer' }>>,
  more: { stream?: boolean; renderError?: () => never } = {},
) {
  const faults: unknown[] = [];
  const delivered = deliverOver([route('a')], { stream: more.stream ?? false }, startHealth().health, {
    renderer: () => ({ type: 'answer', whole: () => ({}), ...renderer }) as Renderer,
    onFault: (place, thrown) => faults.push([place, thrown]),
    ...(more.renderError && { renderError: more.renderError }),
  });
  return { ...delivered, faults };
}

test('a whole answer that cannot be rendered is a 500, and its upstream is left', async () => {
  const { at, ended, sink, faults, release } = deliverBroken({ whole: broken });
  at(0).onEvents(events, 0);
  expect(await ended).toMatchObject({ kind: 'internal', cause: boom });
  expect([sink.statusCode, JSON.parse(sink.text)]).toEqual([500, { message }]);
  expect(faults).toEqual([['answer', boom]]);
  expect(at(0).call.giveUp).toHaveBeenCalled();
  expect(release).not.toHaveBeenCalledTimes(2);
});

test('a stream that cannot be rendered ends with an error event', async () => {
  const add = ({ type }: GenerateEvent) => (type === 'part-start' ? broken() : `${type} `);
  const { at, ended, sink } = deliverBroken({ stream: () => ({ add }) }, { stream: true });
  at(0).onEvents(events.slice(0, 1), 0);
  at(0).onEvents(events.slice(1), 0);
  expect(await ended).toMatchObject({ kind: 'internal' });
  expect(sink.text).toBe(`start error: ${message}`);
});

test('a stream whose error cannot be rendered either is closed', async () => {
  const add = ({ type }: GenerateEvent) => (type === 'part-start' ? broken() : `${type} `);
  const { at, ended, sink, faults } = deliverBroken(
    { stream: () => ({ add, fail: broken }) },
    { stream: true },
  );
  at(0).onEvents(events.slice(0, 1), 0);
  at(0).onEvents(events.slice(1), 0);
  expect(await ended).toMatchObject({ kind: 'internal' });
  expect([sink.destroyed, faults.length]).toEqual([true, 2]);
  // What still arrives reaches nobody.
  at(0).onEvents(events, 0);
  expect(faults).toHaveLength(2);
});

test('an answer whose error cannot be rendered is closed', async () => {
  const { at, ended, sink } = deliverBroken({ whole: broken }, { renderError: broken });
  at(0).onEvents(events, 0);
  expect(await ended).toMatchObject({ kind: 'internal' });
  expect(sink.destroyed).toBe(true);
});

test('an attempt that cannot be made after a pause ends its request', async () => {
  const { clock, health } = startHealth();
  const faults: unknown[] = [];
  const { fail, asked, ended, sink } = deliverOver([route('a')], { retries: 1 }, health, {
    onFault: (place, thrown) => faults.push([place, thrown]),
  });
  fail(0, { upstream: { provider: 'a', status: 503 } });
  vi.spyOn(asked, 'push').mockImplementation(broken);
  await clock.advance(10_000);
  expect(await ended).toMatchObject({ kind: 'internal' });
  expect([sink.statusCode, faults]).toEqual([500, [['answer', boom]]]);
});
