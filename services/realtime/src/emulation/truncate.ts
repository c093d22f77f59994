import { invalid } from './check.ts';
import { type Item, spokenMs } from './item.ts';

/** Notes how much of a spoken answer the user heard, and drops its transcript. @throws GatewayError of kind `invalid-request` */
export function truncate(item: Item, contentIndex: number, audioEndMs: number): void {
  if (!item.spoken) throw invalid('item_id', 'Only items with output audio can be truncated.');
  if (contentIndex !== 0) throw invalid('content_index', "Invalid 'content_index': expected 0.");
  const ms = spokenMs(item);
  if (audioEndMs > ms) {
    const message = `Audio content of ${Math.floor(ms)}ms is already shorter than ${audioEndMs}ms`;
    throw invalid('audio_end_ms', message);
  }
  item.heardMs = audioEndMs;
  const { object } = item;
  if (object.type === 'message' && object.content.length > 0) object.content = [{ type: 'output_audio' }];
}
