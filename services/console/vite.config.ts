import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Where `npm run dev` finds a gateway to talk to. */
const gateway = 'http://127.0.0.1:8080';

// biome-ignore lint/style/noDefaultExport: where Vite looks for it
export default defineConfig({
  base: '/console/',
  plugins: [react()],
  // The service puts a nonce of each answer in its place.
  html: { cspNonce: 'NONCE' },
  build: { assetsInlineLimit: 0, modulePreload: { polyfill: false }, chunkSizeWarningLimit: 800 },
  server: { host: '127.0.0.1', proxy: { '/v1': gateway, '/api': gateway } },
});
