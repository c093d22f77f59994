import { Accordion, Badge, Textarea } from '@mantine/core';
import { lazy, type ReactNode, Suspense } from 'react';
import { setNames } from '../formats/format.ts';
import { OutputPanel } from './output-panel.tsx';
import type { SettingsProps } from './parameters-panel.tsx';
import classes from './settings-panel.module.css';
import { ToolsPanel } from './tools-panel.tsx';

// It is closed at first, and has inputs that nothing else of the page needs.
const ParametersPanel = lazy(() =>
  import('./parameters-panel.tsx').then(panel => ({ default: panel.ParametersPanel })),
);

/** What is sent with every question: system prompt, parameters, tools and the form of the answer. */
export function SettingsPanel(props: SettingsProps) {
  const { settings, onChange } = props;
  return (
    <Accordion
      multiple
      transitionDuration={0}
      classNames={{ control: classes.control, content: classes.content }}
    >
      <Section name="System prompt" set={settings.system ? 1 : 0}>
        <Textarea
          aria-label="System prompt"
          placeholder="None"
          size="xs"
          autosize
          minRows={3}
          maxRows={12}
          value={settings.system}
          onChange={event => onChange({ ...settings, system: event.currentTarget.value })}
        />
      </Section>
      <Section name="Parameters" set={setNames(settings).length}>
        <Suspense fallback={null}>
          <ParametersPanel {...props} />
        </Suspense>
      </Section>
      <Section name="Tools" set={settings.tools.length}>
        <ToolsPanel {...props} />
      </Section>
      <Section name="Output" set={settings.output === 'text' ? 0 : 1}>
        <OutputPanel {...props} />
      </Section>
    </Accordion>
  );
}

function Section({ name, set, children }: { name: string; set: number; children: ReactNode }) {
  return (
    <Accordion.Item value={name.replace(' ', '-')}>
      <Accordion.Control>
        {name}
        {set > 0 && (
          <Badge size="sm" variant="default" ml="xs" aria-label={`${set} set`}>
            {set}
          </Badge>
        )}
      </Accordion.Control>
      <Accordion.Panel>{children}</Accordion.Panel>
    </Accordion.Item>
  );
}
