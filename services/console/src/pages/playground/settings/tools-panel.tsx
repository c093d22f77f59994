import { Button, Fieldset, Select, Stack, Textarea, TextInput } from '@mantine/core';
import type { ToolDefinition } from '../conversation/settings.ts';
import { SchemaField } from './output-panel.tsx';
import type { SettingsProps } from './parameters-panel.tsx';
import { nameProblem } from './schema-problem.ts';

const newTool: ToolDefinition = {
  name: 'get_weather',
  description: 'The weather in a city',
  schema: JSON.stringify(
    { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    undefined,
    2,
  ),
};

/** The tools that the model may call, and whether it must. */
export function ToolsPanel({ settings, onChange }: SettingsProps) {
  const { tools } = settings;
  const change = (at: number, changed: Partial<ToolDefinition>) =>
    onChange({ ...settings, tools: tools.with(at, { ...(tools[at] as ToolDefinition), ...changed }) });
  const remove = (at: number) => {
    const left = tools.filter((_, place) => place !== at);
    const gone = settings.toolChoice === `tool:${tools[at]?.name}`;
    onChange({ ...settings, tools: left, ...(gone && { toolChoice: undefined }) });
  };
  const add = () => {
    const taken = tools.some(({ name }) => name === newTool.name);
    const tool = taken ? { ...newTool, name: `tool_${tools.length + 1}`, description: '' } : newTool;
    onChange({ ...settings, tools: [...tools, tool] });
  };
  return (
    <Stack gap="sm">
      {tools.map((tool, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a tool has no other identity while its name is typed
        <Fieldset key={at} legend={`Tool ${at + 1}`} p="sm">
          <Stack gap="xs">
            <TextInput
              size="xs"
              label="Name"
              value={tool.name}
              onChange={event => change(at, { name: event.currentTarget.value })}
              error={nameProblem(tool, tools)}
              spellCheck={false}
            />
            <Textarea
              size="xs"
              label="Description"
              autosize
              maxRows={4}
              value={tool.description}
              onChange={event => change(at, { description: event.currentTarget.value })}
            />
            <SchemaField
              label="Schema of the arguments"
              value={tool.schema}
              onChange={schema => change(at, { schema })}
            />
            <Button variant="subtle" color="red" size="compact-xs" onClick={() => remove(at)}>
              Remove {tool.name || 'tool'}
            </Button>
          </Stack>
        </Fieldset>
      ))}
      <Button variant="default" size="compact-sm" onClick={add}>
        Add a tool
      </Button>
      {tools.length > 0 && (
        <Select
          size="xs"
          label="Tool choice"
          placeholder="Model default"
          data={[
            { value: 'auto', label: 'The model decides' },
            { value: 'required', label: 'Some tool must be called' },
            { value: 'none', label: 'No tool may be called' },
            ...[...new Set(tools.map(({ name }) => name))]
              .filter(name => name !== '')
              .map(name => ({ value: `tool:${name}`, label: `${name} must be called` })),
          ]}
          value={settings.toolChoice ?? null}
          onChange={choice => onChange({ ...settings, toolChoice: choice ?? undefined })}
          clearable
        />
      )}
    </Stack>
  );
}
