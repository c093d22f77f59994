import { noUsage, type Usage } from '@model-gateway/canonical';
import { objectIn } from './read-json.ts';

/*
 * Usage in the words of any vendor, for answers whose format leaves them open. The names are those of
 * OpenAI (https://platform.openai.com/docs/api-reference), Mistral (`prompt_audio_seconds`:
 * https://docs.mistral.ai/api/endpoint/audio/transcriptions), Alibaba's speech recognition (`duration`:
 * https://help.aliyun.com/zh/model-studio/paraformer-recorded-speech-recognition-restful-api) and Cohere (`meta`:
 * https://docs.cohere.com/reference/rerank).
 */

type Names = readonly string[];

const inputs: Names = ['input_tokens', 'prompt_tokens'];
const outputs: Names = ['output_tokens', 'completion_tokens'];
const inputDetails: Names = ['input_tokens_details', 'input_token_details', 'prompt_tokens_details'];
const outputDetails: Names = ['output_tokens_details', 'output_token_details', 'completion_tokens_details'];
const seconds: Names = ['seconds', 'prompt_audio_seconds', 'duration'];

type Fields = Record<string, unknown>;

/** Returns the input tokens of a usage; 0 if it has none. */
export function inputIn(raw: Fields): number {
  return countIn(raw, inputs);
}

/** Returns the output tokens of a usage; 0 if it has none. */
export function outputIn(raw: Fields): number {
  return countIn(raw, outputs);
}

/** Reads tokens and seconds of audio. Null if there are none but zeros: no answer costs nothing, so they say nothing. */
export function readUsage(raw: unknown): Usage | null {
  const fields = objectIn(raw);
  if (!fields) return null;
  const output = outputIn(fields);
  // Some count audio beside the prompt, and some say only the total.
  const input = Math.max(inputIn(fields), countIn(fields, ['total_tokens']) - output);
  const time = countIn(fields, seconds);
  if (input + output + time === 0) return null;
  const ofInput = detailsIn(fields, inputDetails);
  const ofOutput = detailsIn(fields, outputDetails);
  return {
    ...noUsage,
    input,
    cachedInput: countIn(ofInput, ['cached_tokens']),
    audioInput: countIn(ofInput, ['audio_tokens']),
    imageInput: countIn(ofInput, ['image_tokens']),
    output,
    reasoning: countIn(ofOutput, ['reasoning_tokens']),
    audioOutput: countIn(ofOutput, ['audio_tokens']),
    ...(time > 0 && { units: { seconds: time } }),
    raw,
  };
}

/** Returns the usage of some seconds of audio. */
export function readSeconds(seconds: number, raw: unknown): Usage {
  return { ...noUsage, units: { seconds }, raw };
}

/** Reads the usage of an answer in tokens, searches or both, from its `usage`, its `meta` or the answer itself; null if none has any. */
export function readUsageOf(answer: object): Usage | null {
  const { usage, meta } = answer as { usage?: unknown; meta?: unknown };
  return readUsage(usage) ?? readBilled(usage) ?? readBilled(meta) ?? readBilled(answer);
}

/** Reads usage in Cohere's words: the tokens that the model read, else those that are billed, and the searches. */
function readBilled(raw: unknown): Usage | null {
  const fields = objectIn(raw);
  const billed = objectIn(fields?.billed_units) ?? {};
  const read = objectIn(fields?.tokens) ?? {};
  const output = outputIn(read) || outputIn(billed);
  const total = countIn(billed, ['total_tokens']);
  const input = inputIn(read) || inputIn(billed) || Math.max(0, total - output);
  const searches = countIn(billed, ['search_units']);
  if (input + output + searches === 0) return null;
  return { ...noUsage, input, output, ...(searches > 0 && { units: { searches } }), raw };
}

/** Returns the first count that is above 0, which some servers send as text; 0 if none is. */
function countIn(fields: Fields, names: Names): number {
  for (const name of names) {
    const value = fields[name];
    const count = typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value;
    if (typeof count === 'number' && Number.isFinite(count) && count > 0) return count;
  }
  return 0;
}

function detailsIn(fields: Fields, names: Names): Fields {
  for (const name of names) {
    const details = objectIn(fields[name]);
    if (details) return details;
  }
  return {};
}
