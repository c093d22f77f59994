import { type NatsCluster, startNatsCluster } from '@model-gateway/bus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../until.ts';
import { Fleet, untilReady } from './fleet.ts';
import {
  type Answer,
  deltas,
  idOf,
  lastNumber,
  numbersOf,
  ResponsesClient,
  readStream,
  textOf,
} from './responses-client.ts';

/** Answers for about six seconds. */
const slow = 'sim-t300-i20ms';
const question = 'What is a gateway?';
/** The turns that are taken while a node is away, for which the others have to elect leaders. */
const turnsAway = 3;

let nats: NatsCluster;
let fleet: Fleet;
let client: ResponsesClient;
beforeAll(async () => {
  nats = await startNatsCluster();
  fleet = await Fleet.start({ natsUrl: nats.url, fronts: 2, env: { GATEWAY_NATS_REPLICAS: '3' } });
  let asked = 0;
  client = new ResponsesClient(() => fleet.fronts[asked++ % 2]?.url as string, fleet.token);
}, 90_000);
afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]();
  await nats?.stop();
});

test.each([0, 1, 2])(
  'while node %i of the NATS cluster is killed and restarted, turns continue, a job finishes and a stream is resumed completely',
  async node => {
    await Promise.all(fleet.fronts.map(each => untilReady(each)));
    const expected = textOf(await client.create({ model: slow, input: question, store: false }));
    const turns = talk();
    const job = await client.create({ model: slow, input: question, background: true });
    const request = { model: slow, input: question, background: true, stream: true };
    const begun = await readStream(await client.ask('', request), 20);
    const id = idOf(begun);
    const following = client
      .ask(`/${id}?stream=true&starting_after=${lastNumber(begun)}`)
      .then(response => readStream(response))
      .catch(() => '');

    await nats.kill(node);
    await turns.taken(turnsAway);
    const whileAway = await client.create({ model: 'sim-fast', input: question });
    await nats.restart(node);

    const over = await client.untilOver(job.id);
    expect(over).toMatchObject({ status: 'completed', error: null });
    expect(textOf(over)).toBe(expected);
    const all = await client.resume(id, begun + (await following));
    expect(numbersOf(all)).toEqual(numbersOf(all).map((_, i) => i));
    expect(all).toContain('event: response.completed');
    expect(deltas(all)).toBe(expected);
    expect((await client.resume(id, '')) === all).toBe(true);
    const said = [...(await turns.end()), whileAway];
    // A turn takes longer while a server of the cluster is away.
    expect(said.length).toBeGreaterThan(3);
    for (const answer of said) expect(await client.retrieve(answer.id)).toEqual(answer);
  },
);

/** Continues one conversation until it is stopped; `end` returns all that it was sent. */
function talk(): { taken(more: number): Promise<unknown>; end(): Promise<Answer[]> } {
  const said: Answer[] = [];
  let on = true;
  const talking = (async () => {
    while (on) {
      const previous = said.at(-1)?.id;
      said.push(
        await client.create({
          model: 'sim-fast',
          input: `Number ${said.length}`,
          ...(previous && { previous_response_id: previous }),
        }),
      );
    }
  })();
  talking.catch(() => {});
  return {
    taken(more) {
      const wanted = said.length + more;
      return until(`${more} turns are taken`, () => said.length >= wanted);
    },
    async end() {
      on = false;
      await talking;
      return said;
    },
  };
}
