import type { RequestHandler } from 'express';
import { interrupt } from '../chat/error.ts';
import { chat } from '../chat/format.ts';
import { deliver, type Outcome } from '../delivery.ts';
import { type Mark, marks } from '../faults/mark.ts';
import { guardedForm } from '../guarded.ts';
import type { Traffic } from '../traffic.ts';
import { parse, type Task, type TranscriptionAsked } from './parse.ts';
import { stream } from './stream.ts';
import { transcript } from './transcript.ts';
import { readUpload } from './upload.ts';
import { spentOn } from './usage.ts';
import { whole } from './whole.ts';

const longestMs = 3_600_000;
const nothing: Outcome = { kind: 'whole', body: '', afterMs: 0 };

/** Answers what is said in an upload, once it is over, or before where the model's fault does not wait. */
export function transcriptions(traffic: Traffic, task: Task): RequestHandler {
  return guardedForm(chat, traffic, async (arrival, parts) => {
    const upload = await readUpload(parts);
    if ('failing' in upload) return deliver(chat, traffic, arrival, upload.failing, () => nothing);
    const asked = parse(upload, task);
    return deliver(chat, traffic, arrival, asked.request.model, mark => outcomeOf(asked, mark));
  });
}

function outcomeOf(asked: TranscriptionAsked, mark?: Mark): Outcome {
  const { pace, kind, request } = asked;
  const heard = transcript(asked, mark && marks[mark]);
  const usage = spentOn(asked, heard);
  if (request.stream && kind !== 'whisper')
    return { kind: 'stream', usage, flow: stream(asked, heard), pace, interrupt };
  const tokens = heard.segments.reduce((sum, segment) => sum + segment.tokens.length, 0);
  const afterMs = Math.min(pace.firstMs + tokens * pace.intervalMs, longestMs);
  return { kind: 'whole', usage, ...whole(asked, heard), afterMs };
}
