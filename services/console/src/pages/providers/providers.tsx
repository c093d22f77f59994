import { Page } from '../layout/page.tsx';

export function Providers() {
  return <Page title="Providers">{null}</Page>;
}
