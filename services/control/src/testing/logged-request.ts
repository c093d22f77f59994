import { randomUUIDv7 } from 'node:crypto';
import type { LoggedPage } from '@model-gateway/admin-api';
import { type Bus, LoggedRequestWriter } from '@model-gateway/bus';
import type { ManualClock } from '@model-gateway/clock/testing';
import { type TestControl, until } from './control.ts';

/**
 * Logs a request of a project, and returns its id once control has stored it. `clock` is that of control, if it is a test's: control
 * waits a second for further requests.
 */
export async function newLogged(
  bus: Bus,
  control: TestControl,
  project: string,
  clock?: ManualClock,
): Promise<string> {
  const id = randomUUIDv7();
  const requestId = `req_${id.replaceAll('-', '')}`;
  const text = { text: 'x', bytes: 1, cut: false };
  const writer = new LoggedRequestWriter(bus);
  writer.add({
    ...{ id, requestId, at: Date.now(), ms: 1, format: 'chat', model: 'fast', tokenId: 't', project },
    ...{ status: 200, outcome: 'answered', request: text, response: text, retentionDays: 30 },
  });
  await until(async () => {
    await clock?.advance(1_000);
    const { data } = (await control.api('GET', `/requests?project=${project}&limit=1000`)).body as LoggedPage;
    return data.some(logged => logged.requestId === requestId);
  });
  await writer.close();
  return requestId;
}
