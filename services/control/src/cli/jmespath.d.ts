declare module 'jmespath' {
  /** @throws Error for an invalid expression */
  export function compile(expression: string): unknown;
  /** @throws Error for an expression that is invalid, or does not fit the data */
  export function search(data: unknown, expression: string): unknown;
}
