/** Why the gateway cannot be started, for the person who started it: shown without a stack trace. */
export class Problem extends Error {
  override readonly name = 'Problem';
}
