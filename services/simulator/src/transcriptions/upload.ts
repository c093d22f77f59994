import { faultOf } from '../faults/fault.ts';
import { spoils } from '../faults/spoils.ts';
import type { FilePart, Part } from '../multipart.ts';
import { wrong } from '../openai-complaint.ts';

/** A form that was read, but for the bytes of its file. */
export interface Upload {
  fields: [name: string, value: string][];
  file: Sound | null;
}

/** What is known of an audio file. */
export interface Sound {
  /** In lower case. */
  extension: string;
  /** Its first 64 KB, or all of it. */
  head: Buffer;
  bytes: number;
}

const headBytes = 64 * 1_024;
const extensions = ['flac', 'm4a', 'mp3', 'mp4', 'mpeg', 'mpga', 'oga', 'ogg', 'opus', 'wav', 'webm'];

/** Reads a form to its end, or to a model whose fault does not wait for it. @throws Refusal as soon as there is a reason */
export async function readUpload(parts: AsyncIterable<Part>): Promise<Upload | { failing: string }> {
  const upload: Upload = { fields: [], file: null };
  for await (const part of parts) {
    if (part.kind === 'file') upload.file = await listen(part, upload.file);
    else if (part.name === 'model' && isHasty(part.value)) return { failing: part.value };
    else upload.fields.push([part.name, part.value]);
  }
  return upload;
}

/** Whether a fault shows before the upload is over, if the model comes first. */
function isHasty(model: string): boolean {
  const fault = faultOf(model);
  return fault?.kind === 'error' || fault?.spoil === spoils['reset-first'];
}

async function listen({ name, filename, bytes }: FilePart, before: Sound | null): Promise<Sound> {
  if (name !== 'file' || before) throw wrong(`Unknown parameter: '${name}'.`, 'unknown_parameter', name);
  const extension = /\.(\w+)$/.exec(filename ?? '')?.[1]?.toLowerCase() ?? '';
  if (!extensions.includes(extension))
    throw wrong(
      `Unrecognized file format. Supported formats: [${extensions.map(one => `'${one}'`).join(', ')}]`,
      null,
      'file',
    );
  const first: Buffer[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    if (size < headBytes) first.push(chunk.subarray(0, headBytes - size));
    size += chunk.length;
  }
  return { extension, head: Buffer.concat(first), bytes: size };
}
