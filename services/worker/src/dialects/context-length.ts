/** The code by which clients know that a prompt is too long, whoever says so. */
export const contextLengthCode = 'context_length_exceeded';

/** How upstreams say it that give no code. */
const said = [
  /prompt is too long/i,
  /maximum context length/i,
  /context[ _](?:length|window|size)[^.]{0,40}\bexceed/i,
  /exceed\w*[^.]{0,40}\bcontext[ _](?:length|window|size|limit)/i,
  /input token count[^.]{0,40}\bexceeds/i,
  /too large for model with \d+ maximum context/i,
];

/** Whether an upstream's error means that the prompt, or it and the answer, does not fit into the model. */
export function isContextLength(message: string | undefined, ...codes: unknown[]): boolean {
  if (codes.includes(contextLengthCode) || codes.includes('exceed_context_size_error')) return true;
  return message !== undefined && said.some(pattern => pattern.test(message));
}
