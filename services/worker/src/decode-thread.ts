import { parentPort } from 'node:worker_threads';
import { bounded, type DecodeReply, type DecodeTask, runTask } from './decoding.ts';

parentPort?.on('message', (task: DecodeTask) => {
  try {
    reply({ events: bounded(runTask(task)) });
  } catch (error) {
    reply({ failed: error instanceof Error ? error.message : String(error) });
  }
});

/** Posts a reply; verbatim bytes are transferred without a copy. */
function reply(message: DecodeReply): void {
  const verbatim = message.events?.flatMap(event => (event.type === 'verbatim' ? [event.bytes] : [])) ?? [];
  const memory = new Set(verbatim.map(({ buffer }) => buffer as ArrayBuffer));
  parentPort?.postMessage(message, [...memory]);
}
