import { type CSSVariablesResolver, createTheme } from '@mantine/core';

/** What lets styles that the page makes pass its policy; the service puts it there, and Vite names the place. */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
}

export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 7 },
  defaultRadius: 'md',
  cursorType: 'pointer',
});

/** Mantine's own grey for what matters less is too pale to be read by everybody (WCAG AA). */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#59626b',
    '--mantine-color-placeholder': '#6b747c',
    '--mantine-color-error': '#c92a2a',
  },
  dark: {
    '--mantine-color-dimmed': '#a3a8ae',
    '--mantine-color-placeholder': '#9298a0',
    '--mantine-color-error': '#ff8787',
  },
});
