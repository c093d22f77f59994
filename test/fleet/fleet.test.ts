import { startNats } from '@model-gateway/bus/testing';
import { expect, test } from 'vitest';
import { Fleet } from './fleet.ts';

test('a fleet answers requests, and its processes stop in order', async () => {
  const nats = await startNats();
  try {
    await using fleet = await Fleet.start({ natsUrl: nats.url, workers: 2 });
    const response = await fetch(`${fleet.fronts[0]?.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${fleet.token}` },
      body: JSON.stringify({ model: 'sim-t20', messages: [{ role: 'user', content: 'Hi' }] }),
    });
    expect(response.status).toBe(200);
    expect((await fleet.stats()).requests).toBe(1);
    for (const each of [...fleet.fronts, ...fleet.workers, fleet.control])
      expect([each.name, await each.stop()]).toEqual([each.name, 0]);
  } finally {
    await nats.stop();
  }
});
