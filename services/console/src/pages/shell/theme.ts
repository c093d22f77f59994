import {
  Anchor,
  type CSSVariablesResolver,
  createTheme,
  Menu,
  Modal,
  Notification,
  SegmentedControl,
} from '@mantine/core';

/** Returns the nonce for styles that the page creates. The service writes it where Vite puts the placeholder. */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
}

export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 7 },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Notification: Notification.extend({
      defaultProps: { closeButtonProps: { 'aria-label': 'Close the notice' } },
    }),
    Menu: Menu.extend({ defaultProps: { transitionProps: { duration: 0 } } }),
    Modal: Modal.extend({
      defaultProps: { closeButtonProps: { 'aria-label': 'Close' }, transitionProps: { duration: 0 } },
    }),
    SegmentedControl: SegmentedControl.extend({ defaultProps: { transitionDuration: 0 } }),
    // A link within a sentence is not told from it by its colour alone.
    Anchor: Anchor.extend({
      styles: (_theme, { inherit }) => (inherit ? { root: { textDecoration: 'underline' } } : {}),
    }),
  },
});

/** Darker greys, red and green: Mantine's defaults do not have the contrast that WCAG AA requires. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#59626b',
    '--mantine-color-placeholder': '#6b747c',
    '--mantine-color-error': '#c92a2a',
    '--mantine-color-green-light-color': '#1d6b2e',
    '--mantine-color-red-light-color': '#a61e1e',
    '--mantine-color-yellow-light-color': '#7a4f00',
    '--mantine-color-orange-light-color': '#8f3f00',
    '--mantine-color-blue-light-color': '#1558a0',
    '--mantine-color-gray-light-color': '#495057',
  },
  dark: {
    '--mantine-color-dimmed': '#a3a8ae',
    '--mantine-color-placeholder': '#9298a0',
    '--mantine-color-error': '#ff8787',
  },
});
