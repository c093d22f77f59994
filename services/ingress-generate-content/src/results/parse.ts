import type { TextPart, ToolResultPart, UserPart } from '@model-gateway/canonical';
import type { GoogleFunctionResponse } from '@model-gateway/wire';
import { invalid } from '../check.ts';
import { mediaPart } from '../media/parse.ts';
import type { OpenCalls } from '../open-calls.ts';

/** `path` is that of the part. @throws GatewayError if no call waits for the result */
export function toolResult(given: GoogleFunctionResponse, path: string, open: OpenCalls): ToolResultPart {
  const { id, name, parts } = given;
  const callId = open.answer(id, name);
  if (callId === undefined) {
    const which = id ? `'${name}' with the id '${id}'` : `'${name}'`;
    throw invalid(
      `${path}.functionResponse`,
      `no function call ${which} in the turn before it waits for a response`,
    );
  }
  const { said, error } = readResponse(given);
  const shown = (parts ?? []).map(
    (part, i): UserPart => mediaPart(part, `${path}.functionResponse.parts[${i}]`),
  );
  return { type: 'tool-result', callId, content: [...said, ...shown], ...(error && { error }) };
}

/** Keys that hold all of a result, by what clients are used to. */
const whole = ['output', 'result', 'content'];

/** What a function said: under the keys that have a meaning, else all of the object. */
function readResponse({ name, response }: GoogleFunctionResponse): { said: TextPart[]; error: boolean } {
  const { name: repeated, ...rest } = response ?? {};
  // Some clients repeat the function's name beside the result.
  const fields = repeated === name ? rest : (response ?? {});
  const [key = '', ...more] = Object.keys(fields);
  if (more.length === 0 && key === 'error') return { said: texts(fields.error), error: true };
  if (more.length === 0 && whole.includes(key)) return { said: texts(fields[key]), error: false };
  return { said: key === '' ? [] : texts(fields), error: false };
}

function texts(value: unknown): TextPart[] {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text ? [{ type: 'text', text }] : [];
}
