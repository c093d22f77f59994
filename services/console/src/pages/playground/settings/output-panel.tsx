import { Radio, Stack, TextInput } from '@mantine/core';
import type { Settings } from '../conversation/settings.ts';
import type { SettingsProps } from './parameters-panel.tsx';
import { SchemaField } from './schema-field.tsx';

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
      <Radio.Group size="xs" label="The answer is" value={output} onChange={choose}>
        <Stack gap={6} mt={6}>
          <Radio size="xs" value="text" label="Text" />
          <Radio
            size="xs"
            value="json"
            label="JSON of any form"
            description={
              format.name === 'messages' && output === 'json'
                ? 'Not sent: Messages has only JSON of a schema.'
                : undefined
            }
          />
          <Radio size="xs" value="schema" label="JSON of a schema" />
        </Stack>
      </Radio.Group>
      {output === 'schema' && (
        <>
          <TextInput
            size="xs"
            label="Name of the schema"
            value={outputName}
            onChange={event => onChange({ ...settings, outputName: event.currentTarget.value })}
            error={/^[\w-]{1,64}$/.test(outputName) ? undefined : 'Up to 64 letters, digits, _ and -.'}
          />
          <SchemaField
            label="Schema of the answer"
            value={outputSchema}
            onChange={schema => onChange({ ...settings, outputSchema: schema })}
          />
        </>
      )}
    </Stack>
  );
}
