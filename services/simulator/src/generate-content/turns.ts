import { wrong } from './complaint.ts';
import type { FunctionCall, FunctionResponse, Part } from './part.ts';
import type { Content } from './request.ts';
import { judge } from './signature.ts';

/** Checks who speaks when, that each call is answered at once, and that signatures are where they were. @throws Refusal */
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
    throw wrong('Please ensure that function response turn comes from the user.', `contents[${at}]`);
  if (content.role !== 'model' && calls > 0)
    throw wrong('Please ensure that function call turn comes from the model.', `contents[${at}]`);
  if (results > 0 && content.parts.some(({ inlineData, fileData }) => inlineData || fileData))
    throw wrong('Media must not stand beside function response parts.', `contents[${at}]`);
}

function checkOrder(content: Content, before: Content | undefined): void {
  if (callsOf(content).length > 0 && (!before || before.role === 'model'))
    throw wrong(
      'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
    );
}

function checkResults(content: Content, before: Content | undefined): void {
  const results = resultsOf(content);
  const calls = before ? callsOf(before) : [];
  if (results.length > 0 && calls.length === 0)
    throw wrong('Please ensure that function response turn comes immediately after a function call turn.');
  if (results.length !== calls.length) throw mismatch();
  const ids = calls.flatMap(({ id }) => id ?? []);
  for (const { id, name } of results) {
    const known = id && ids.length > 0 ? ids.includes(id) : calls.some(call => call.name === name);
    if (!known) throw wrong(`Function response '${id ?? name}' has no function call of that id or name.`);
  }
}

function mismatch() {
  return wrong(
    'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
  );
}

/** What stands must be right; and since the user last said something, each step's first call must have one. */
function checkSignatures(contents: Content[]): void {
  const asked = contents.findLastIndex(
    content => content.role !== 'model' && resultsOf(content).length === 0,
  );
  for (const [at, { parts }] of contents.entries()) {
    for (const part of parts) checkSignature(part);
    const first = parts.find(({ functionCall }) => functionCall);
    if (at > asked && first?.functionCall && !first.thoughtSignature)
      throw wrong(
        `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${first.functionCall.name}\` , position ${at + 1}.`,
      );
  }
}

function checkSignature({ thoughtSignature, functionCall }: Part): void {
  if (!thoughtSignature) return;
  const judged = judge(thoughtSignature, functionCall ?? undefined);
  if (judged === 'corrupted') throw wrong('Corrupted thought signature.');
  if (judged === 'moved') throw wrong('Invalid thought signature: it does not belong to this part.');
}
