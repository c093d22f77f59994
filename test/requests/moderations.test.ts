import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startVendorDouble, type VendorDouble } from '../providers/double.ts';
import { type Simulated, startSimulated } from '../stack/simulated.ts';

let gateway: Simulated;
let vendor: VendorDouble;
let openai: OpenAI;

beforeAll(async () => {
  vendor = await startVendorDouble();
  const target = (provider: string, model = 'sim-fast') => ({ provider, model });
  gateway = await startSimulated(
    url => ({
      providers: [
        { name: 'openai', kind: 'openai', baseUrl: `${url}/v1`, apiKey: { value: 'upstream-key' } },
        { name: 'mistral', kind: 'mistral', baseUrl: `${vendor.url}/v1`, apiKey: { value: 'k' } },
        { name: 'claude', kind: 'anthropic', baseUrl: url, apiKey: { value: 'k' } },
      ],
      models: [
        { name: 'omni-moderation-latest', targets: [target('openai')] },
        { name: 'failover', targets: [target('openai', 'fault-503'), target('mistral')] },
        { name: 'claude', targets: [target('claude')] },
      ],
    }),
    { described: true },
  );
  const { url, token } = gateway.stack;
  openai = new OpenAI({ apiKey: token, baseURL: `${url}/v1`, maxRetries: 0 });
});
afterAll(async () => {
  await gateway?.stop();
  vendor?.stop();
});

describe('moderations', () => {
  test("openai's client gets a result for each text, without naming a model", async () => {
    const { id, results } = await openai.moderations.create({ input: ['I hate you', 'A cat'] });
    expect(id).toMatch(/^modr-/);
    expect(results.map(({ flagged }) => flagged)).toEqual([true, false]);
    expect(results[0]?.categories.hate).toBe(true);
  });

  test('texts and images of one list are one input', async () => {
    const { results } = await openai.moderations.create({
      model: 'omni-moderation-latest',
      input: [
        { type: 'text', text: 'kill' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } },
      ],
    });
    expect(results).toMatchObject([
      { flagged: true, category_applied_input_types: { violence: ['text', 'image'] } },
    ]);
  });

  test('images are passed on as they came', async () => {
    const image = { url: 'https://example.com/a.png' };
    const input = [{ type: 'image_url' as const, image_url: image }];
    await openai.moderations.create({ model: 'failover', input });
    expect(vendor.asked.at(-1)).toMatchObject({ body: { model: 'sim-fast', input } });
  });

  test('an image without a URL is refused by its field', async () => {
    const input = [{ type: 'image_url' as const, image_url: {} as { url: string } }];
    await expect(openai.moderations.create({ input })).rejects.toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      param: 'input[0].image_url.url',
    });
  });

  test('another vendor takes over, and its results say whether they are flagged', async () => {
    const answer = await openai.moderations.create({ model: 'failover', input: 'a' });
    expect(vendor.asked.at(-1)).toMatchObject({
      path: '/v1/moderations',
      body: { model: 'sim-fast', input: 'a' },
    });
    expect(answer.results).toEqual([
      { flagged: true, categories: { pii: true }, category_scores: { pii: 0.9 } },
    ]);
  });

  test('a model that cannot moderate is refused by name', async () => {
    const refused = openai.moderations.create({ model: 'claude', input: 'a' });
    await expect(refused).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('moderation'),
    });
  });
});

test('an unknown URL under /v1 is a 404 that says what the gateway has', async () => {
  const { url, token } = gateway.stack;
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/v1/batches`, { method: 'POST', headers, body: '{}' });
  const { error } = (await response.json()) as { error: { message: string; code: string } };
  expect([response.status, error.code]).toEqual([404, 'unknown_url']);
  expect(error.message).toMatch(/POST \/v1\/batches\. .*chat\/completions.*moderations/);
});
