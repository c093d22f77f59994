/** Whether a model is one of Google's, which wants its signatures back. */
export function isGoogle(model: string): boolean {
  return /gemini/i.test(model);
}
