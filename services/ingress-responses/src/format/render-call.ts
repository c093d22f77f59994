import { answerBounds, exceededBound, type PartStart } from '@model-gateway/canonical';
import type { ResponsesOutputItem } from '@model-gateway/wire';
import { callId } from './ids.ts';
import type { Items } from './render-output.ts';
import { renderProof } from './render-reasoning.ts';
import type { OwnTool } from './tool-names.ts';
import type { PartEnd, PartWriter } from './writer.ts';

type Call = Extract<PartStart, { type: 'tool-call' }>;
type CallItem = Extract<ResponsesOutputItem, { call_id: string }>;

/** Writes a call of one of the client's tools. */
export class CallWriter implements PartWriter {
  readonly #items: Items;
  readonly #item: () => CallItem;
  #open: CallItem | undefined;
  #text = '';

  /** `index` is the part's. */
  constructor(items: Items, part: Call, own: OwnTool, index: number) {
    this.#items = items;
    const call_id = part.id || callId(items.requestId, index);
    this.#item = () => emptyCall(items, { ...own, call_id, custom: part.custom });
  }

  begin(): string {
    this.#open = this.#item();
    return this.#items.open(this.#open);
  }

  write(text: string): string {
    this.#text += text;
    switch (this.#open?.type) {
      case 'function_call':
        return this.#items.event('function_call_arguments.delta', { delta: text });
      case 'custom_tool_call':
        return this.#items.event('custom_tool_call_input.delta', { delta: text });
      default:
        return '';
    }
  }

  end({ signature }: PartEnd): string {
    const item = this.#open;
    const told = item ? this.#tell(item) : '';
    return signature ? told + renderProof(this.#items, signature) : told;
  }

  /** A call without arguments has an empty object. */
  #tell(item: CallItem): string {
    switch (item.type) {
      case 'function_call': {
        const none = this.#text === '' ? this.write('{}') : '';
        item.arguments = this.#text;
        const { name } = item;
        return none + this.#items.event('function_call_arguments.done', { name, arguments: this.#text });
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

interface CallHead extends OwnTool {
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
