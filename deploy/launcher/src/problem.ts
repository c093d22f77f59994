/** An error that prevents the start. The user sees its message without a stack trace. */
export class Problem extends Error {
  override readonly name = 'Problem';
}
