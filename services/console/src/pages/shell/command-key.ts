/** Returns the name of the key that commands are given with on this system. */
export function commandKey(): string {
  return /mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘' : 'Ctrl';
}
