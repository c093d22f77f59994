import { UsageError } from './exit-codes.ts';

/** Returns a function that selects parts of a value by a JMESPath expression. @throws UsageError for an invalid expression */
export async function selector(expression: string): Promise<(value: unknown) => unknown> {
  const { compile, search } = await import('jmespath');
  const checked = <Value>(evaluate: () => Value): Value => {
    try {
      return evaluate();
    } catch (error) {
      throw new UsageError(`--query must be a JMESPath expression: ${(error as Error).message}`);
    }
  };
  checked(() => compile(expression));
  return value => checked(() => search(value, expression));
}
