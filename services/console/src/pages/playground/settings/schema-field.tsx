import { JsonInput } from '@mantine/core';
import classes from './schema-field.module.css';
import { schemaProblem } from './schema-problem.ts';

/** A field for a JSON schema, which says at once whether it is valid. */
export function SchemaField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange(schema: string): void;
}) {
  const problem = schemaProblem(value);
  return (
    <JsonInput
      size="xs"
      label={label}
      description={problem ? undefined : 'This schema is valid.'}
      value={value}
      onChange={onChange}
      error={problem}
      formatOnBlur
      autosize
      minRows={4}
      maxRows={16}
      spellCheck={false}
      classNames={{ input: classes.input as string }}
    />
  );
}
