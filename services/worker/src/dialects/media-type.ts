import type { MediaPart } from '@model-gateway/canonical';

/** How files begin, in base64. */
const beginnings: [string, string][] = [
  ['JVBERi0', 'application/pdf'],
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
];

const textNames =
  /\.(txt|md|markdown|csv|tsv|json|jsonl|ya?ml|xml|html?|css|log|[cm]?[jt]sx?|py|rb|go|rs|java|c|h|cpp|sh|sql|toml|ini)$/i;

/** A medium's type: as it was told, or by how its bytes begin or its name ends; undefined if none of them tells. */
export function mediaTypeOf({ mediaType, source, name = '' }: MediaPart): string | undefined {
  if (mediaType || source.type !== 'base64') return mediaType;
  const begins = beginnings.find(([beginning]) => source.data.startsWith(beginning));
  if (begins) return begins[1];
  if (/\.pdf$/i.test(name)) return 'application/pdf';
  return textNames.test(name) ? 'text/plain' : undefined;
}
