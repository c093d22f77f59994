import { expect, test } from 'vitest';
import { processNames, serviceOf } from './settings.ts';

test('one process has the name of its service, further ones a number', () => {
  expect(processNames('front', 1)).toEqual(['front']);
  expect(processNames('front', 3)).toEqual(['front', 'front-2', 'front-3']);
});

test('the service is known by the name of its process', () => {
  for (const service of ['front', 'nats-server'])
    for (const name of processNames(service, 12)) expect(serviceOf(name)).toBe(service);
});
