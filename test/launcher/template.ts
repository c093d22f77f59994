// Run by Vitest before the tests that launch gateways.
export { makeTemplate as setup } from '../../services/control/src/testing/data-folder.ts';
