import { stringify } from 'yaml';

/** Writes a value as YAML, with short mappings on lines of their own as in the documents. */
export function yamlOf(value: object): string {
  return stringify(value, { lineWidth: 110 });
}
