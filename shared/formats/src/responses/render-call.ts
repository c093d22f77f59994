import type { PartStart } from '@model-gateway/canonical';
import { answerBounds, exceededBound } from '@model-gateway/json';
import type { ResponsesOutputItem } from './answer.ts';
import { callId } from './ids.ts';
import type { Items } from './render-items.ts';
import { renderSignature } from './render-reasoning.ts';
import type { ClientTool } from './tool-names.ts';
import type { PartEnd, PartWriter } from './writer.ts';

type Call = Extract<PartStart, { type: 'tool-call' }>;
type CallItem = Extract<ResponsesOutputItem, { call_id: string }>;

/** Writes a call of a client tool. */
export class CallWriter implements PartWriter {
  readonly #items: Items;
  readonly #item: () => CallItem;
  #open: CallItem | undefined;
  #text = '';

  /** `index` is the index of the part. */
  constructor(items: Items, part: Call, tool: ClientTool, index: number) {
    this.#items = items;
    const call_id = part.id || callId(items.requestId, index);
    const item = () => emptyCall(items, { ...tool, call_id, custom: part.custom });
    this.#item = item;
  }

  begin(): string {
    this.#open = this.#item();
    return this.#items.open(this.#open);
  }

  write(text: string): string {
    this.#text += text;
    switch (this.#open?.type) {
      case 'function_call':
        return this.#items.delta('function_call_arguments.delta', text);
      case 'custom_tool_call':
        return this.#items.delta('custom_tool_call_input.delta', text);
      default:
        return '';
    }
  }

  end({ signature }: PartEnd): string {
    const item = this.#open;
    const events = item ? this.#endEvents(item) : '';
    return signature ? events + renderSignature(this.#items, signature) : events;
  }

  /** Renders the end of a call. Empty arguments become an empty object. */
  #endEvents(item: CallItem): string {
    switch (item.type) {
      case 'function_call': {
        const empty = this.#text === '' ? this.write('{}') : '';
        item.arguments = this.#text;
        const { name } = item;
        return empty + this.#items.event('function_call_arguments.done', { name, arguments: this.#text });
      }
      case 'custom_tool_call':
        item.input = this.#text;
        return this.#items.event('custom_tool_call_input.done', { input: this.#text });
      case 'tool_search_call':
        item.arguments = readArguments(this.#text);
        return '';
    }
  }
}

interface CallHead extends ClientTool {
  call_id: string;
  custom?: boolean | undefined;
}

function emptyCall(items: Items, { call_id, name, namespace, search, custom }: CallHead): CallItem {
  const status = 'in_progress' as const;
  if (search) {
    const type = 'tool_search_call' as const;
    return { type, id: items.nextId(type), call_id, execution: 'client', arguments: {}, status };
  }
  const type = custom ? 'custom_tool_call' : 'function_call';
  const head = { id: items.nextId(type), call_id, name, ...(namespace && { namespace }), status };
  return type === 'custom_tool_call' ? { type, ...head, input: '' } : { type, ...head, arguments: '' };
}

function readArguments(text: string): unknown {
  try {
    return exceededBound(text, answerBounds) ? { _raw: text } : JSON.parse(text || '{}');
  } catch {
    return { _raw: text };
  }
}
