import type { ModelPrice } from '@model-gateway/admin-api';
import { expect, test } from 'vitest';
import { Stage } from '../testing/stage.ts';

const catalog = `
providers:
  - { name: openai, kind: openai, apiKey: { env: OPENAI_API_KEY } }
  - { name: house, kind: openai-compatible, baseUrl: "http://127.0.0.1:1/v1" }
models:
  - { name: "openai/*", targets: [ { provider: openai, model: "*" } ] }
  - name: fast
    targets: [ { provider: house, model: small, price: { input: 1 } }, { provider: house, model: large } ]
    price: { input: 10 }
  - { name: free, targets: [ { provider: house, model: free } ] }
projects:
  - { name: cheap, prices: { "fa*": { input: 0.5 } } }
`;

test('the prices of models are listed with the place that states them', async () => {
  const stage = await Stage.set();
  try {
    const control = await stage.control(await stage.withCatalog(catalog));
    const list = async (query = '') => {
      const { status, body } = await control.api('GET', `/prices${query}`);
      expect(status).toBe(200);
      return (body as { data: ModelPrice[] }).data.map(({ model, upstreamModel, price, source }) => [
        ...[model, upstreamModel, price?.input ?? null, source],
      ]);
    };
    expect(await list()).toEqual([
      ['openai/*', '*', null, null],
      ['fast', 'small', 1, 'target'],
      ['fast', 'large', 10, 'model'],
      ['free', 'free', null, null],
    ]);
    expect(await list('?model=fast&project=cheap')).toEqual([
      ['fast', 'small', 0.5, 'project'],
      ['fast', 'large', 0.5, 'project'],
    ]);
    expect(await list('?model=openai/gpt-4o')).toEqual([['openai/gpt-4o', 'gpt-4o', 2.5, 'vendor']]);
    expect(await list('?model=nothing')).toEqual([]);
  } finally {
    await stage.clear();
  }
});
