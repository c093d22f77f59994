import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { holdBudget } from './budget.ts';
import { withoutTexts } from './without-texts.ts';

/** The gateway that `npm run dev` uses. */
const gateway = 'http://127.0.0.1:8080';

// biome-ignore lint/style/noDefaultExport: Vite requires a default export
export default defineConfig({
  base: '/console/',
  plugins: [react(), withoutTexts(), holdBudget()],
  // The service replaces this with the nonce of each response.
  html: { cspNonce: 'NONCE' },
  build: { assetsInlineLimit: 0, modulePreload: { polyfill: false }, chunkSizeWarningLimit: 800 },
  server: { host: '127.0.0.1', proxy: { '/v1': gateway, '/api': gateway } },
});
