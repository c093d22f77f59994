import { GatewayError } from '@model-gateway/canonical';
import { expect, test } from 'vitest';
import { ProviderProblems } from './provider-problems.ts';

const failure = (status: number | undefined, code?: string) => {
  const cause = code ? Object.assign(new Error('failed'), { code }) : undefined;
  const upstream = { provider: 'p', ...(status !== undefined && { status }) };
  return new GatewayError('upstream', 'It failed.', { upstream }, { cause });
};

test.each([
  [failure(401), /^provider p: 401: It failed; set a valid apiKey/],
  [failure(403), /may use the model/],
  [failure(404), /correct its baseUrl/],
  [failure(undefined, 'ENOTFOUND'), /^provider p: It failed; correct the host in its baseUrl/],
  [failure(undefined, 'NO_ACCESS_TOKEN'), /^provider p: It failed$/],
  [
    new GatewayError('upstream', 'It has none.', { refusedKey: true, fault: 'set apiKey' }),
    /none; set apiKey$/,
  ],
  [failure(undefined, 'DEPTH_ZERO_SELF_SIGNED_CERT'), /set tls.ca/],
])('a failure of the configuration is a sentence until the provider answers: %#', (error, sentence) => {
  const problems = new ProviderProblems();
  expect(problems.failed('p', error)).toMatch(sentence);
  expect(problems.sentences()).toEqual([expect.stringMatching(sentence)]);
  problems.answered('other');
  expect(problems.sentences()).toHaveLength(1);
  problems.answered('p');
  expect(problems.sentences()).toEqual([]);
});

test('a failure that no setting mends is no problem of the configuration, and providers are bounded', () => {
  const problems = new ProviderProblems();
  expect(problems.failed('p', failure(500))).toBeUndefined();
  expect(problems.failed('p', new GatewayError('rate-limited', 'Slow down.'))).toBeUndefined();
  const { details } = failure(401);
  expect(problems.failed('p', new GatewayError('quota-exceeded', 'No credits.', details))).toBeUndefined();
  for (let at = 0; at < 300; at++) problems.failed(`p${at}`, failure(401));
  expect(problems.sentences()).toHaveLength(200);
  expect(problems.sentences().at(-1)).toContain('p299');
});
