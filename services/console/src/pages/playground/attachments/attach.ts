import type { MediaKind, MediaPart } from '../conversation/part.ts';

/** The largest file that can be attached, and the most of all files of a question, in bytes. */
export const mostFileBytes = 10_000_000;
const mostBytes = 20_000_000;

const textTypes = /^(text\/|application\/(json|xml|yaml|x-yaml|javascript|toml)$)/;
const textNames =
  /\.(txt|md|csv|tsv|json|jsonl|ya?ml|xml|toml|log|ts|tsx|js|jsx|py|go|rs|java|c|h|cpp|sh|sql|css|html)$/i;

/** Files that the file dialog offers. */
export const accepted =
  'image/png,image/jpeg,image/gif,image/webp,audio/*,application/pdf,text/*,.md,.csv,.json,.log';

/**
 * Reads files as parts of a question.
 * @throws Error that names the first file that cannot be attached, and says why
 */
export async function attach(files: readonly File[], already: readonly MediaPart[]): Promise<MediaPart[]> {
  let bytes = already.reduce((sum, { data }) => sum + data.length * 0.75, 0);
  const parts: MediaPart[] = [];
  for (const file of files) {
    const kind = kindOf(file);
    if (!kind) throw new Error(`${file.name} is no image, audio, PDF or text file.`);
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
