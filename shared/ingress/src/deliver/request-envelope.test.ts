import { expect, test } from 'vitest';
import { forwardedBetas } from './request-envelope.ts';

test.each([
  [undefined, undefined],
  ['', undefined],
  ['assistants=v2', 'assistants=v2'],
  ['responses=experimental , responses_multi_agent=v1', 'responses=experimental, responses_multi_agent=v1'],
  ['responses_websockets=2026-02-06', undefined],
  ['responses_websockets=2026-02-06,responses=experimental', 'responses=experimental'],
  ['realtime=v1', undefined],
])('of the betas %j upstreams are told %j', (value, expected) => {
  const headers = value === undefined ? {} : { 'openai-beta': value };
  expect(forwardedBetas(headers)['openai-beta']).toBe(expected);
});
