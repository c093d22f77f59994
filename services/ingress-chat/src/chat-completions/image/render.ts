import type { MediaPart } from '@model-gateway/canonical';
import type { ChatAnswerMessage } from '@model-gateway/wire';

type Images = NonNullable<ChatAnswerMessage['images']>;

/** Pictures that the model made, where several gateways put them; the format has no place of its own. */
export function renderImages({ kind, source, mediaType = 'image/png' }: MediaPart): Images {
  if (kind !== 'image') return [];
  if (source.type === 'url') return [{ type: 'image_url', image_url: { url: source.url } }];
  if (source.type !== 'base64') return [];
  return [{ type: 'image_url', image_url: { url: `data:${mediaType};base64,${source.data}` } }];
}
