import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';

/** Switches between the dark and the light theme. The browser keeps the choice; until then the system's is used. */
export function ThemeSwitch() {
  const { setColorScheme } = useMantineColorScheme();
  const dark = useComputedColorScheme('light') === 'dark';
  const label = dark ? 'Use the light theme' : 'Use the dark theme';
  return (
    <ActionIcon
      variant="subtle"
      size="md"
      aria-label={label}
      title={label}
      onClick={() => setColorScheme(dark ? 'light' : 'dark')}
    >
      <span aria-hidden="true">{dark ? '☀' : '☾'}</span>
    </ActionIcon>
  );
}
