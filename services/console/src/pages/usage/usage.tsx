import { Page } from '../layout/page.tsx';

export function Usage() {
  return <Page title="Usage">{null}</Page>;
}
