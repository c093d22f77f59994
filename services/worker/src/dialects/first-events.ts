import { EventReader, splitEvents } from '@model-gateway/sse';

/** Returns the bytes of the first `count` complete events. Comments are not counted. */
export function firstEvents(whole: Buffer, count: number): Buffer {
  if (count <= 0) return whole.subarray(0, 0);
  const reader = new EventReader();
  const kept: string[] = [];
  let left = count;
  for (const event of splitEvents(whole.toString('utf8'))) {
    if (left <= 0) break;
    left -= reader.read(Buffer.from(event)).length;
    kept.push(event);
  }
  return Buffer.from(kept.join(''));
}
