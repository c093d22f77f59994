import { missedChanges, type RunningChangeInfo, runningChange } from '@model-gateway/admin-api';
import { createParser } from 'eventsource-parser';
import { fetchApi } from '../api.ts';

/** What the gateway tells of requests in flight: changes that came together, and the number of those that it left out. */
export interface Told {
  changes: RunningChangeInfo[];
  missed: number;
}

/**
 * Follows the requests in flight that a filter names. `onOpen` is called when the gateway has begun to tell.
 * @throws Problem if the gateway refuses or cannot be reached; returns when it ends the stream
 */
export async function* followRequests(
  query: Record<string, string>,
  signal: AbortSignal,
  onOpen: () => void,
): AsyncGenerator<Told> {
  const { body } = await fetchApi('followRunning', { query, signal });
  if (!body) return;
  onOpen();
  let told: Told = { changes: [], missed: 0 };
  const parser = createParser({
    onEvent: ({ event, data }) => {
      if (event === 'missed') told.missed += missedChanges.parse(JSON.parse(data)).changes;
      else told.changes.push(runningChange.parse(JSON.parse(data)));
    },
  });
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      parser.feed(value);
      if (told.changes.length > 0 || told.missed > 0) yield told;
      told = { changes: [], missed: 0 };
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
