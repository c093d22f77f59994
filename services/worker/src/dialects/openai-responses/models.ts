/** The models that have no reasoning of their own to give away, and refuse to be asked for it. */
const plain = /(?:^|\/)(?:gpt-[34]|chatgpt-|gpt-5-chat)/;

/** Whether a model can be asked for its reasoning in a form that it can read again. */
export function mayReason(model: string): boolean {
  return !plain.test(model);
}
