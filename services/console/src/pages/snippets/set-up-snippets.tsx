import { Stack, Tabs, Text } from '@mantine/core';
import { CodeBlock } from '../layout/code-block.tsx';
import { type SetUpFacts, setUps } from './set-up.ts';

/**
 * The lines with which SDKs, coding agents and editors use a token, ready to be copied. `baseUrl` is the gateway's address without a
 * path; without a secret the lines have a placeholder.
 */
export function SetUpSnippets(facts: SetUpFacts) {
  const all = setUps(facts);
  return (
    <Tabs defaultValue={all[0]?.label ?? null} variant="pills" keepMounted={false}>
      <Tabs.List aria-label="Ways to use the token">
        {all.map(({ label }) => (
          <Tabs.Tab key={label} value={label} px="sm" py={6}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {all.map(({ label, about, steps }) => (
        <Tabs.Panel key={label} value={label} pt="sm">
          <Stack gap="sm">
            <Text size="sm" c="dimmed">
              {about}
            </Text>
            {steps.map(step => (
              <CodeBlock key={step.label} {...step} />
            ))}
          </Stack>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
