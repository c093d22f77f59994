import { parse } from 'yaml';

/**
 * Reads the rows of a table, each a list in YAML's flow style after a dash: `- [max tokens, {maxTokens: 9}]`. A text in it
 * needs quotation marks if it holds `,`, `: ` or a bracket.
 */
export function rows<Row extends unknown[]>(text: TemplateStringsArray): Row[] {
  return parse(String.raw(text));
}
