import { createHash, createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { bedrock } from './bedrock.ts';

const region = 'us-east-1';
const baseUrl = String(bedrock.baseUrl);

async function connected(access: Partial<Parameters<typeof bedrock.connect>[0]> = {}) {
  const options = access.options ?? { region };
  const filled = baseUrl.replace('{region}', options.region ?? '');
  return bedrock.connect({ ...{ baseUrl: filled, apiKey: 'k' }, ...access, options });
}

test.each([
  ['us-east-1', 'https://bedrock-runtime.us-east-1.amazonaws.com/model/m/converse'],
  ['us-gov-west-1', 'https://bedrock-runtime.us-gov-west-1.amazonaws.com/model/m/converse'],
  ['cn-north-1', 'https://bedrock-runtime.cn-north-1.amazonaws.com.cn/model/m/converse'],
])('the region %s has its address', async (name, url) => {
  expect(bedrock.options?.region?.form?.pattern.test(name)).toBe(true);
  expect((await connected({ options: { region: name } })).url('/converse', 'm')).toBe(url);
});

test('a base URL replaces the address, and the name of a model is encoded', async () => {
  const { url } = await connected({ baseUrl: 'https://vpce-1.example' });
  const arn = 'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-opus-4-6-v1:0';
  const encoded = encodeURIComponent(arn);
  expect(encoded).not.toMatch(/[:/]/);
  expect(url('/v1/messages', arn, true)).toBe(
    `https://vpce-1.example/model/${encoded}/invoke-with-response-stream`,
  );
  expect(url('/v1/messages', arn, false)).toBe(`https://vpce-1.example/model/${encoded}/invoke`);
  expect(url('/converse', 'm', true)).toBe('https://vpce-1.example/model/m/converse-stream');
});

test.each([
  ['anthropic.claude-3-haiku-20240307-v1:0', 'messages'],
  ['us.anthropic.claude-opus-4-6-v1', 'messages'],
  ['arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-opus-4-6-v1', 'messages'],
  ['arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc', 'converse'],
  ['amazon.nova-pro-v1:0', 'converse'],
])('%s is asked in the format %s', (model, format) => {
  expect(bedrock.formatsOf?.(model).generate).toEqual([format]);
});

const body = Buffer.from('{}');
const request = {
  method: 'POST',
  url: 'https://bedrock-runtime.us-east-1.amazonaws.com/model/a%3A0/converse',
  headers: { 'content-type': 'application/json', 'user-agent': 'x' },
  body,
} as const;

test('an API key alone is a bearer token', async () => {
  expect(await (await connected()).sign(request)).toEqual({ authorization: 'Bearer k' });
});

test('an access key signs, and its secret is not in a header', async () => {
  const options = { region, accessKeyId: 'AKIAIOSFODNN7EXAMPLE' };
  const headers = await (await connected({ apiKey: 'the-secret', options })).sign(request);
  expect(Object.keys(headers).sort()).toEqual(['authorization', 'x-amz-content-sha256', 'x-amz-date']);
  const { authorization = '', 'x-amz-date': time = '' } = headers;
  expect(authorization).not.toContain('the-secret');
  expect(authorization).toContain('SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date');
  const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
  const canonical = [
    'POST',
    '/model/a%253A0/converse',
    '',
    'content-type:application/json',
    'host:bedrock-runtime.us-east-1.amazonaws.com',
    `x-amz-content-sha256:${sha256(body)}`,
    `x-amz-date:${time}`,
    '',
    'content-type;host;x-amz-content-sha256;x-amz-date',
    sha256(body),
  ].join('\n');
  const day = time.slice(0, 8);
  const scope = [day, region, 'bedrock', 'aws4_request'];
  const key = scope.reduce<string | Buffer>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    'AWS4the-secret',
  );
  const text = ['AWS4-HMAC-SHA256', time, scope.join('/'), sha256(canonical)].join('\n');
  expect(authorization).toContain(`Signature=${createHmac('sha256', key).update(text).digest('hex')}`);
});

test.each([
  [
    'an access key without its secret',
    { apiKey: undefined, options: { region, accessKeyId: 'AKIAIOSFODNN7EXAMPLE' } },
    /secret/,
  ],
  [
    'an API key with a role',
    { apiKey: 'k', options: { region, roleArn: 'arn:aws:iam::123456789012:role/r' } },
    /options\.accessKeyId/,
  ],
])('%s is refused with what to change', async (_, access, fault) => {
  await expect(connected(access)).rejects.toMatchObject({
    kind: 'upstream',
    details: { fault: expect.stringMatching(fault) },
  });
});
