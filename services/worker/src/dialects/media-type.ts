import type { MediaPart } from '@model-gateway/canonical';

/** The first bytes of files, in base64. */
const beginnings: [string, string][] = [
  ['JVBERi0', 'application/pdf'],
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
];

const textNames =
  /\.(txt|md|markdown|csv|tsv|json|jsonl|ya?ml|xml|html?|css|log|[cm]?[jt]sx?|py|rb|go|rs|java|c|h|cpp|sh|sql|toml|ini)$/i;

/** Returns the media type: as declared, else by the first bytes, else by the file extension. */
export function mediaTypeOf({ mediaType, source, name = '' }: MediaPart): string | undefined {
  if (mediaType || source.type !== 'base64') return mediaType;
  const begins = beginnings.find(([beginning]) => source.data.startsWith(beginning));
  if (begins) return begins[1];
  if (/\.pdf$/i.test(name)) return 'application/pdf';
  return textNames.test(name) ? 'text/plain' : undefined;
}
