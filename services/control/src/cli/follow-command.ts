import { endpoints, missedChanges, runningChange } from '@model-gateway/admin-api';
import { type Command, command } from './command.ts';
import { chunksOf, queryOf, queryOptions } from './endpoint-commands.ts';
import { CommandError } from './exit-codes.ts';
import { runningTarget, seconds } from './notations.ts';

/** The command that follows requests in flight. */
export const followCommand: Command = command({
  name: 'request follow',
  about: 'Follow the requests in flight: a line for each start, change and end',
  examples: ['request follow --model fast', "request follow --query '[event, request.requestId]'"],
  options: queryOptions(endpoints.followRunning),
  async run({ admin, values, line }) {
    const query = queryOf(endpoints.followRunning, values);
    const response = await admin().fetch('followRunning', { query });
    const lineOf = line ? (event: string, data: unknown) => line({ event, ...Object(data) }) : changeLine;
    return lines(chunksOf(response), lineOf, values.seconds !== undefined);
  },
});

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

function changeLine(event: string, data: unknown): string {
  const time = new Date().toISOString().slice(11, 19);
  if (event === 'missed') return `${time} missed   ${missedChanges.parse(data).changes} changes`;
  const { request, end } = runningChange.parse(data);
  const { requestId, project, tokenName, model, state, ms } = request;
  const facts = [requestId, project, tokenName, model || '-', runningTarget(request)];
  if (!end) return [time, event.padEnd(8), ...facts, state, seconds(ms)].join(' ');
  const { status, endedBy, usage, cost } = end;
  return [
    ...[time, event.padEnd(8), ...facts, String(status), seconds(ms)],
    ...(usage ? [`${usage.input}+${usage.output} tokens`] : []),
    ...(cost === null ? [] : [`$${Number(cost.toPrecision(6))}`]),
    ...(endedBy === null ? [] : [`by ${endedBy}`]),
  ].join(' ');
}
