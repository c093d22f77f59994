import {
  type AssistantPart,
  type FinishReason,
  type GenerateAnswer,
  type GenerateEvent,
  noUsage,
} from '@model-gateway/canonical';
import type { Random } from '@model-gateway/canonical/testing';
import { interleaved } from '@model-gateway/canonical/testing/interleave';
import {
  call,
  redacted,
  signed as signedBy,
  text as textOf,
  thought as thoughtOf,
} from '@model-gateway/canonical/testing/parts';
import { randomArguments, randomText } from './request.ts';

/**
 * An answer that every format can express: reasoning, text, then calls. `signed` reasoning may have several
 * parts.
 */
export function randomAnswer(random: Random, { signed }: { signed: boolean }): GenerateAnswer {
  const thought = (text: string, value: string) => thoughtOf(text, signed ? signedBy(value) : {});
  const thoughts = random.list(0, signed ? 3 : 1, () =>
    signed && random.below(3) === 0
      ? redacted('Em')
      : thought(randomText(random), `Eq${random.below(99)}+/=`),
  );
  const texts = random.list<AssistantPart>(0, 1, () => textOf(randomText(random)));
  let id = 0;
  const calls = random.list(0, 3, () =>
    call(`call_${id++}`, randomArguments(random), { name: random.pick(['weather', 'clock']) }),
  );
  const reason: FinishReason = random.pick([calls.length > 0 ? 'tool-calls' : 'stop', 'length']);
  return {
    start: { type: 'start', id: 'x', model: 'up-1' },
    parts: [...thoughts, ...texts, ...calls],
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
  return [start, ...interleaved(parts, random), finish];
}
