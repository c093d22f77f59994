import { Page } from '../layout/page.tsx';

export function Models() {
  return <Page title="Models">{null}</Page>;
}
