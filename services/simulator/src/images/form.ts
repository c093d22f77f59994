import { type FilePart, type Part, readWhole } from '../multipart.ts';
import { wrong } from '../openai-complaint.ts';
import type { Inputs } from './inputs.ts';
import { mostInputs } from './request.ts';

/** What a form says beside its files, with numbers and booleans as such. */
type Fields = Record<string, unknown>;

const mostImageBytes = 50 * 1024 * 1024;
const mostMaskBytes = 4 * 1024 * 1024;
const types = ['image/jpeg', 'image/png', 'image/webp'];

/** Reads the fields and the files of an edit, in whichever order they come. @throws Refusal */
export async function readForm(parts: AsyncIterable<Part>): Promise<{ fields: Fields; inputs: Inputs }> {
  const fields: Fields = {};
  const inputs: Inputs = { images: [], mask: null };
  for await (const part of parts) {
    if (part.kind === 'file') await keep(part, inputs);
    else if (part.value !== '') fields[part.name] = valueIn(part.name, part.value);
  }
  if (inputs.images.length === 0)
    throw wrong("Missing required parameter: 'image'.", 'missing_required_parameter', 'image');
  return { fields, inputs };
}

async function keep(part: FilePart, inputs: Inputs): Promise<void> {
  const { name } = part;
  const isImage = /^image(?:\[\d*\])?$/.test(name);
  if (!isImage && name !== 'mask') throw wrong(`Unknown parameter: '${name}'.`, 'unknown_parameter', name);
  checkType(part);
  if (!isImage) inputs.mask = await readWhole(part, mostMaskBytes);
  else if (inputs.images.push(await readWhole(part, mostImageBytes)) > mostInputs)
    throw wrong(
      `Invalid 'image': array too long. Expected an array with maximum length ${mostInputs}, but got one with more.`,
      'array_above_max_length',
      'image',
    );
}

function checkType({ name, type }: FilePart): void {
  if (types.includes(type)) return;
  throw wrong(
    `Invalid file '${name}': unsupported mimetype ('${type}'). Supported file formats are 'image/jpeg', 'image/png', and 'image/webp'.`,
    'unsupported_file_mimetype',
    name,
  );
}

/** Of what all is text in a form. */
function valueIn(name: string, value: string): unknown {
  if (name === 'stream' && (value === 'true' || value === 'false')) return value === 'true';
  const isNumber = ['n', 'output_compression', 'partial_images'].includes(name);
  return isNumber && /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : value;
}
