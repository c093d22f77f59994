import { missedChanges, type RunningChangeInfo, runningChange } from '@model-gateway/admin-api';
import { createParser } from 'eventsource-parser';
import { api } from '../api.ts';
import { Problem } from '../problem.ts';

/** What the gateway tells of requests in flight: changes that came together, and the number of those that it left out. */
interface FollowedChanges {
  changes: RunningChangeInfo[];
  missed: number;
}

/** The gateway sends a comment every 15 s, so that a connection which is silent for longer is lost, in milliseconds. */
const silentMs = 40_000;

/**
 * Follows the requests in flight that a filter names. `onOpen` is called when the gateway has begun to tell.
 * @throws Problem if the gateway refuses or cannot be reached; returns when it ends the stream
 */
export async function* followRequests(
  query: Record<string, string>,
  signal: AbortSignal,
  onOpen: () => void,
): AsyncGenerator<FollowedChanges> {
  const { body } = await api.fetch('followRunning', { query, signal });
  if (!body) return;
  onOpen();
  let told: FollowedChanges = { changes: [], missed: 0 };
  const parser = createParser({
    onEvent: ({ event, data }) => {
      if (event === 'missed') told.missed += missedChanges.parse(JSON.parse(data)).changes;
      else told.changes.push(runningChange.parse(JSON.parse(data)));
    },
  });
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await beforeSilence(reader.read());
      if (done) return;
      parser.feed(value);
      if (told.changes.length > 0 || told.missed > 0) yield told;
      told = { changes: [], missed: 0 };
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** Waits for what is read. @throws Problem if it does not come */
async function beforeSilence<Value>(read: Promise<Value>): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Problem('The gateway is silent.', { code: 'unreachable' })),
      silentMs,
    );
  });
  try {
    return await Promise.race([read, silence]);
  } finally {
    clearTimeout(timer);
  }
}
