import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Stream } from '../mutations/answers.ts';
import { faultsFrom } from '../mutations/run.ts';
import { type Recording, recordingsIn } from '../recordings/recording.ts';
import { type Answer, isStream, type Replay, readOf, startReplay } from '../recordings/replay.ts';
import { formats } from '../stack/formats.ts';

const own = fileURLToPath(new URL('../recordings/answers', import.meta.url));
/** Folders of recordings of others, which are not part of this project: RECORDINGS, separated by colons. */
const folders = [own, ...(process.env.RECORDINGS ?? '').split(':').filter(folder => folder !== '')];
const recordings = folders.flatMap(recordingsIn);

/** The answer as a client of the recording's own format reads it; an error if it can read nothing. */
function readable(recording: Recording): Answer | Error {
  try {
    return readOf(recording);
  } catch (thrown) {
    return thrown as Error;
  }
}

let replay: Replay;
beforeAll(async () => {
  replay = await startReplay(recordings);
});
afterAll(() => replay?.stop());

const rows = recordings.map((recording, at) => ({ name: recording.name, at, own: readable(recording) }));

test.for(rows.flatMap(row => formats.map(client => ({ ...row, client }))))(
  'a client of $client reads what $name holds',
  async ({ at, own, client }, { skip }) => {
    if (own instanceof Error) return skip(`a client of its own format cannot read it: ${own.message}`);
    const answer = await replay.ask(client, at);
    // The texts of errors are each format's own.
    if (own.status !== 200) return expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer).toEqual(own);
  },
);

const streams = recordings
  .filter(recording => isStream(recording) && recording.status === 200)
  .map(({ format, body }): Stream => ({ format, events: body.replaceAll('\r\n', '\n').split(/(?<=\n\n)/) }));
/** The first seed: that of a run before shows the same faults. */
const first = Number(process.env.SEED ?? 1);

test.each(formats)('no mutated recording of %s throws, or is complete though it is not', format => {
  const ofFormat = streams.filter(stream => stream.format === format);
  expect(faultsFrom(ofFormat, { first, count: 1_000 })).toEqual([]);
});
