import '../shell/mantine-styles.ts';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { config } from 'zod/mini';
import { styleNonce } from '../shell/theme.ts';
import { App } from './app.tsx';

// The page's policy forbids code generation at run time.
config({ jitless: true });

// The library that keeps the page still behind a dialog adds a style, and takes its nonce from here.
Object.assign(globalThis, { __webpack_nonce__: styleNonce() });

const root = document.getElementById('root');
if (!root) throw new Error('the page has no root');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
