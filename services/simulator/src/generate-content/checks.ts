import { hash } from 'node:crypto';
import { isSchema } from '../responder/json-value.ts';
import { sealed, unsealed } from '../responder/seal.ts';
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
    throw badRequest('Please ensure that function call turn comes immediately after a user turn.');
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
  const equal = 'the number of function response parts is equal to the number of function call parts';
  return badRequest(`Please ensure that ${equal} of the function call turn.`);
}

/** Signatures must be valid, and after the last message of the user the first call of each turn must have one. */
function checkSignatures(contents: Content[]): void {
  const question = contents.findLastIndex(one => one.role !== 'model' && resultsOf(one).length === 0);
  for (const [at, { parts }] of contents.entries()) {
    for (const part of parts) checkSignature(part);
    const first = parts.find(({ functionCall }) => functionCall);
    if (at > question && first?.functionCall && !first.thoughtSignature)
      throw badRequest(
        `Function call is missing a thought_signature in functionCall parts. Additional data, function call \`default_api:${first.functionCall.name}\` , position ${at + 1}.`,
      );
  }
}

function checkSignature({ thoughtSignature: signature, functionCall }: Part): void {
  if (!signature || placeholders.includes(signature)) return;
  const normal = Buffer.from(signature, 'base64').toString('base64');
  if (unsealed(prefix, normal) === null) throw badRequest('Corrupted thought signature.');
  if (normal !== sign(functionCall ?? undefined))
    throw badRequest('Invalid thought signature: it does not belong to this part.');
}

const prefix = 'Cgk=';

/** The placeholder for calls that Google did not make, plain or as base64. */
const placeholder = 'skip_thought_signature_validator';
const placeholders = [placeholder, Buffer.from(placeholder).toString('base64')];

/** The signature of a call, or of text if there is no call. */
export function sign(call?: FunctionCall): string {
  return sealed(prefix, hash('sha256', call ? `call ${call.name} ${canonical(call.args ?? {})}` : 'text'));
}

/** JSON with sorted keys, since clients may reorder them. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner) =>
    isSchema(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}
