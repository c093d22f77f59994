import { Page } from '../layout/page.tsx';

export function Settings() {
  return <Page title="Settings">{null}</Page>;
}
