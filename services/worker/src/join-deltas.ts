import type { GenerateEvent } from '@model-gateway/canonical';

/** Joins what came together of one part into one delta: a fast upstream sends many in a read. */
export function joinDeltas(events: readonly GenerateEvent[]): GenerateEvent[] {
  const joined: GenerateEvent[] = [];
  for (const event of events) {
    const last = joined.at(-1);
    const more = event.type === 'part-delta' && last?.type === 'part-delta';
    if (more && event.index === last.index && event.choice === last.choice)
      joined[joined.length - 1] = { ...last, text: last.text + event.text };
    else joined.push(event);
  }
  return joined;
}
