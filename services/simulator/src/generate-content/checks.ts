import { hash } from 'node:crypto';
import { isSchema } from '../responder/json-value.ts';
import type { Content, FunctionCall, FunctionResponse, Part } from './request.ts';
import { badRequest } from './validation-error.ts';

/** Checks the order of turns, the results of calls, and the signatures. @throws ApiError */
export function checkContents(contents: Content[]): void {
  for (const [at, content] of contents.entries()) {
    checkKinds(content, at);
    checkOrder(content, contents[at - 1]);
    checkResults(content, contents[at - 1]);
    if (callsOf(content).length > 0 && !contents[at + 1]) throw mismatch();
  }
  checkSignatures(contents);
}

export function callsOf({ parts }: Content): FunctionCall[] {
  return parts.flatMap(({ functionCall }) => functionCall ?? []);
}

export function resultsOf({ parts }: Content): FunctionResponse[] {
  return parts.flatMap(({ functionResponse }) => functionResponse ?? []);
}

function checkKinds(content: Content, at: number): void {
  const calls = callsOf(content).length;
  const results = resultsOf(content).length;
  if (content.role === 'model' && results > 0)
    throw badRequest('Please ensure that function response turn comes from the user.', `contents[${at}]`);
  if (content.role !== 'model' && calls > 0)
    throw badRequest('Please ensure that function call turn comes from the model.', `contents[${at}]`);
  if (results > 0 && content.parts.some(({ inlineData, fileData }) => inlineData || fileData))
    throw badRequest('Media must not stand beside function response parts.', `contents[${at}]`);
}

function checkOrder(content: Content, before: Content | undefined): void {
  if (callsOf(content).length > 0 && (!before || before.role === 'model'))
    throw badRequest(
      'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
    );
}

function checkResults(content: Content, before: Content | undefined): void {
  const results = resultsOf(content);
  const calls = before ? callsOf(before) : [];
  if (results.length > 0 && calls.length === 0)
    throw badRequest(
      'Please ensure that function response turn comes immediately after a function call turn.',
    );
  if (results.length !== calls.length) throw mismatch();
  const ids = calls.flatMap(({ id }) => id ?? []);
  for (const { id, name } of results) {
    const known = id && ids.length > 0 ? ids.includes(id) : calls.some(call => call.name === name);
    if (!known)
      throw badRequest(`Function response '${id ?? name}' has no function call of that id or name.`);
  }
}

function mismatch() {
  return badRequest(
    'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
  );
}

/** Signatures must be valid, and after the last message of the user the first call of each turn must have one. */
function checkSignatures(contents: Content[]): void {
  const asked = contents.findLastIndex(
    content => content.role !== 'model' && resultsOf(content).length === 0,
  );
  for (const [at, { parts }] of contents.entries()) {
    for (const part of parts) checkSignature(part);
    const first = parts.find(({ functionCall }) => functionCall);
    if (at > asked && first?.functionCall && !first.thoughtSignature)
      throw badRequest(
        `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${first.functionCall.name}\` , position ${at + 1}.`,
      );
  }
}

function checkSignature({ thoughtSignature, functionCall }: Part): void {
  if (!thoughtSignature) return;
  const verified = verify(thoughtSignature, functionCall ?? undefined);
  if (verified === 'corrupted') throw badRequest('Corrupted thought signature.');
  if (verified === 'moved') throw badRequest('Invalid thought signature: it does not belong to this part.');
}

const magic = Buffer.from('Cgk=', 'base64');
const length = 16;

/** The placeholder that clients send for calls that the vendor did not make, plain or as base64. */
const standIn = 'skip_thought_signature_validator';
const standIns = new Set([standIn, Buffer.from(standIn).toString('base64')]);

/** The signature of a call, or of text if there is no call. */
export function sign(call?: FunctionCall): string {
  const signed = digest(call ? `call ${call.name} ${canonical(call.args ?? {})}` : 'text');
  return Buffer.concat([magic, digest(`seal ${signed.toString('hex')}`), signed]).toString('base64');
}

/** Tells if a signature belongs to this part, to another part, or was not made here. */
function verify(signature: string, call?: FunctionCall): 'right' | 'moved' | 'corrupted' {
  if (standIns.has(signature)) return 'right';
  const bytes = Buffer.from(signature, 'base64');
  if (bytes.equals(Buffer.from(sign(call), 'base64'))) return 'right';
  const signed = bytes.subarray(magic.length + length);
  const own = Buffer.concat([magic, digest(`seal ${signed.toString('hex')}`), signed]);
  return signed.length === length && own.equals(bytes) ? 'moved' : 'corrupted';
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer').subarray(0, length);
}

/** JSON with sorted keys, since clients may reorder them. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner) =>
    isSchema(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}
