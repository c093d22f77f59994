import { JsonInput, Radio, Stack, TextInput } from '@mantine/core';
import type { Settings } from '../conversation/settings.ts';
import type { SettingsProps } from './parameters-panel.tsx';
import { schemaProblem } from './schema-problem.ts';
import classes from './settings-panel.module.css';

const firstSchema = JSON.stringify(
  {
    type: 'object',
    properties: { answer: { type: 'string' } },
    required: ['answer'],
    additionalProperties: false,
  },
  undefined,
  2,
);

/** The form of the answer: text, any JSON, or JSON of a schema. */
export function OutputPanel({ format, settings, onChange }: SettingsProps) {
  const { output, outputSchema, outputName } = settings;
  const choose = (chosen: string) => {
    const schema = chosen === 'schema' && outputSchema === '' ? firstSchema : outputSchema;
    onChange({ ...settings, output: chosen as Settings['output'], outputSchema: schema });
  };
  return (
    <Stack gap="sm">
      <Radio.Group size="xs" label="Response format" value={output} onChange={choose}>
        <Stack gap={6} mt={6}>
          <Radio size="xs" value="text" label="Text" />
          <Radio
            size="xs"
            value="json"
            label="JSON object"
            description={
              format.name === 'messages' && output === 'json'
                ? 'Not sent: Messages supports only JSON schemas.'
                : undefined
            }
          />
          <Radio size="xs" value="schema" label="JSON schema" />
        </Stack>
      </Radio.Group>
      {output === 'schema' && (
        <>
          <TextInput
            size="xs"
            label="Schema name"
            value={outputName}
            onChange={event => onChange({ ...settings, outputName: event.currentTarget.value })}
            error={/^[\w-]{1,64}$/.test(outputName) ? undefined : 'Up to 64 letters, digits, _ and -.'}
          />
          <SchemaField
            label="Schema"
            value={outputSchema}
            onChange={schema => onChange({ ...settings, outputSchema: schema })}
          />
        </>
      )}
    </Stack>
  );
}

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
      classNames={{ input: classes.schema as string }}
    />
  );
}
