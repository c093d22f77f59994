import type { PartStart, Signature } from '@model-gateway/canonical';
import { generateContent } from '@model-gateway/formats/generate-content';
import { dataJson, sseEvent } from '@model-gateway/sse';
import { type Chunk, type Flow, mapped } from '../common/format.ts';
import { rendered } from '../common/rendered.ts';
import { colourOf, png } from '../images/png.ts';
import { type Answer, parsedObject, type Run } from '../responder/answer.ts';
import { sign } from './checks.ts';
import type { ParsedGenerate } from './parse.ts';

const written = rendered<ParsedGenerate>(({ prompt, showsThoughts, searches, image }) => ({
  renderer: generateContent.render({ model: prompt.model, showThoughts: showsThoughts }),
  callPrefix: 'call_',
  model: prompt.model,
  searches,
  hides: image !== null && !image.withText && 'text',
  sign: run => signatureOf(run, prompt.effort !== null),
  after: image ? [imagePart(image)] : [],
}));

/** The signature of text after reasoning, or of the first call of an answer. */
function signatureOf(run: Run, reasoned: boolean): Signature | undefined {
  const signed = (value: string): Signature => ({ format: 'generate-content', value });
  if (run.kind === 'text') return reasoned ? signed(sign()) : undefined;
  if (run.kind !== 'call' || run.call.index > 0) return undefined;
  return signed(sign({ name: run.call.name, args: parsedObject(run.text) }));
}

function imagePart(image: NonNullable<ParsedGenerate['image']>): PartStart {
  const data = png(image, colourOf(image.prompt)).toString('base64');
  return { type: 'media', kind: 'image', mediaType: 'image/png', source: { type: 'base64', data } };
}

/** An answer as one GenerateContentResponse. A blocked prompt has no candidates. */
export function whole(parsed: ParsedGenerate, answer: Answer): unknown {
  const body = written.whole(parsed, answer);
  if (!isBlocked(answer)) return body;
  const { candidates: _, ...rest } = body as { candidates: unknown };
  const safetyRatings = [{ category: 'HARM_CATEGORY_DANGEROUS_CONTENT', probability: 'HIGH', blocked: true }];
  return { promptFeedback: { blockReason: 'PROHIBITED_CONTENT', safetyRatings }, ...rest };
}

function isBlocked({ replies }: Answer): boolean {
  return replies.every(({ finish }) => finish === 'blocked');
}

/** An answer as server-sent events, or as one JSON array. */
export function stream(parsed: ParsedGenerate, answer: Answer): Flow {
  const flow: Flow = isBlocked(answer)
    ? { opening: [], ticks: [], closing: [sseEvent(dataJson(whole(parsed, answer)))] }
    : written.stream(parsed, answer);
  return parsed.events ? flow : inOneArray(flow);
}

function inOneArray(flow: Flow): Flow {
  let before = '[';
  const { closing, ...rest } = mapped(flow, event => {
    const element = before + String(event).slice('data: '.length, -2);
    before = '\n,\n';
    return [element];
  });
  function* ending(): Generator<Chunk> {
    yield* closing;
    yield '\n]';
  }
  return { ...rest, closing: ending() };
}
