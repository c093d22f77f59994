import { type RealtimeItem, type RealtimeItemObject, realtimeItem } from '@model-gateway/formats';
import { check } from './check.ts';
import type { Item } from './item.ts';

/** A client's item, and its audio without a transcript, as base64 by index of the content part. */
interface GivenItem {
  item: Item;
  audio: Map<number, string>;
}

/** Parses an item; `path` is its path in the event. @throws GatewayError of kind `invalid-request` */
export function readItem(given: unknown, path: string, newId: (prefix: string) => string): GivenItem {
  const data = check(realtimeItem, given, path);
  const head = { id: data.id ?? newId('item'), object: 'realtime.item', status: 'completed' } as const;
  const audio = new Map<number, string>();
  return { item: { object: objectOf(data, head, audio, newId) }, audio };
}

function objectOf(
  data: RealtimeItem,
  head: Pick<RealtimeItemObject, 'id' | 'object' | 'status'>,
  audio: Map<number, string>,
  newId: (prefix: string) => string,
): RealtimeItemObject {
  switch (data.type) {
    case 'function_call': {
      const { type, name } = data;
      return { ...head, type, call_id: data.call_id ?? newId('call'), name, arguments: data.arguments };
    }
    case 'function_call_output': {
      const { type, call_id, output } = data;
      return { ...head, type, call_id, output };
    }
    case 'message': {
      const { type, role } = data;
      return { ...head, type, role, content: data.content.map((part, i) => partOf(part, i, audio)) };
    }
  }
}

type Message = Extract<RealtimeItem, { type: 'message' }>;
type Content = Extract<RealtimeItemObject, { type: 'message' }>['content'][number];

function partOf(part: Message['content'][number], at: number, audio: Map<number, string>): Content {
  switch (part.type) {
    case 'input_audio':
      if (part.audio && part.transcript == null) audio.set(at, part.audio);
      return { type: part.type, transcript: part.transcript ?? null };
    case 'input_image':
      return { type: part.type, image_url: part.image_url, ...(part.detail && { detail: part.detail }) };
    case 'output_audio':
      return { type: part.type, transcript: part.transcript ?? '' };
    case 'input_text':
    case 'output_text':
      return { type: part.type, text: part.text };
  }
}
