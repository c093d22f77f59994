import type { AssistantPart, GenerateEvent, PartStart, Signature } from '../index.ts';
import { partEvents } from './events.ts';
import type { Random } from './random.ts';

/**
 * The events of parts as an upstream may send them: fragments have any size, and a call may begin within the call before
 * it, or, `anywhere`, within any part.
 */
export function interleaved(
  parts: readonly AssistantPart[],
  random: Random,
  anywhere = false,
): GenerateEvent[] {
  const events: GenerateEvent[] = [];
  const running: GenerateEvent[][] = [];
  const step = () => {
    const at = random.below(running.length);
    const event = running[at]?.shift();
    if (event) events.push(event);
    else running.splice(at, 1);
  };
  for (const [index, part] of parts.entries()) {
    const beside = anywhere || parts[index - 1]?.type === 'tool-call';
    const parallel = part.type === 'tool-call' && beside && random.below(2) === 0;
    while (running.length > 0 && !parallel) step();
    for (let n = random.below(4); n > 0 && running.length > 0; n--) step();
    const [first, ...rest] = eventsOf(part, index, random);
    events.push(first as GenerateEvent);
    running.push(rest);
  }
  while (running.length > 0) step();
  return events;
}

function eventsOf(part: AssistantPart, index: number, random: Random): GenerateEvent[] {
  const { text = '', arguments: json = '', signature, ...begun } = part as unknown as Record<string, unknown>;
  const whole = `${text}${json}`;
  const pieces: string[] = [];
  for (let at = 0; at < whole.length; at += pieces.at(-1)?.length ?? 0)
    pieces.push(whole.slice(at, at + 1 + random.below(5)));
  const end = signature ? { signature: signature as Signature } : {};
  return partEvents(index, begun as unknown as PartStart, pieces, end);
}
