import { describe, expect, test } from 'vitest';
import { ConfigError } from './config.ts';
import { readSettings } from './settings.ts';

const read = (origins: string) =>
  readSettings(['GATEWAY_CORS_ORIGINS'], { GATEWAY_CORS_ORIGINS: origins }).GATEWAY_CORS_ORIGINS;

describe('GATEWAY_CORS_ORIGINS', () => {
  test.each([
    'https://app.example.com',
    'http://localhost:3000',
    'http://tauri.localhost',
    'app://obsidian.md',
    'capacitor://localhost',
    'ionic://localhost',
    'tauri://localhost',
    'chrome-extension://jfbnmfgkohlfclfnplnlenbalpppohkm',
    'moz-extension://1f4b3d9e-7d0e-4f3a-9c1e-4c0f5f1f2a3b',
    'vscode-webview://0k8h3n5v6b7m9q1w2e4r5t6y7u8i9o0p',
    'app://local:8080',
    'file://',
    '*',
  ])('takes %s', origin => {
    expect(read(`${origin}, https://other.example`)).toEqual([origin, 'https://other.example']);
  });

  test.each([
    'https://app.example.com/',
    'https://app.example.com:443',
    'https://App.example.com',
    'app://obsidian.md/',
    'app://obsidian.md/index.html',
    'app:obsidian.md',
    'obsidian.md',
    'capacitor://',
    'data:text/html,x',
    'null',
  ])('refuses %s, which no browser sends', origin => {
    expect(() => read(origin)).toThrow(ConfigError);
  });
});
