import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { autoscaling } from './sections/autoscaling.ts';
import { clients } from './sections/clients.ts';
import { evictions } from './sections/evictions.ts';
import { kills } from './sections/kills.ts';
import { previousVersion } from './sections/previous.ts';
import { rolling } from './sections/rolling.ts';
import { scaling } from './sections/scaling.ts';
import { Stage } from './stage.ts';
import { replicated } from './values.ts';

const installMs = 900_000;

let created: Stage | undefined;
const stage = (): Stage => {
  if (!created) throw new Error('The chart was not installed');
  return created;
};

beforeAll(async () => {
  created = await Stage.create();
}, installMs);
afterAll(() => created?.remove(), 330_000);

describe('a trial installation', () => {
  test('every pod runs without a restart, in a namespace that enforces the restricted standard', async () => {
    await stage().release.settled();
    const pods = await stage().release.pods();
    const restarted = pods.filter(({ status }) =>
      status.containerStatuses?.some(each => each.restartCount > 0),
    );
    expect(restarted.map(({ metadata }) => metadata.name)).toEqual([]);
    expect(pods.length).toBeGreaterThan(12);
  });

  clients(stage);
});

describe('an installation with two replicas and a second pool', () => {
  beforeAll(() => stage().release.apply(replicated(stage().settings)), installMs);

  scaling(stage);
  kills(stage);
  evictions(stage);
  rolling(stage);
  autoscaling(stage);
  previousVersion(stage);
});
