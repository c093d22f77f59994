import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FourUpstreams, startFourUpstreams, upstreams } from '../clients/four-upstreams.ts';

let gateway: FourUpstreams;

beforeAll(async () => {
  gateway = await startFourUpstreams();
});
afterAll(() => gateway?.stop());

const bearer = () => ({ authorization: `Bearer ${gateway.stack.token}` });

async function post(body: unknown, headers: Record<string, string> = bearer(), query = '') {
  const response = await fetch(`${gateway.stack.url}/v1/responses${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  expect(response.headers.get('x-request-id')).toMatch(/^req_/);
  const text = await response.text();
  return { status: response.status, type: response.headers.get('content-type'), text };
}

function errorOf({ text }: { text: string }): unknown {
  const { error } = JSON.parse(text);
  expect(Object.keys(error).sort()).toEqual(['code', 'message', 'param', 'type']);
  return error;
}

describe('a refused request for responses', () => {
  test.each(['', 'null', '[]', '1e999', '"text"', '{', '{"input":1e999}'])(
    'the body %j is refused in the format',
    async body => {
      const refused = await post(body);
      expect(refused.status).toBe(400);
      expect(errorOf(refused)).toMatchObject({ type: 'invalid_request_error' });
    },
  );

  test('a wrong or missing credential is refused in the format', async () => {
    const wrong = await post({ model: 'x', input: 'x' }, { authorization: 'Bearer nope' });
    expect([wrong.status, errorOf(wrong)]).toMatchObject([401, { code: 'invalid_api_key' }]);
    expect((await post({ model: 'x', input: 'x' }, {})).status).toBe(401);
  });

  test('an unknown model is refused in the format', async () => {
    const refused = await post({ model: 'nobody', input: 'x' });
    expect(refused.status).toBe(404);
    expect(errorOf(refused)).toMatchObject({ code: 'model_not_found' });
  });
});

test.each(upstreams)(
  'the body alone decides whether a response is streamed, with an upstream of %s',
  async upstream => {
    const asked = { model: `${upstream}/sim-fast`, input: 'Hi' };
    const stream = await post({ ...asked, stream: true }, { ...bearer(), accept: 'application/json' });
    expect([stream.status, stream.type]).toEqual([200, expect.stringMatching(/^text\/event-stream/)]);
    const whole = await post(asked, { ...bearer(), accept: 'text/event-stream' }, '?beta=true');
    expect([whole.status, whole.type]).toEqual([200, 'application/json']);
  },
);

test.each(upstreams)('each event of an upstream of %s is one frame, numbered from 0', async upstream => {
  const { text } = await post({ model: `${upstream}/sim-fast`, input: 'Hi', stream: true });
  const frames = text.split('\n\n').filter(frame => frame && frame !== 'data: [DONE]');
  const events = frames.map(frame => /^event: (\S+)\ndata: (\{.*\})$/.exec(frame));
  expect(events.map(found => found?.[1])).toEqual(events.map(found => JSON.parse(found?.[2] ?? '{}').type));
  expect(events.map(found => JSON.parse(found?.[2] ?? '{}').sequence_number)).toEqual([...frames.keys()]);
});
