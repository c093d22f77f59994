import {
  AnswerFold,
  type AssistantPart,
  type FinishReason,
  type GenerateAnswer,
  type GenerateEvent,
  noUsage,
  type PartStart,
  type Signature,
} from '@model-gateway/canonical';
import type { Random } from '@model-gateway/canonical/testing';
import { randomArguments, randomText } from './request.ts';

/**
 * An answer that every format can express: reasoning, text, then calls. `signed` reasoning may have several
 * parts.
 */
export function randomAnswer(random: Random, { signed }: { signed: boolean }): GenerateAnswer {
  const thought = (text: string, value: string): AssistantPart => ({
    type: 'reasoning',
    text,
    ...(signed && { signature: { format: 'messages', value } }),
  });
  const redacted: AssistantPart = {
    type: 'reasoning',
    text: '',
    redacted: true,
    signature: { format: 'messages', value: 'Em' },
  };
  const thoughts = random.list(0, signed ? 3 : 1, () =>
    signed && random.below(3) === 0 ? redacted : thought(randomText(random), `Eq${random.below(99)}+/=`),
  );
  const texts = random.list<AssistantPart>(0, 1, () => ({ type: 'text', text: randomText(random) }));
  const calls = random
    .list(0, 3, () => 0)
    .map(
      (_, i): AssistantPart => ({
        type: 'tool-call',
        id: `call_${i}`,
        name: random.pick(['weather', 'clock']),
        arguments: randomArguments(random),
      }),
    );
  const parts = [...thoughts, ...texts, ...calls];
  const reason: FinishReason = random.pick([calls.length > 0 ? 'tool-calls' : 'stop', 'length']);
  return {
    start: { type: 'start', id: 'x', model: 'up-1' },
    parts,
    finish: { type: 'finish', reason, raw: null, usage: randomUsage(random) },
  };
}

function randomUsage(random: Random) {
  const cached = { cachedInput: random.below(99), cacheWrite5m: random.below(99) };
  const input = cached.cachedInput + cached.cacheWrite5m + random.below(999);
  const reasoning = random.below(99);
  return { ...noUsage, ...cached, input, reasoning, output: reasoning + random.below(999) };
}

/** The events of the answer: calls interleave, fragments have any size. */
export function eventsOf({ start, parts, finish }: GenerateAnswer, random: Random): GenerateEvent[] {
  const events: GenerateEvent[] = [start];
  const running: GenerateEvent[][] = [];
  const step = () => {
    const at = random.below(running.length);
    const event = running[at]?.shift();
    if (event) events.push(event);
    else running.splice(at, 1);
  };
  for (const [index, part] of parts.entries()) {
    const parallel = part.type === 'tool-call' && parts[index - 1]?.type === 'tool-call';
    while (running.length > 0 && !(parallel && random.below(2) === 0)) step();
    const [first, ...rest] = partEvents(part, index, random);
    events.push(first as GenerateEvent);
    running.push(rest);
  }
  while (running.length > 0) step();
  return [...events, finish];
}

function partEvents(part: AssistantPart, index: number, random: Random): GenerateEvent[] {
  const {
    text = '',
    arguments: json = '',
    signature,
    ...begun
  } = part as {
    text?: string;
    arguments?: string;
    signature?: Signature;
  };
  const whole = `${text}${json}`;
  const cuts = random.list(0, 3, () => random.below(whole.length + 1)).sort((a, b) => a - b);
  const pieces = [0, ...cuts].map((from, i) => whole.slice(from, cuts[i] ?? whole.length)).filter(Boolean);
  return [
    { type: 'part-start', index, part: begun as unknown as PartStart },
    ...pieces.map((text): GenerateEvent => ({ type: 'part-delta', index, text })),
    { type: 'part-end', index, ...(signature && { signature }) },
  ];
}

/** Folds the events into an answer. */
export function folded(events: readonly GenerateEvent[]): GenerateAnswer {
  const fold = new AnswerFold();
  const answer = events.map(event => fold.add(event)).find(Boolean);
  if (!answer) throw new Error(`no answer in ${JSON.stringify(events.at(-1))}`);
  return answer;
}
