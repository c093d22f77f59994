import { parentPort } from 'node:worker_threads';
import { answerBounds, exceededBound, GatewayError, toErrorEvent } from '@model-gateway/canonical';
import { type DecodeTask, runTask } from './decode-task.ts';
import type { DecodeReply } from './decoding.ts';

/** The most characters of an answer's events as JSON; bytes that are passed on as they came are not among them. */
const maxEvents = 40_000_000;

parentPort?.on('message', ({ id, task }: { id: number; task: DecodeTask }) => {
  try {
    reply({ id, events: bounded(runTask(task)) });
  } catch (error) {
    reply({ id, failed: error instanceof Error ? error.message : String(error) });
  }
});

/** The answer's bytes go back as they are, without a copy. */
function reply(message: DecodeReply): void {
  const verbatim = message.events?.flatMap(event => (event.type === 'verbatim' ? [event.bytes] : [])) ?? [];
  const memory = new Set(verbatim.map(({ buffer }) => buffer as ArrayBuffer));
  parentPort?.postMessage(message, [...memory]);
}

/** What is too much for the processes that the events still pass through is an error. */
function bounded(events: DecodeReply['events']): DecodeReply['events'] {
  const text = JSON.stringify(events?.filter(({ type }) => type !== 'verbatim') ?? []);
  if (text.length <= maxEvents && !exceededBound(text, answerBounds)) return events;
  return [
    toErrorEvent(new GatewayError('upstream', 'The upstream sent too large an answer to be translated.')),
  ];
}
