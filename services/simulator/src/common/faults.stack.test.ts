import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type StartedSimulator, startSimulator } from '../service.ts';
import { isJson, Seen } from '../testing/see.ts';
import { atStandstill, pass, waiting } from '../testing/standstill.ts';

let simulator: StartedSimulator;
beforeEach(async () => {
  simulator = await startSimulator();
});
afterEach(() => simulator.close());

const question = 'What is the gateway?';

/** A format and fragments of its streams. */
interface Case {
  format: string;
  /** The fields of a request besides its model. */
  asks: object;
  /** The status of 529. */
  overloaded: number;
  /** A fragment of each token's event, of the event with the finish reason, and of the last event only. */
  marks: [token: string, finish: string, end: string];
}

/** One format without named events, and one with them. */
const formats: [Case, Case] = [
  {
    ...{ format: 'completions', asks: { max_tokens: 1_000, prompt: question }, overloaded: 503 },
    marks: ['"choices":[{"text":"', '"finish_reason":"stop"', '[DONE]'],
  },
  {
    format: 'messages',
    asks: { max_tokens: 1_000, messages: [{ role: 'user', content: question }] },
    overloaded: 529,
    marks: ['text_delta', '"stop_reason":"end_turn"', 'message_stop'],
  },
];

/** The marks of a whole answer. */
const none: Case['marks'] = ['\0', '\0', '\0'];
const count = (text: string, part: string) => text.split(part).length - 1;
const stats = async () => (await fetch(`${simulator.url}/stats`)).json();

const see = ({ format, asks }: Case, model: string, stream: boolean) =>
  new Seen(`${simulator.url}/v1/${format}`, JSON.stringify({ model, stream, ...asks })).ended;

/** An answer in a few words. */
function brief({ status, text, code }: Seen, [token, finish, end]: Case['marks']): string {
  const events = text.split('\n').filter(line => line.startsWith('data: {'));
  const tokens = count(text, token);
  const words: [string, boolean][] = [
    [String(status), true],
    ['five', events.length > 0 && tokens === 5],
    ['tokens', events.length > 0 && tokens > 0],
    ['broken', events.length > 0 ? !events.every(line => isJson(line.slice(6))) : !isJson(text || '0')],
    ['finish', text.includes(finish)],
    ['end', text.includes(end)],
    ['error', /(^|data: )\{("type":"error",|"error":\{)/m.test(text)],
    [code, code !== 'end'],
  ];
  return words.flatMap(([word, holds]) => (holds ? [word] : [])).join(' ');
}

describe.each(formats)('$format', each => {
  const { overloaded, marks } = each;
  const complete = '200 tokens finish end';
  test.each([
    ['fault-200-error', '200 error', '200 error'],
    ['fault-reset', '200 broken ECONNRESET', '200 five tokens ECONNRESET'],
    ['fault-reset-first', '0 ECONNRESET', '0 ECONNRESET'],
    ['fault-truncate', '200 broken', '200 five tokens'],
    ['fault-malformed', '200 broken', complete.replace('tokens', 'tokens broken')],
    ['fault-bytes-t60', '200', complete],
    ['fault-u2028', '200', complete],
    ['fault-slow-5ms', '200', complete],
    ['fault-error', `${overloaded} error`, '200 five tokens error'],
    ['fault-error-first', `${overloaded} error`, '200 error'],
    ['fault-no-end', '200 broken', complete.replace(' end', '')],
    ['fault-nonsense', '404 error', '404 error'],
  ])('%s: %s, streamed: %s', async (model, whole, streamed) => {
    expect(brief(await see(each, model, false), none)).toBe(whole);
    expect(brief(await see(each, model, true), marks)).toBe(streamed);
    expect(await stats()).toMatchObject({ streams: 0, cancelled: 0 });
  });

  test.each([true, false])('fault-bytes and fault-u2028 are exact, streamed: %s', async stream => {
    const { text, reads } = await see(each, 'fault-bytes-t60', stream);
    // The chunk with the finish reason has an empty text.
    const empty = each.format === 'completions' ? 1 : 0;
    if (stream) expect(count(text, marks[0])).toBe(60 + empty);
    expect(reads).toBeGreaterThan(text.length / 8);
    expect(count((await see(each, 'fault-u2028', stream)).text, '\u2028')).toBe(1);
  });
});

test('fault-slow delays the first byte, and the name sets the pace before a fault', async () => {
  const [completions] = formats;
  const standing = await atStandstill(simulator);
  ({ simulator } = standing);
  const slow = see(completions, 'fault-slow-300ms', true);
  await waiting(standing.clock, 1);
  await pass(standing.clock, 300);
  expect((await slow).text).toContain('Model');
  const paced = see(completions, 'fault-truncate-t3-i100ms', true);
  for (let token = 1; token <= 3; token++) {
    await waiting(standing.clock, 1);
    await pass(standing.clock, 100);
  }
  expect((await paced).code).toBe('end');
});
