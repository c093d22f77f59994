import type { MediaPart } from '@model-gateway/canonical';
import { contradictedType } from '../values/media-type.ts';

const textNames =
  /\.(txt|md|markdown|csv|tsv|json|jsonl|ya?ml|xml|html?|css|log|[cm]?[jt]sx?|py|rb|go|rs|java|c|h|cpp|sh|sql|toml|ini)$/i;

/** Returns the media type: by the first bytes if they are known, else as declared, else by the file extension. */
export function mediaTypeOf({ mediaType, source, name = '' }: MediaPart): string | undefined {
  if (source.type !== 'base64') return mediaType;
  const type = contradictedType(mediaType, source.data) ?? mediaType;
  if (type) return type;
  if (/\.pdf$/i.test(name)) return 'application/pdf';
  return textNames.test(name) ? 'text/plain' : undefined;
}

/** Returns media as what its bytes are: clients send images as files, and label files wrongly. */
export function asHeld(part: MediaPart): MediaPart {
  const mediaType = mediaTypeOf(part);
  const kind = kindOf(mediaType) ?? part.kind;
  if (mediaType === undefined || (mediaType === part.mediaType && kind === part.kind)) return part;
  return { ...part, kind, mediaType };
}

function kindOf(mediaType = ''): MediaPart['kind'] | undefined {
  if (mediaType.startsWith('image/')) return 'image';
  if (mediaType.startsWith('audio/')) return 'audio';
  return mediaType === 'application/pdf' ? 'document' : undefined;
}
