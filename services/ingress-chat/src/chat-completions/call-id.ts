const mark = '__thought__';

/** Some gateways hide a Gemini signature in a call's id, where other vendors choke on it: takes it out again. */
export function readCallId(given: string): { id: string; signature?: string } {
  const at = given.indexOf(mark);
  return at < 0 ? { id: given } : { id: given.slice(0, at), signature: given.slice(at + mark.length) };
}
