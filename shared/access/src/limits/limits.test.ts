import { expect, test } from 'vitest';
import { countedFor, ownerOf } from './limits.ts';

test('a request counts for its token and its project, and for the model within each', () => {
  const token = {
    id: 'a',
    limits: { requestsPerMinute: 5, models: { 'gpt-*': { concurrency: 1 }, o3: {} } },
  };
  const project = { name: 'lab', limits: { models: { '*': { tokensPerMinute: 9 } } } };
  const counted = countedFor(token, project, 'gpt-4o');
  expect(counted).toEqual([
    { key: '["token","a"]', requestsPerMinute: 5 },
    { key: '["token","a","gpt-*"]', concurrency: 1 },
    { key: '["project","lab","*"]', tokensPerMinute: 9 },
  ]);
  expect(counted.map(({ key }) => ownerOf(key))).toEqual([
    'token',
    "token for the model 'gpt-*'",
    "project for the model '*'",
  ]);
  expect(countedFor(token, { name: 'lab' }, 'claude')).toHaveLength(1);
});

test('a request of a token and a project without limits counts for nothing', () => {
  expect(countedFor({ id: 'a' }, { name: 'lab', limits: undefined }, 'm')).toEqual([]);
});
