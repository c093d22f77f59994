import { expect, test } from 'vitest';
import { processNames, serviceOf } from './settings.ts';

test('the first process has the name of its service, and further ones have a number', () => {
  expect(processNames('front', 1)).toEqual(['front']);
  expect(processNames('front', 3)).toEqual(['front', 'front-2', 'front-3']);
});

test('serviceOf returns the service of a process name', () => {
  for (const service of ['front', 'nats-server'])
    for (const name of processNames(service, 12)) expect(serviceOf(name)).toBe(service);
});
