import { type Ending, GatewayError, type PartStart } from '@model-gateway/canonical';
import { renderIncomplete } from './finish.ts';
import { invalid } from './invalid.ts';
import type { Frame, OutputEnd, OutputWriter } from './render-items.ts';
import { withoutPrefix } from './render-items.ts';
import type { ResponsesRequest } from './request.ts';

interface CompactionItem {
  type: 'compaction';
  id: string;
  encrypted_content: string;
}

/** Renders a summary as an item. */
export function renderSummary(text: string, requestId: string): CompactionItem {
  return { type: 'compaction', id: `cmp_${withoutPrefix(requestId)}`, encrypted_content: writeSummary(text) };
}

export function noSummary(): GatewayError {
  return new GatewayError('upstream', 'The model returned no summary, or an incomplete one.');
}

/** Collects the text of a response as one compaction item: the summary of the conversation. */
export class SummaryOutput implements OutputWriter {
  readonly items: CompactionItem[] = [];
  readonly #requestId: string;
  readonly #frame: Frame;
  readonly #texts = new Map<number, string>();

  constructor(requestId: string, frame: Frame) {
    this.#requestId = requestId;
    this.#frame = frame;
  }

  start(index: number, part: PartStart): string {
    if (part.type === 'text') this.#texts.set(index, '');
    return '';
  }

  add(index: number, text: string): string {
    const before = this.#texts.get(index);
    if (before !== undefined) this.#texts.set(index, before + text);
    return '';
  }

  end(): string {
    return '';
  }

  finish(ending: Ending): OutputEnd {
    const incomplete = renderIncomplete(ending, false);
    if (incomplete) return { text: '', incomplete };
    const text = [...this.#texts.values()].join('');
    if (text === '') return { text, incomplete, failed: noSummary() };
    const item = renderSummary(text, this.#requestId);
    this.items.push(item);
    const event = (type: string) => this.#frame(type, { output_index: 0, item });
    return {
      text: event('response.output_item.added') + event('response.output_item.done'),
      incomplete,
    };
  }
}

type Item = Record<string, unknown>;

/** The prompt that asks a model to summarize a conversation. */
const task = [
  'Summarize the conversation so far, for a model that goes on with it and sees nothing else of it.',
  'Keep what was asked and decided, facts, names, numbers, paths and code that still matter,',
  'what tools were called for and gave, and what is left to do. Write the summary alone.',
].join(' ');

/** The prompt as an input item. */
const taskItem = { type: 'message', role: 'user', content: [{ type: 'input_text', text: task }] };

/** True if a request ends with the item that requests a summary of the items before it. */
export function requestsSummary({ input }: Pick<ResponsesRequest, 'input'>): boolean {
  return Array.isArray(input) && input.at(-1)?.type === 'compaction_trigger';
}

/** Replaces that item by the prompt, for upstreams that do not support it, and forbids tool calls. */
export function withTask(body: Record<string, unknown>): Record<string, unknown> {
  const input = (body.input as Item[]).slice(0, -1);
  const tools = [body, ...input].some(({ tools }) => Array.isArray(tools) && tools.length > 0);
  return { ...body, input: [...input, taskItem], text: null, tool_choice: tools ? 'none' : null };
}

/** Appends the prompt to items, which are joined by commas. @throws GatewayError if there are no items */
export function joinTask(items: string): string {
  if (items === '')
    throw invalid('input', "Missing required parameter: 'input'.", 'missing_required_parameter');
  return `${items},${JSON.stringify(taskItem)}`;
}

/** Marks the gateway's summaries. Vendors' summaries are base64, which has no colon. */
export const summaryPrefix = 'gw:';

/** Encodes a summary as opaque content for the client. */
function writeSummary(text: string): string {
  return summaryPrefix + Buffer.from(text).toString('base64');
}

/** Returns the text of a summary of the gateway; undefined for anything else. */
export function readSummary(blob: unknown): string | undefined {
  if (typeof blob !== 'string' || !blob.startsWith(summaryPrefix)) return undefined;
  return Buffer.from(blob.slice(summaryPrefix.length), 'base64').toString();
}
