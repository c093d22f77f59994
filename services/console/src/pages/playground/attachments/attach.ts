import { type MediaKind, type MediaPart, mediaKinds } from '../conversation/part.ts';

/** The largest file that can be attached, and the most of all files of a request, in bytes. */
const mostFileBytes = 10_000_000;
const mostBytes = 20_000_000;

const textTypes = /^(text\/|application\/(json|xml|yaml|x-yaml|javascript|toml)$)/;
const textNames =
  /\.(txt|md|csv|tsv|json|jsonl|ya?ml|xml|toml|log|ts|tsx|js|jsx|py|go|rs|java|c|h|cpp|sh|sql|css|html)$/i;

/** The files that can be attached somewhere. */
export interface Attachable {
  kinds: readonly MediaKind[];
  /** Files that the file dialog offers. */
  accept: string;
  /** Words for one file, and for several. */
  noun: string;
  nouns: string;
}

const imageTypes = 'image/png,image/jpeg,image/gif,image/webp';

export const anyMedia: Attachable = {
  kinds: mediaKinds,
  accept: `${imageTypes},audio/*,application/pdf,text/*,.md,.csv,.json,.log`,
  noun: 'image, audio, PDF or text file',
  nouns: 'images, audio, PDF and text files',
};

export const onlyImages: Attachable = {
  kinds: ['image'],
  accept: imageTypes,
  noun: 'PNG, JPEG, GIF or WebP image',
  nouns: 'images',
};

/**
 * Reads files as parts of a request.
 * @throws Error that names the first file that cannot be attached, and says why
 */
export async function attach(
  files: readonly File[],
  already: readonly MediaPart[],
  { kinds, noun }: Attachable,
): Promise<MediaPart[]> {
  let bytes = already.reduce((sum, { data }) => sum + data.length * 0.75, 0);
  const parts: MediaPart[] = [];
  for (const file of files) {
    const kind = kindOf(file);
    if (!kind || !kinds.includes(kind.kind)) throw new Error(`${file.name} is no ${noun}.`);
    if (file.size === 0) throw new Error(`${file.name} is empty.`);
    if (file.size > mostFileBytes) throw new Error(`${file.name} is larger than 10 MB.`);
    bytes += file.size;
    if (bytes > mostBytes) throw new Error('The attached files are larger than 20 MB together.');
    parts.push({ ...kind, type: 'media', name: file.name, data: await base64Of(file) });
  }
  return parts;
}

function kindOf({ type, name }: File): { kind: MediaKind; mediaType: string } | undefined {
  if (/^image\/(png|jpeg|gif|webp)$/.test(type)) return { kind: 'image', mediaType: type };
  if (type.startsWith('audio/')) return { kind: 'audio', mediaType: type };
  if (type === 'application/pdf') return { kind: 'document', mediaType: type };
  // Providers know no other types of text.
  if (textTypes.test(type) || textNames.test(name)) return { kind: 'document', mediaType: 'text/plain' };
  return undefined;
}

async function base64Of(file: File): Promise<string> {
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new Error(`${file.name} cannot be read.`));
    reader.readAsDataURL(file);
  });
  return url.slice(url.indexOf(',') + 1);
}
