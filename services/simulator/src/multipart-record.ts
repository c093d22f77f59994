import { createHash } from 'node:crypto';
import type { Request } from 'express';
import { type FilePart, type Part, readParts } from './multipart.ts';
import type { Traffic } from './traffic.ts';

/** A form as it is recorded: of files, all but their bytes. */
export interface RecordedForm {
  /** Names and values in their order. */
  fields: [name: string, value: string][];
  files: RecordedFile[];
}

interface RecordedFile extends Omit<FilePart, 'kind' | 'bytes'> {
  /** How many bytes were read. */
  bytes: number;
  /** Of these bytes, in hexadecimal; empty until the file has ended. */
  sha256: string;
}

/** The parts of a form, which is recorded as JSON of a `RecordedForm` once it ends, or nobody reads on. */
export async function* recordedParts(request: Request, traffic: Traffic): AsyncGenerator<Part> {
  if (!traffic.recording) return yield* readParts(request);
  const form: RecordedForm = { fields: [], files: [] };
  try {
    for await (const part of readParts(request)) {
      if (part.kind === 'field') form.fields.push([part.name, part.value]);
      yield part.kind === 'field' ? part : watched(part, form.files);
    }
  } finally {
    traffic.record(request, JSON.stringify(form));
  }
}

function watched({ bytes, ...part }: FilePart, files: RecordedFile[]): FilePart {
  const { kind, ...said } = part;
  const seen = { ...said, bytes: 0, sha256: '' };
  files.push(seen);
  return { ...part, bytes: hashed(bytes, seen) };
}

async function* hashed(bytes: AsyncIterable<Buffer>, seen: RecordedFile): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of bytes) {
    seen.bytes += chunk.length;
    hash.update(chunk);
    yield chunk;
  }
  seen.sha256 = hash.digest('hex');
}
