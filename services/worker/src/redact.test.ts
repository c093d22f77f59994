import { GatewayError } from '@model-gateway/canonical';
import { expect, test } from 'vitest';
import { redact, redactError } from './redact.ts';

const upstream = {
  headers: { authorization: 'Bearer top-secret-key-9876wxyz', 'x-title': 'gw' },
  origin: 'http://models.example:8443',
};

test.each<[string, string]>([
  ['The key top-secret-key-9876wxyz is wrong.', 'The key [redacted] is wrong.'],
  ['Sent Bearer top-secret-key-9876wxyz here', 'Sent [redacted] here'],
  ['The key to****wxyz is wrong.', 'The key [redacted] is wrong.'],
  ['The key top...wxyz is wrong.', 'The key [redacted] is wrong.'],
  ['The key ending in wxyz is wrong.', 'The key ending in [redacted] is wrong.'],
  ['Incorrect API key provided: sk-ab***wxyz. You', 'Incorrect API key provided: [redacted]. You'],
  ['Incorrect API key provided: sk-...abcd.', 'Incorrect API key provided: [redacted].'],
  ['Incorrect API key provided: abc123def.', 'Incorrect API key provided: [redacted].'],
  ['key sk-proj-Abc_123-xyz456 is', 'key [redacted] is'],
  ['slow sk-secret-c', 'slow [redacted]'],
  ['key AIzaSyA1234567890abcdefg is', 'key [redacted] is'],
  ['authorization: Bearer abc.def-123 was', 'authorization: Bearer [redacted] was'],
  ['x-api-key: abcdef123 was', 'x-api-key: [redacted] was'],
  ['GET /v1/models?key=abcdef&alt=sse failed', 'GET /v1/models?key=[redacted]&alt=sse failed'],
  ['token eyJhbGciOiJI.eyJzdWIiOiIx.SflKxw is', 'token [redacted] is'],
  ['See http://10.0.0.5:8000/v1?x=1, please.', 'See [redacted], please.'],
  ['See https://user:pass@internal-host/path (now).', 'See [redacted] (now).'],
  [
    'Go to https://platform.openai.com/settings/limits?org=7.',
    'Go to https://platform.openai.com/settings/limits.',
  ],
  [
    'See https://docs.litellm.ai/docs/proxy#keys, please.',
    'See https://docs.litellm.ai/docs/proxy#keys, please.',
  ],
  ['See https://gpu-7.models.corp/x or https://docs.models.internal/', 'See [redacted] or [redacted]'],
  ['See https://www.acme.com:8443/x or https://key@docs.acme.com/', 'See [redacted] or [redacted]'],
  ['connect ECONNREFUSED 10.0.0.1:443', 'connect ECONNREFUSED [redacted]'],
  ['connect ECONNREFUSED ::1:8000', 'connect ECONNREFUSED [redacted]'],
  ['getaddrinfo ENOTFOUND vllm-7', 'getaddrinfo ENOTFOUND [redacted]'],
  ["HTTPConnectionPool(host='vllm-7', port=8000)", 'HTTPConnectionPool(host=[redacted], port=8000)'],
  ['no answer of 192.168.1.7', 'no answer of [redacted]'],
  ['no answer of [fe80::1]:8080', 'no answer of [redacted]'],
  ['no answer of models.example:8443 or models.example', 'no answer of [redacted] or [redacted]'],
  ['no answer of gpu.cluster.example:9000', 'no answer of [redacted]'],
  ['no answer of localhost:11434', 'no answer of [redacted]'],
  ['no answer of host-17', 'no answer of [redacted]'],
  ['no answer of vllm.default.svc', 'no answer of [redacted]'],
  ['failed in /srv/app/models/x.py, line 3', 'failed in [redacted], line 3'],
  ['It broke.\nTraceback (most recent call last):\n  File "/srv/x.py"', 'It broke.'],
  ['Traceback (most recent call last): File "/srv/x.py"', 'The upstream failed.'],
  ['TypeError: x\n    at run (/app/x.js:1:2)', 'TypeError: x'],
])('the text %j is redacted to %j', (original, expected) => {
  expect(redact(original, upstream)).toBe(expected);
});

test.each([
  "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
  "Invalid 'max_tokens': 99999 > 8192, which is the maximum.",
  'prompt is too long: 210000 tokens > 200000 maximum',
  'messages.0.content.1: Input should be a valid string; wait... what?',
  "The model 'gpt-oss:20b' or 'llama3.1:8b' needs a key: basic authentication required.",
  'Rate limit reached for gpt-4o-mini in organization on tokens per min (TPM): Limit 30000, Used 29000.',
  'Unsupported value: use **bold** 1.2.3 and temperature=1, max_tokens=5.',
  'Task-based models and risk-taking desk-top ones take 12:30:45.',
])('the text %j is not redacted', text => {
  expect(redact(text, upstream)).toBe(text);
});

test('a long text is redacted quickly and truncated', () => {
  const before = process.threadCpuUsage();
  for (const piece of ['a', 'a.', 'sk-', '*', 'key=', '1.', ':', '/a', 'https://', '[:']) {
    const text = redact(piece.repeat(100_000), upstream);
    expect(text.length).toBeLessThanOrEqual(2_001);
  }
  const { user, system } = process.threadCpuUsage(before);
  expect(user + system).toBeLessThan(2_000_000);
});

test('a secret cut in half by the length limit is removed', () => {
  const secrets = 'http://a.example/'.padEnd(300, 'x');
  const long = `${`${secrets} `.repeat(13)}${'top-secret-key-9876wxyz '.repeat(20)}`;
  expect(redact(long, upstream)).not.toMatch(/top|secret/);
});

test('a redacted error keeps its kind and details, without a field that holds a secret', () => {
  const details = { param: 'messages', code: 'sk-proj-Abc_123-xyz456', retryAfterMs: 5 };
  const error = redactError(new GatewayError('rate-limited', 'No: 10.0.0.1', details), upstream);
  expect(error).toMatchObject({
    kind: 'rate-limited',
    message: 'No: [redacted]',
    details: { param: 'messages', retryAfterMs: 5 },
  });
  expect(error.details).not.toHaveProperty('code');
});

test("an upstream's details keep their shape, without secrets and private hosts", () => {
  const value = [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'LIMIT',
      metadata: { service: 'models.example' },
    },
    { violations: [{ quotaValue: 5, description: 'key sk-proj-Abc_123-xyz456 at 10.0.0.1' }] },
  ];
  const vendorDetails = { format: 'generate-content', value } as const;
  const error = redactError(new GatewayError('rate-limited', 'No.', { vendorDetails }), upstream);
  expect(error.details.vendorDetails).toEqual({
    format: 'generate-content',
    value: [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'LIMIT',
        metadata: { service: '[redacted]' },
      },
      { violations: [{ quotaValue: 5, description: 'key [redacted] at [redacted]' }] },
    ],
  });
});

test("details name Google's public services, and large ones are left out", () => {
  const origin = 'https://generativelanguage.googleapis.com';
  const service = 'generativelanguage.googleapis.com';
  const of = (value: unknown) =>
    redactError(new GatewayError('upstream', 'No.', { vendorDetails: { format: 'messages', value } }), {
      ...upstream,
      origin,
    }).details.vendorDetails;
  expect(of({ quotaMetric: `${service}/requests` })).toMatchObject({
    value: { quotaMetric: `${service}/requests` },
  });
  expect(of({ text: 'x'.repeat(10_000) })).toBeUndefined();
});
