import { missedChanges, type RunningInfo, runningChange } from '@model-gateway/admin-api';
import { type Command, command } from './command.ts';
import { CommandError } from './exit-codes.ts';
import { queryOf } from './option-values.ts';
import { parameterOptions } from './parameters.ts';
import { pageCommand, partsOf, removeCommand } from './record-commands.ts';

const running = pageCommand({
  name: 'request running',
  about: 'List the requests in flight, oldest first',
  notes: 'Also: gateway request list --running',
  endpoint: 'listRunning',
  more: ({ total }) => `Further ones, of ${total}`,
  head: ['REQUEST', 'AGE', 'STATE', 'PROJECT', 'TOKEN', 'MODEL', 'TARGET', 'ATTEMPTS', 'CLIENT'],
  row(request) {
    const { requestId, ms, state, project, tokenName, model, attempts, client } = request;
    const asked = [project, tokenName, model || '-', targetOf(request)];
    return [requestId, seconds(ms), state, ...asked, String(attempts), client ?? '-'];
  },
  remarks: ({ unanswered }) => (unanswered.length > 0 ? [`Without those at: ${unanswered.join(', ')}`] : []),
});

const follow = command({
  name: 'request follow',
  about: 'Follow the requests in flight: a line for each start, change and end',
  notes: 'Also: gateway requests --follow',
  options: parameterOptions('followRunning'),
  async run({ admin, values, json }) {
    const query = queryOf(values);
    const response = await admin().fetch('followRunning', { query });
    return lines(partsOf(response), json ? jsonLine : changeLine, values.seconds !== undefined);
  },
});

const end = removeCommand({
  name: 'request end',
  about: 'End a request in flight: its client gets an error',
  argument: { name: 'ID', about: 'the id of the request' },
  endpoint: 'endRunning',
  done: requestId => ({ sentence: `Request ${requestId} is ended.`, result: { requestId, ended: true } }),
});

export const runningCommands: readonly Command[] = [running, follow, end];

/** Writes the events of a stream as lines. @throws CommandError if the gateway ends it, unless `mayEnd` */
async function* lines(
  parts: AsyncIterable<Uint8Array>,
  line: (event: string, data: unknown) => string,
  mayEnd: boolean,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const part of parts) {
    const events = (rest + decoder.decode(part, { stream: true })).split('\n\n');
    rest = events.pop() ?? '';
    const written = events.map(event => lineOf(event, line)).join('');
    if (written !== '') yield Buffer.from(written);
  }
  if (!mayEnd) throw new CommandError('the gateway has ended the stream; start it again', 5);
}

/** Writes an event as a line; '' for a comment. */
function lineOf(event: string, line: (event: string, data: unknown) => string): string {
  const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(event) ?? [];
  return name && data ? `${line(name, JSON.parse(data))}\n` : '';
}

function jsonLine(event: string, data: unknown): string {
  return JSON.stringify({ event, ...Object(data) });
}

function changeLine(event: string, data: unknown): string {
  const time = new Date().toISOString().slice(11, 19);
  if (event === 'missed') return `${time} missed   ${missedChanges.parse(data).changes} changes`;
  const { request, end } = runningChange.parse(data);
  const { requestId, project, tokenName, model, state, ms } = request;
  const facts = [requestId, project, tokenName, model || '-', targetOf(request)];
  if (!end) return [time, event.padEnd(8), ...facts, state, seconds(ms)].join(' ');
  const { status, endedBy, usage, cost } = end;
  return [
    ...[time, event.padEnd(8), ...facts, String(status), seconds(ms)],
    ...(usage ? [`${usage.input}+${usage.output} tokens`] : []),
    ...(cost === null ? [] : [`$${Number(cost.toPrecision(6))}`]),
    ...(endedBy === null ? [] : [`by ${endedBy}`]),
  ].join(' ');
}

const targetOf = ({ provider, upstreamModel }: RunningInfo) =>
  provider === null ? '-' : `${provider}/${upstreamModel}`;

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)}s`;
