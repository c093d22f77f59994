import type { ResponsesMessagePart, ResponsesOutputItem, ResponsesUrlCitation } from '@model-gateway/wire';
import { tokenLogprobs } from '../chat/logprobs.ts';
import type { Answer, Call, Thought } from '../mind/answer.ts';
import { cited, source } from '../mind/source.ts';
import { encrypted } from './encrypted.ts';
import type { ResponsesAsked } from './parse.ts';
import { type Run, runsOf, textOf } from './run.ts';

/** An item of an output, as it begins and as it ends, with the steps that make it. */
export interface Made {
  run: Run;
  id: string;
  begun: ResponsesOutputItem;
  done: ResponsesOutputItem;
}

/** The items that the model itself makes; a search of the web, if there is one, stands before them. */
export function madeOf(asked: ResponsesAsked, { id, thoughts }: Answer): Made[] {
  const [thought] = thoughts as [Thought];
  const runs = runsOf(thought);
  return runs.map((run, at) => {
    const cut = thought.finish === 'length' && at === runs.length - 1;
    return made(asked, run, `${id}${at.toString(16)}`, cut ? 'incomplete' : 'completed');
  });
}

/** A search that the vendor ran; undefined where none was run. */
export function searchOf({ prompt, searches }: ResponsesAsked, { id, thoughts }: Answer) {
  const [thought] = thoughts as [Thought];
  if (cited(thought, searches) === null) return undefined;
  const action = { type: 'search', query: prompt.question.slice(0, 100).toWellFormed() };
  return { type: 'web_search_call', id: `ws_${id}`, status: 'completed', action };
}

/** All of an output. */
export function outputOf(asked: ResponsesAsked, answer: Answer) {
  const search = searchOf(asked, answer);
  return [...(search ? [search] : []), ...madeOf(asked, answer).map(({ done }) => done)];
}

type Status = 'in_progress' | 'completed' | 'incomplete';

function made(asked: ResponsesAsked, run: Run, suffix: string, status: Status): Made {
  if (run.kind === 'call') return madeCall(asked, run, suffix, status);
  if (run.kind === 'reasoning') return madeReasoning(asked, run, suffix);
  const id = `msg_${suffix}`;
  const message = (state: Status, content: ResponsesMessagePart[]): ResponsesOutputItem => ({
    type: 'message',
    id,
    role: 'assistant',
    status: state,
    content,
  });
  return { run, id, begun: message('in_progress', []), done: message(status, [partOf(asked, run)]) };
}

/** The one part of a message. */
export function partOf(asked: ResponsesAsked, run: Run): ResponsesMessagePart {
  const text = textOf(run);
  if (run.kind === 'refusal') return { type: 'refusal', refusal: text };
  const tokens = run.steps.map(step => (step.kind === 'call' ? '' : step.text));
  const logprobs = asked.topLogprobs === null ? [] : tokenLogprobs(tokens, 0, asked.topLogprobs);
  return { type: 'output_text', text, annotations: annotationsOf(asked, text), logprobs };
}

function annotationsOf({ searches }: ResponsesAsked, text: string): ResponsesUrlCitation[] {
  return searches && text
    ? [{ type: 'url_citation', ...source, start_index: 0, end_index: text.length }]
    : [];
}

function madeReasoning({ summarizes, encrypts }: ResponsesAsked, run: Run, suffix: string): Made {
  const id = `rs_${suffix}`;
  const text = textOf(run);
  return {
    run,
    id,
    begun: { type: 'reasoning', id, summary: [] },
    done: {
      type: 'reasoning',
      id,
      summary: summarizes ? [{ type: 'summary_text', text }] : [],
      ...(encrypts && { encrypted_content: encrypted(id, text) }),
    },
  };
}

function madeCall(
  { origins }: ResponsesAsked,
  run: Run & { kind: 'call' },
  suffix: string,
  status: Status,
): Made {
  const id = `${run.call.tool === 'function' ? 'fc' : 'ctc'}_${suffix}`;
  const origin = origins.get(run.call.name) ?? { name: run.call.name };
  const item = (state: Status, input: string) => callItem(run.call, { id, ...origin, status: state }, input);
  return { run, id, begun: item('in_progress', ''), done: item(status, textOf(run)) };
}

function callItem(
  { tool, id: callId }: Call,
  { id, status, ...origin }: { id: string; name: string; namespace?: string; status: Status },
  input: string,
): ResponsesOutputItem {
  const shared = { id, call_id: `call_${callId}`, ...origin, status };
  return tool === 'function'
    ? { type: 'function_call', ...shared, arguments: input }
    : { type: 'custom_tool_call', ...shared, input };
}
