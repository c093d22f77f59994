import { Page } from '../layout/page.tsx';

export function Tokens() {
  return <Page title="Tokens">{null}</Page>;
}
