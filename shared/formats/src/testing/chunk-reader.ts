/** The fields of a chunk that tests read. */
export interface Chunk {
  candidates?: {
    index?: number;
    content?: { role: string; parts: Record<string, unknown>[] };
    finishReason?: string;
    finishMessage?: string;
    groundingMetadata?: unknown;
  }[];
  usageMetadata?: unknown;
  modelVersion: string;
  responseId: string;
}

/**
 * Parses a stream's chunks.
 * @throws unless each is one `data: ` line with a space, as Python's SDK requires
 */
export function readChunks(stream: string, whole = true): Chunk[] {
  const chunks = stream
    .split('\n\n')
    .slice(0, -1)
    .map(event => {
      const [, data] = /^data: (.*)$/.exec(event) ?? [];
      if (data === undefined) throw new Error(`not a chunk: ${event}`);
      return JSON.parse(data) as Chunk;
    });
  const open = new Set(chunks.flatMap(({ candidates = [] }) => candidates.map(({ index = 0 }) => index)));
  for (const { candidates = [] } of chunks)
    for (const { index = 0, finishReason } of candidates) {
      if (!open.has(index)) throw new Error(`candidate ${index} goes on after its end`);
      if (finishReason) open.delete(index);
    }
  if (whole && open.size > 0) throw new Error('a candidate has no end');
  return chunks;
}

type Part = Record<string, unknown>;

/**
 * Accumulates the first candidate's parts as clients do: texts are joined, and a signature joins the part it
 * signs.
 */
export function readParts(stream: string): Part[] {
  const parts: Part[] = [];
  for (const { candidates = [] } of readChunks(stream))
    for (const part of candidates
      .filter(({ index = 0 }) => index === 0)
      .flatMap(({ content }) => content?.parts ?? []))
      addPart(parts, { ...part });
  return parts.length > 1 ? parts.filter(part => part.text !== '' || part.thoughtSignature) : parts;
}

function addPart(parts: Part[], part: Part): void {
  const last = parts.at(-1);
  const continues =
    typeof part.text === 'string' && typeof last?.text === 'string' && last.thought === part.thought;
  const signs = part.text === '' && part.thoughtSignature !== undefined;
  if (continues && !isClosed(last) && (signs || !part.thoughtSignature)) {
    last.text = `${last.text}${part.text}`;
    if (signs) last.thoughtSignature = part.thoughtSignature;
  } else parts.push(part);
}

/**
 * True if a signature ends the part. On a text, another vendor's signature belongs to the thoughts before it.
 */
function isClosed({ thought, thoughtSignature = '' }: Part): boolean {
  if (!thoughtSignature) return false;
  return Boolean(thought) || !/^[a-z]{2}:/.test(Buffer.from(String(thoughtSignature), 'base64').toString());
}
