import { Page } from '../layout/page.tsx';

export function Audit() {
  return <Page title="Audit">{null}</Page>;
}
